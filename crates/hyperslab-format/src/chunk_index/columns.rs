//! Chunks in columns: the result of a traversal of a chunk index.

/// Chunks with their coordinates in the chunk grid. Stored in columns, because a million chunks are not unusual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkColumns {
    /// The number of dimensions of the dataset.
    pub rank: usize,
    /// Coordinates in the chunk grid: `rank` numbers for each chunk.
    pub coords: Vec<u64>,
    /// Absolute offsets in the file.
    pub addresses: Vec<u64>,
    /// The stored size in bytes.
    pub stored_bytes: Vec<u64>,
    /// Bit i is set if filter i of the pipeline was skipped.
    pub filter_masks: Vec<u32>,
}

/// A row of [`ChunkColumns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// Its coordinates in the chunk grid.
    pub coords: &'a [u64],
    /// Absolute offset of its first byte in the file.
    pub address: u64,
    /// The stored size in bytes.
    pub stored_bytes: u64,
    /// Bit i is set if filter i of the pipeline was skipped.
    pub filter_mask: u32,
}

impl ChunkColumns {
    /// Columns without chunks.
    pub fn new(rank: usize) -> Self {
        let (coords, addresses, stored_bytes, filter_masks) = Default::default();
        Self { rank, coords, addresses, stored_bytes, filter_masks }
    }

    /// Number of chunks.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// Chunk `i`.
    pub fn get(&self, i: usize) -> Chunk<'_> {
        Chunk {
            coords: self.coords_of(i),
            address: self.addresses[i],
            stored_bytes: self.stored_bytes[i],
            filter_mask: self.filter_masks[i],
        }
    }

    /// All chunks.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Chunk<'_>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Appends a chunk.
    pub fn push(&mut self, chunk: Chunk<'_>) {
        self.coords.extend_from_slice(chunk.coords);
        self.addresses.push(chunk.address);
        self.stored_bytes.push(chunk.stored_bytes);
        self.filter_masks.push(chunk.filter_mask);
    }

    fn coords_of(&self, i: usize) -> &[u64] {
        &self.coords[i * self.rank..(i + 1) * self.rank]
    }
}
