//! Where chunks are: what a walk over an index ends with.

use super::plan::invalid;
use crate::{Address, FormatError};

/// Chunks with their places in the dataset, ordered by place (last dimension fastest), each place once. Kept in
/// columns: a million chunks are nothing unusual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkTable {
    /// Dimensions of the dataset.
    pub rank: usize,
    /// Places, counted in chunks: `rank` numbers for each chunk.
    pub coords: Vec<u64>,
    /// Addresses in the file, relative to its base address.
    pub addresses: Vec<u64>,
    /// Bytes as stored.
    pub stored_bytes: Vec<u64>,
    /// Bit i is set where filter i of the pipeline was skipped.
    pub filter_masks: Vec<u32>,
}

/// A row of a [`ChunkTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// Its place, counted in chunks.
    pub coords: &'a [u64],
    /// Where it is stored.
    pub address: Address,
    /// Bytes as stored.
    pub stored_bytes: u64,
    /// Bit i is set where filter i of the pipeline was skipped.
    pub filter_mask: u32,
}

impl ChunkTable {
    /// A table without chunks.
    pub fn new(rank: usize) -> Self {
        let (coords, addresses, stored_bytes, filter_masks) = Default::default();
        Self { rank, coords, addresses, stored_bytes, filter_masks }
    }

    /// Number of chunks.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// Chunk `i`.
    pub fn get(&self, i: usize) -> Chunk<'_> {
        Chunk {
            coords: self.coords_of(i),
            address: Address(self.addresses[i]),
            stored_bytes: self.stored_bytes[i],
            filter_mask: self.filter_masks[i],
        }
    }

    /// All chunks.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Chunk<'_>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The chunk at a place, as its number.
    pub fn find(&self, coords: &[u64]) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.coords_of(middle).cmp(coords) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn coords_of(&self, i: usize) -> &[u64] {
        &self.coords[i * self.rank..(i + 1) * self.rank]
    }

    pub(super) fn push(&mut self, coords: &[u64], address: Address, stored_bytes: u64, filter_mask: u32) {
        self.coords.extend_from_slice(coords);
        self.addresses.push(address.0);
        self.stored_bytes.push(stored_bytes);
        self.filter_masks.push(filter_mask);
    }

    /// Orders the chunks by place: arrays keep them in an order of their own.
    pub(super) fn ordered(self) -> Self {
        if self.first_out_of_order().is_none() {
            return self;
        }
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|&a, &b| self.coords_of(a).cmp(self.coords_of(b)));
        let mut table = Self::new(self.rank);
        for i in order {
            let chunk = self.get(i);
            table.push(chunk.coords, chunk.address, chunk.stored_bytes, chunk.filter_mask);
        }
        table
    }

    /// Refuses chunks that are not in the order of their places: a B-tree in which they are not cannot be searched.
    pub(super) fn ascending(self) -> Result<Self, FormatError> {
        let Some(i) = self.first_out_of_order() else { return Ok(self) };
        let what = format!("chunk {:?} comes after chunk {:?}", self.coords_of(i), self.coords_of(i - 1));
        Err(invalid("chunk offset", what))
    }

    /// The first chunk that is not beyond the one before it.
    fn first_out_of_order(&self) -> Option<usize> {
        (1..self.len()).find(|&i| self.coords_of(i - 1) >= self.coords_of(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_chunks_by_place() {
        let mut table = ChunkTable::new(2);
        for (i, coords) in [[1, 0], [0, 1], [0, 0]].iter().enumerate() {
            table.push(coords, Address(100 + i as u64), 8, 0);
        }
        table.clone().ascending().unwrap_err();
        let table = table.ordered().ascending().unwrap();
        let found: Vec<_> = table.iter().map(|chunk| (chunk.coords.to_vec(), chunk.address.0)).collect();
        assert_eq!(found, [(vec![0, 0], 102), (vec![0, 1], 101), (vec![1, 0], 100)]);
        assert_eq!(table.find(&[0, 1]), Some(1));
        assert_eq!(table.find(&[1, 1]), None);
    }

    #[test]
    fn refuses_a_place_twice() {
        let mut table = ChunkTable::new(1);
        table.push(&[7], Address(100), 8, 0);
        table.push(&[7], Address(200), 8, 0);
        table.ascending().unwrap_err();
    }
}
