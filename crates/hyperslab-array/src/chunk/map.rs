//! The chunk map: the addresses, stored sizes and filter masks of the existing chunks of a dataset, in columns.
//!
//! A chunk needs 8 bytes for its address; no bytes for its number if all chunks exist, otherwise 4 or 8; 0, 4 or 8
//! bytes for its size; and 0 or 4 for its filter mask. This is at most 28 bytes, or 32 in a grid of more than 2⁶⁴
//! chunks (36 if such a grid has chunks of 4 GiB and filter masks).

use super::columns::{Compact, Numbers};
use super::grid::{ChunkGrid, ChunkNumber};
use super::index::{ChunkBatch, ChunkIndex, Location};
use crate::{Error, Result};

/// The existing chunks of a dataset or of a part of it, sorted by number.
#[derive(Debug, Clone)]
pub struct ChunkMap {
    grid: ChunkGrid,
    numbers: Numbers,
    addresses: Vec<u64>,
    stored_bytes: Compact,
    filter_masks: Compact,
}

/// The most chunks in a batch of [`ChunkIndex::walk`].
const BATCH_CHUNKS: usize = 4096;

impl ChunkMap {
    /// The map of all chunks of an index in a region of the grid (see [`ChunkIndex::walk`]).
    ///
    /// # Errors
    /// The errors of the index, a chunk outside of the grid, or a chunk that occurs twice.
    pub fn read(index: &dyn ChunkIndex, grid: &ChunkGrid, region: Option<&[(u64, u64)]>) -> Result<Self> {
        let mut map = Self::empty(grid.clone());
        index.walk(region, &mut |batch| map.append(batch))?;
        map.finished()
    }

    /// The map of these chunks: coordinates in the chunk grid and locations, in any order.
    ///
    /// # Errors
    /// A chunk outside of the grid, or a chunk that occurs twice.
    pub fn new<C: AsRef<[u64]>>(
        grid: ChunkGrid,
        chunks: impl IntoIterator<Item = (C, Location)>,
    ) -> Result<Self> {
        let mut map = Self::empty(grid);
        for (coordinates, location) in chunks {
            map.push(coordinates.as_ref(), location)?;
        }
        map.finished()
    }

    fn empty(grid: ChunkGrid) -> Self {
        Self {
            grid,
            numbers: Numbers::Dense,
            addresses: Vec::new(),
            stored_bytes: Compact::Same(0),
            filter_masks: Compact::Same(0),
        }
    }

    fn append(&mut self, batch: ChunkBatch<'_>) -> Result<()> {
        batch.iter().try_for_each(|(coordinates, location)| self.push(coordinates, location))
    }

    fn push(&mut self, coordinates: &[u64], location: Location) -> Result<()> {
        let counts = self.grid.counts();
        // A dataset that is one chunk keeps it when it shrinks to nothing.
        let is_inside = coordinates.iter().zip(counts).all(|(at, &count)| *at < count.max(1));
        if coordinates.len() != counts.len() || !is_inside {
            return Err(Error::damaged(format!(
                "chunk {coordinates:?} lies outside of a grid of {counts:?} chunks"
            )));
        }
        let row = self.addresses.len();
        self.numbers.push(row, self.grid.number(coordinates.iter().copied()));
        self.addresses.push(location.address);
        self.stored_bytes.push(row, location.stored_bytes);
        self.filter_masks.push(row, location.filter_mask.into());
        Ok(())
    }

    /// Sorts the chunks by number.
    fn finished(mut self) -> Result<Self> {
        let rows = self.len();
        if !(1..rows).all(|row| self.numbers.get(row - 1) < self.numbers.get(row)) {
            let mut order: Vec<usize> = (0..rows).collect();
            // Nearly sorted: an index has long runs of chunks that follow one another.
            order.sort_by_key(|&row| self.numbers.get(row));
            self.numbers.reorder(&order);
            self.addresses = order.iter().map(|&row| self.addresses[row]).collect();
            self.stored_bytes.reorder(&order);
            self.filter_masks.reorder(&order);
        }
        if let Some(row) = (1..rows).find(|&row| self.numbers.get(row - 1) == self.numbers.get(row)) {
            let coordinates = self.grid.coordinates(self.numbers.get(row));
            return Err(Error::damaged(format!("chunk {coordinates:?} is in the chunk index twice")));
        }
        self.numbers.compact(rows);
        self.addresses.shrink_to_fit();
        self.stored_bytes.compact();
        self.filter_masks.compact();
        Ok(self)
    }

    /// The grid of the chunks.
    pub fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    /// The location of chunk `number`, if it exists.
    #[inline]
    pub fn get(&self, number: ChunkNumber) -> Option<Location> {
        self.numbers.find(number, self.len()).map(|row| self.location(row))
    }

    /// The number and the location of the `row`th existing chunk, in the order of their numbers.
    pub fn nth(&self, row: usize) -> Option<(ChunkNumber, Location)> {
        (row < self.len()).then(|| (self.numbers.get(row), self.location(row)))
    }

    /// The number of existing chunks.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// True if no chunk exists.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// The sum of the stored sizes of all existing chunks, in bytes.
    pub fn stored_bytes(&self) -> u64 {
        self.stored_bytes.sum(self.len())
    }

    /// The memory of the columns in bytes.
    pub fn memory_bytes(&self) -> usize {
        let addresses = size_of_val(self.addresses.as_slice());
        addresses + self.numbers.bytes() + self.stored_bytes.bytes() + self.filter_masks.bytes()
    }

    /// All existing chunks, sorted by number.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (ChunkNumber, Location)> + '_ {
        (0..self.len()).map(|row| (self.numbers.get(row), self.location(row)))
    }

    #[inline]
    fn location(&self, row: usize) -> Location {
        Location {
            address: self.addresses[row],
            stored_bytes: self.stored_bytes.get(row),
            filter_mask: self.filter_masks.get(row) as u32,
        }
    }
}

impl ChunkIndex for ChunkMap {
    fn walk(
        &self,
        region: Option<&[(u64, u64)]>,
        each: &mut dyn FnMut(ChunkBatch<'_>) -> Result<()>,
    ) -> Result<()> {
        let rank = self.grid.counts().len();
        let mut coordinates = vec![0; rank];
        let (mut places, mut addresses, mut sizes, mut masks) = (vec![], vec![], vec![], vec![]);
        for row in 0..self.len() {
            self.grid.write_coordinates(self.numbers.get(row), &mut coordinates);
            let is_wanted = |region: &[(u64, u64)]| {
                coordinates.iter().zip(region).all(|(at, (from, to))| (from..to).contains(&at))
            };
            if region.is_none_or(is_wanted) {
                let location = self.location(row);
                places.extend_from_slice(&coordinates);
                addresses.push(location.address);
                sizes.push(location.stored_bytes);
                masks.push(location.filter_mask);
            }
            if addresses.len() == BATCH_CHUNKS || (row + 1 == self.len() && !addresses.is_empty()) {
                each(ChunkBatch {
                    coordinates: &places,
                    addresses: &addresses,
                    stored_bytes: &sizes,
                    filter_masks: &masks,
                })?;
                places.clear();
                addresses.clear();
                sizes.clear();
                masks.clear();
            }
        }
        Ok(())
    }

    fn is_row_major(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: u64, stored_bytes: u64, filter_mask: u32) -> Location {
        Location { address, stored_bytes, filter_mask }
    }

    fn grid() -> ChunkGrid {
        ChunkGrid::new(&[6, 8], &[2, 2]).unwrap()
    }

    #[test]
    fn chunks_in_any_order_are_found_by_number() {
        let chunks = [([2, 1], at(300, 9, 1)), ([0, 0], at(100, 7, 0)), ([1, 3], at(200, 8, 0))];
        let map = ChunkMap::new(grid(), chunks).unwrap();
        let rows: Vec<_> = map.iter().collect();
        assert_eq!(rows, [(0, at(100, 7, 0)), (7, at(200, 8, 0)), (9, at(300, 9, 1))]);
        assert_eq!(
            (map.get(7), map.get(8), map.nth(2), map.nth(3)),
            (Some(rows[1].1), None, Some(rows[2]), None)
        );
        assert_eq!((map.len(), map.stored_bytes()), (3, 24));
    }

    #[test]
    fn a_complete_map_of_equal_chunks_takes_eight_bytes_a_chunk() {
        let all = (0..12).map(|i| ([i / 4, i % 4], at(1000 * i, 64, 0)));
        let map = ChunkMap::new(grid(), all.clone()).unwrap();
        assert_eq!(map.memory_bytes(), 8 * 12);
        assert_eq!(map.get(11), Some(at(11_000, 64, 0)));
        let most = all.map(|(coordinates, location)| {
            (
                coordinates,
                Location {
                    stored_bytes: location.address << 20,
                    filter_mask: 1 + (coordinates[1] as u32),
                    ..location
                },
            )
        });
        let map = ChunkMap::new(ChunkGrid::new(&[6, 10], &[2, 2]).unwrap(), most).unwrap();
        assert!(map.memory_bytes() <= 28 * 12, "{}", map.memory_bytes());
    }

    #[test]
    fn a_map_walks_as_an_index() {
        let chunks = [([0, 0], at(100, 7, 0)), ([1, 3], at(200, 8, 0)), ([2, 1], at(300, 9, 1))];
        let map = ChunkMap::new(grid(), chunks).unwrap();
        let again = ChunkMap::read(&map, &grid(), None).unwrap();
        assert!(again.iter().eq(map.iter()));
        let part = ChunkMap::read(&map, &grid(), Some(&[(1, 3), (0, 2)])).unwrap();
        assert_eq!(part.iter().collect::<Vec<_>>(), [(9, at(300, 9, 1))]);
    }

    #[test]
    fn refuses_chunks_twice_and_outside_of_the_grid() {
        let twice = [([2, 1], at(300, 9, 1)), ([2, 1], at(100, 7, 0))];
        let error = ChunkMap::new(grid(), twice).unwrap_err();
        assert!(error.to_string().contains("chunk [2, 1] is in the chunk index twice"), "{error}");
        let error = ChunkMap::new(grid(), [([0, 4], at(300, 9, 1))]).unwrap_err();
        assert!(error.to_string().contains("outside of a grid of [3, 4] chunks"), "{error}");
        ChunkMap::new(grid(), [([0], at(300, 9, 1))]).unwrap_err();
    }
}
