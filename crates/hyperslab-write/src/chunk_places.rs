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
pub(crate) enum ChunkPlaces {
    /// No chunk has been written.
    #[default]
    Unwritten,
    /// That of the only chunk.
    Single(ChunkPlace),
    /// Those of several chunks, some of which may not have been written.
    Several { places: Box<[ChunkPlace]>, written: usize },
}

impl ChunkPlaces {
    /// The number of chunks that have been written.
    pub fn written(&self) -> usize {
        match self {
            Self::Unwritten => 0,
            Self::Single(_) => 1,
            Self::Several { written, .. } => *written,
        }
    }

    /// True if the chunk in a row has been written.
    pub fn is_written(&self, row: usize) -> bool {
        self.all().get(row).is_some_and(|place| *place != UNWRITTEN)
    }

    /// Sets the place of the chunk in the row `row` of `count`, which has not been written before.
    pub fn set(&mut self, row: usize, count: usize, place: ChunkPlace) {
        if count == 1 {
            *self = Self::Single(place);
            return;
        }
        if let Self::Unwritten = self {
            *self = Self::Several { places: vec![UNWRITTEN; count].into(), written: 0 };
        }
        if let Self::Several { places, written } = self {
            places[row] = place;
            *written += 1;
        }
    }

    /// The first chunk, if it has been written.
    pub fn first(&self) -> Option<ChunkPlace> {
        self.all().first().copied().filter(|place| *place != UNWRITTEN)
    }

    /// The places with the coordinates of the chunks, of which `rank` numbers belong to each.
    pub fn columns(&self, rank: usize, coords: &[u64]) -> ChunkColumns {
        let places = self.all();
        ChunkColumns {
            rank,
            coords: coords.to_vec(),
            addresses: places.iter().map(|place| place.address).collect(),
            stored_bytes: places.iter().map(|place| place.stored_bytes).collect(),
            filter_masks: places.iter().map(|place| place.filter_mask).collect(),
        }
    }

    fn all(&self) -> &[ChunkPlace] {
        match self {
            Self::Unwritten => &[],
            Self::Single(place) => std::slice::from_ref(place),
            Self::Several { places, .. } => places,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_chunk_takes_no_memory_of_its_own() {
        let mut places = ChunkPlaces::default();
        let place = ChunkPlace { address: 30, stored_bytes: 7, filter_mask: 1 };
        places.set(0, 1, place);
        assert_eq!((places.written(), places.first(), places.is_written(0)), (1, Some(place), true));
        assert_eq!(places.columns(1, &[0]).addresses, [30]);
        assert!(size_of::<ChunkPlaces>() <= 32);
    }

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
