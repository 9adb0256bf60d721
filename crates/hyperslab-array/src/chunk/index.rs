//! The interface of chunk indexes, which return the chunks of an array with their addresses, in batches.
//!
//! One implementation is the chunk index in a file. Another is a [`ChunkMap`](super::map::ChunkMap) that was made
//! earlier, from this file or elsewhere.

use crate::Result;

/// A chunk index: finds the chunks of an array in its file.
pub trait ChunkIndex: Send + Sync {
    /// Calls `each` with all existing chunks of a region, in batches. Each chunk occurs once.
    ///
    /// `region` is a box of the chunk grid: the first chunk and the end (exclusive) along each axis, in chunks. `None`
    /// is the whole grid. An index may also return chunks outside of the region.
    ///
    /// # Errors
    /// The part of the index that is damaged or could not be read, after the batches before it; or the first error of
    /// `each`, which ends the traversal.
    fn walk(
        &self,
        region: Option<&[(u64, u64)]>,
        each: &mut dyn FnMut(ChunkBatch<'_>) -> Result<()>,
    ) -> Result<()>;

    /// True if [`Self::walk`] returns the chunks in row-major order.
    fn is_row_major(&self) -> bool;
}

/// Some chunks of a dataset, in columns.
#[derive(Debug, Clone, Copy)]
pub struct ChunkBatch<'a> {
    /// Coordinates in the chunk grid: a number for each axis, chunk after chunk.
    pub coordinates: &'a [u64],
    /// Absolute offsets of the first bytes in the file.
    pub addresses: &'a [u64],
    /// The stored size of each chunk in bytes.
    pub stored_bytes: &'a [u64],
    /// Bit `i` is set if filter `i` was skipped.
    pub filter_masks: &'a [u32],
}

impl<'a> ChunkBatch<'a> {
    /// The number of chunks.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// The coordinates and the location of each chunk.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u64], Location)> + use<'a> {
        let Self { coordinates, addresses, stored_bytes, filter_masks } = *self;
        let rank = (coordinates.len() / addresses.len().max(1)).max(1);
        let columns = addresses.iter().zip(stored_bytes).zip(filter_masks);
        coordinates.chunks_exact(rank).zip(columns).map(
            |(coordinates, ((&address, &stored_bytes), &filter_mask))| {
                (coordinates, Location { address, stored_bytes, filter_mask })
            },
        )
    }
}

/// The location of a chunk in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// Absolute offset of its first byte in the file.
    pub address: u64,
    /// The stored size in bytes.
    pub stored_bytes: u64,
    /// Bit `i` is set if filter `i` was skipped.
    pub filter_mask: u32,
}

impl Location {
    /// True if its bytes end after a file of this length, as those of chunks do that have no place of their own, such as chunks in
    /// several blocks.
    pub fn is_outside(&self, file_bytes: u64) -> bool {
        self.address.saturating_add(self.stored_bytes) > file_bytes
    }
}
