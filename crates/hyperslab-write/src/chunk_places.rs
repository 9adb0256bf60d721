//! Where the chunks of a dataset were written.

use hyperslab_format::chunk_index::ChunkColumns;

/// The place of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkPlace {
    /// The offset of its first byte in the file.
    pub address: u64,
    /// The stored size in bytes.
    pub stored_bytes: u64,
    /// Bit i is set if filter i of the pipeline was skipped.
    pub filter_mask: u32,
}

/// A chunk that has not been written.
const UNWRITTEN: ChunkPlace = ChunkPlace { address: u64::MAX, stored_bytes: 0, filter_mask: 0 };

/// The places of the chunks of a dataset, in the order in which the tree lists the chunks.
#[derive(Debug, Default)]
pub(crate) struct ChunkPlaces {
    /// Empty until the first chunk is written.
    places: Vec<ChunkPlace>,
    written: usize,
}

impl ChunkPlaces {
    /// The number of chunks that have been written.
    pub fn written(&self) -> usize {
        self.written
    }

    /// True if the chunk in a row has been written.
    pub fn is_written(&self, row: usize) -> bool {
        self.places.get(row).is_some_and(|place| *place != UNWRITTEN)
    }

    /// Sets the place of the chunk in the row `row` of `count`, which has not been written before.
    pub fn set(&mut self, row: usize, count: usize, place: ChunkPlace) {
        if self.places.is_empty() {
            self.places = vec![UNWRITTEN; count];
        }
        self.places[row] = place;
        self.written += 1;
    }

    /// The first chunk, if it has been written.
    pub fn first(&self) -> Option<ChunkPlace> {
        self.places.first().copied().filter(|place| *place != UNWRITTEN)
    }

    /// The places with the coordinates of the chunks, of which `rank` numbers belong to each.
    pub fn columns(&self, rank: usize, coords: &[u64]) -> ChunkColumns {
        ChunkColumns {
            rank,
            coords: coords.to_vec(),
            addresses: self.places.iter().map(|place| place.address).collect(),
            stored_bytes: self.places.iter().map(|place| place.stored_bytes).collect(),
            filter_masks: self.places.iter().map(|place| place.filter_mask).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_have_places_in_any_order() {
        let mut places = ChunkPlaces::default();
        assert_eq!((places.written(), places.first(), places.is_written(1)), (0, None, false));
        let place = |address| ChunkPlace { address, stored_bytes: address + 1, filter_mask: 2 };
        places.set(1, 2, place(30));
        assert_eq!((places.written(), places.first(), places.is_written(1)), (1, None, true));
        places.set(0, 2, place(70));
        assert_eq!(places.first(), Some(place(70)));
        let columns = places.columns(1, &[4, 9]);
        assert_eq!((columns.coords, columns.addresses), (vec![4, 9], vec![70, 30]));
        assert_eq!((columns.stored_bytes, columns.filter_masks), (vec![71, 31], vec![2, 2]));
    }
}
