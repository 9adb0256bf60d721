//! What a chunk index is: something that says where the chunks of an array lie, in batches.
//!
//! The index of an HDF5 file is one implementation ([`super::hdf5_index`]); a [`ChunkMap`](crate::ChunkMap) that was
//! made earlier, from this file or elsewhere, is another.

use crate::Result;

/// Where the chunks of an array lie.
pub trait ChunkIndex: Send + Sync {
    /// Hands over all existing chunks of a region, batch by batch while they are found, each chunk once.
    ///
    /// `region` is a box of the chunk grid: from (included) and to (not included) along each axis, in chunks; `None`
    /// is the whole grid. An index may hand over chunks outside of the region as well.
    ///
    /// # Errors
    /// What of the index is damaged or could not be read, after the batches before it; and the first error of `each`,
    /// which ends the walk.
    fn walk(
        &self,
        region: Option<&[(u64, u64)]>,
        each: &mut dyn FnMut(ChunkBatch<'_>) -> Result<()>,
    ) -> Result<()>;

    /// True where [`Self::walk`] hands the chunks over in row-major order.
    fn is_row_major(&self) -> bool;
}

/// Some chunks of a dataset, in columns.
#[derive(Debug, Clone, Copy)]
pub struct ChunkBatch<'a> {
    /// Places in the chunk grid, in chunks: a number along each axis, chunk after chunk.
    pub coordinates: &'a [u64],
    /// Absolute offsets of the first bytes in the file.
    pub addresses: &'a [u64],
    /// Bytes that each chunk takes in the file.
    pub stored_bytes: &'a [u64],
    /// Bit `i` is set where filter `i` was skipped.
    pub filter_masks: &'a [u32],
}

impl<'a> ChunkBatch<'a> {
    /// How many chunks.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// Coordinates and location of each chunk.
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

/// A chunk that exists in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// Absolute offset of its first byte in the file.
    pub address: u64,
    /// Bytes that it takes in the file.
    pub stored_bytes: u64,
    /// Bit `i` is set where filter `i` was skipped.
    pub filter_mask: u32,
}
