//! Which chunks of a dataset are stored, and their sizes in bytes, keyed by linear chunk index.
//!
//! The linear index counts the chunks of the current extent in row-major order, whatever chunk index the file uses. The
//! map is built for datasets of millions of chunks: one word per chunk where most are stored, sorted columns where few
//! are, and no per-chunk data at all where every chunk is stored with the same size.

/// One stored chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredChunk {
    /// Its size in the file, in bytes.
    pub bytes: u64,
    /// False if the chunk's filter mask skips every filter, so that reading it decodes nothing.
    pub is_filtered: bool,
}

/// The stored chunks of one dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkMap {
    grid_chunks: u64,
    stored_chunks: u64,
    stored_bytes: u64,
    filtered_chunks: u64,
    cells: Cells,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Cells {
    /// Every chunk of the grid is stored. All have the same size in bytes, except that the first `longer` have one byte
    /// more.
    Complete { bytes: u64, longer: u64 },
    /// One packed word for each chunk of the grid; 0 if it is not stored.
    Dense(Vec<u64>),
    /// Linear index and packed word of each stored chunk, sorted.
    Sparse { index: Vec<u64>, word: Vec<u64> },
}

/// Set in a packed word if no filter was applied.
const UNFILTERED: u64 = 1 << 63;
/// A grid of up to this many times the stored chunks is kept as a dense array.
const DENSE_RATIO: u64 = 4;
/// A grid of up to this many chunks is always kept as a dense array.
const DENSE_CHUNKS_MIN: u64 = 1024;

impl ChunkMap {
    /// A map in which every chunk is stored, with `stored_bytes` in total. All chunks are assumed to have the same
    /// size, so a count of driver bytes over some of the chunks is an average.
    pub fn complete(grid_chunks: u64, stored_bytes: u64) -> Self {
        let bytes = stored_bytes.checked_div(grid_chunks).unwrap_or(0);
        let longer = stored_bytes.checked_rem(grid_chunks).unwrap_or(0);
        Self {
            grid_chunks,
            stored_chunks: grid_chunks,
            stored_bytes,
            filtered_chunks: grid_chunks,
            cells: Cells::Complete { bytes, longer },
        }
    }

    /// A map of the chunks that an index lists. Chunks outside the grid (left over after a dataset shrank) are ignored;
    /// if a chunk is listed twice, the last entry counts.
    pub fn from_chunks(grid_chunks: u64, chunks: impl IntoIterator<Item = (u64, StoredChunk)>) -> Self {
        let mut listed: Vec<(u64, u64)> = chunks
            .into_iter()
            .filter(|(index, _)| *index < grid_chunks)
            .map(|(index, chunk)| {
                let flag = if chunk.is_filtered { 0 } else { UNFILTERED };
                (index, chunk.bytes.clamp(1, UNFILTERED - 1) | flag)
            })
            .collect();
        // A stable sort, so that the later of two entries for the same chunk stays later.
        listed.sort_by_key(|(index, _)| *index);
        let mut index = Vec::with_capacity(listed.len());
        let mut word: Vec<u64> = Vec::with_capacity(listed.len());
        for (i, w) in listed {
            if index.last() == Some(&i) {
                word.pop();
                index.pop();
            }
            index.push(i);
            word.push(w);
        }
        let stored_chunks = index.len() as u64;
        let stored_bytes = word.iter().fold(0u64, |sum, w| sum.saturating_add(w & !UNFILTERED));
        let filtered_chunks = word.iter().filter(|w| *w & UNFILTERED == 0).count() as u64;
        let is_dense = grid_chunks <= stored_chunks.saturating_mul(DENSE_RATIO).max(DENSE_CHUNKS_MIN);
        let cells = if is_dense {
            let mut dense = vec![0; grid_chunks as usize];
            for (i, w) in index.into_iter().zip(word) {
                dense[i as usize] = w;
            }
            Cells::Dense(dense)
        } else {
            Cells::Sparse { index, word }
        };
        Self { grid_chunks, stored_chunks, stored_bytes, filtered_chunks, cells }
    }

    /// The chunk at a linear index, or `None` if it is not stored.
    #[inline]
    pub fn get(&self, linear: u64) -> Option<StoredChunk> {
        let word = match &self.cells {
            Cells::Complete { bytes, longer } => {
                let bytes = bytes + u64::from(linear < *longer);
                return (linear < self.grid_chunks).then_some(StoredChunk { bytes, is_filtered: true });
            }
            Cells::Dense(words) => words.get(usize::try_from(linear).ok()?).copied().unwrap_or(0),
            Cells::Sparse { index, word } => word[index.binary_search(&linear).ok()?],
        };
        (word != 0).then_some(StoredChunk { bytes: word & !UNFILTERED, is_filtered: word & UNFILTERED == 0 })
    }

    /// The stored chunks, in ascending order of linear index.
    pub fn stored(&self) -> Box<dyn Iterator<Item = (u64, StoredChunk)> + '_> {
        match &self.cells {
            Cells::Complete { .. } => Box::new((0..self.grid_chunks).filter_map(|i| Some((i, self.get(i)?)))),
            Cells::Dense(words) => Box::new((0..words.len() as u64).filter_map(|i| Some((i, self.get(i)?)))),
            Cells::Sparse { index, .. } => Box::new(index.iter().filter_map(|i| Some((*i, self.get(*i)?)))),
        }
    }

    /// Number of chunks in the current extent.
    pub fn grid_chunks(&self) -> u64 {
        self.grid_chunks
    }

    /// Number of chunks that are stored.
    pub fn stored_chunks(&self) -> u64 {
        self.stored_chunks
    }

    /// Number of chunks that are stored with at least one filter applied.
    pub fn filtered_chunks(&self) -> u64 {
        self.filtered_chunks
    }

    /// Bytes of all stored chunks.
    pub fn stored_bytes(&self) -> u64 {
        self.stored_bytes
    }

    /// True if every chunk of the grid is stored.
    pub fn is_complete(&self) -> bool {
        self.stored_chunks == self.grid_chunks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(bytes: u64) -> StoredChunk {
        StoredChunk { bytes, is_filtered: true }
    }

    #[test]
    fn complete_maps_know_every_chunk() {
        let map = ChunkMap::complete(15, 152);
        assert_eq!(map.get(14), Some(chunk(10)));
        assert_eq!(map.get(1), Some(chunk(11)), "the sum is kept");
        assert_eq!(map.get(15), None);
        assert!(map.is_complete());
    }

    #[test]
    fn sparse_and_dense_maps_answer_alike() {
        let few = [(7, chunk(70)), (3, StoredChunk { bytes: 30, is_filtered: false }), (7, chunk(71))];
        let dense = ChunkMap::from_chunks(10, few);
        let sparse = ChunkMap::from_chunks(1_000_000, few);
        assert!(matches!(dense.cells, Cells::Dense(_)));
        assert!(matches!(sparse.cells, Cells::Sparse { .. }));
        for map in [dense, sparse] {
            assert_eq!(map.get(7), Some(chunk(71)), "the later entry counts");
            assert_eq!(map.get(3), Some(StoredChunk { bytes: 30, is_filtered: false }));
            assert_eq!(map.get(4), None);
            assert_eq!((map.stored_chunks(), map.filtered_chunks(), map.stored_bytes()), (2, 1, 101));
        }
    }

    #[test]
    fn chunks_outside_the_grid_do_not_count() {
        let map = ChunkMap::from_chunks(4, [(4, chunk(9)), (u64::MAX, chunk(9))]);
        assert_eq!(map.stored_chunks(), 0);
        assert_eq!(map.get(u64::MAX), None);
    }

    #[test]
    fn a_huge_empty_grid_costs_nothing() {
        let map = ChunkMap::from_chunks(u64::MAX, []);
        assert_eq!((map.grid_chunks(), map.stored_chunks()), (u64::MAX, 0));
    }
}
