//! The chunk index of a dataset in an HDF5 file, as a [`ChunkIndex`].

use super::file::Hdf5File;
use crate::Result;
use hyperslab_array::chunk::index::{ChunkBatch, ChunkIndex};
use hyperslab_format::chunk_index::{ChunkColumns, ChunkWalk, Extent};
use hyperslab_format::message::ChunkedLayout;
use std::sync::Arc;

/// The chunk index that a data layout message describes, of any of HDF5's kinds.
pub(crate) struct Hdf5ChunkIndex {
    file: Arc<Hdf5File>,
    layout: Arc<ChunkedLayout>,
    dims: Vec<u64>,
    max_dims: Vec<Option<u64>>,
    is_filtered: bool,
}

impl Hdf5ChunkIndex {
    /// The index of a dataset with these sizes and maximum sizes, in elements. `is_filtered` is true if the dataset has
    /// filters.
    pub(crate) fn new(
        file: Arc<Hdf5File>,
        layout: Arc<ChunkedLayout>,
        dims: &[u64],
        max_dims: &[Option<u64>],
        is_filtered: bool,
    ) -> Self {
        Self { file, layout, dims: dims.to_vec(), max_dims: max_dims.to_vec(), is_filtered }
    }

    fn begin(&self, region: Option<&[(u64, u64)]>) -> ChunkWalk {
        let Self { dims, max_dims, layout, is_filtered, .. } = self;
        ChunkWalk::new(&Extent { dims, max_dims, layout, filtered: *is_filtered }, region)
    }
}

impl ChunkIndex for Hdf5ChunkIndex {
    fn walk(
        &self,
        region: Option<&[(u64, u64)]>,
        each: &mut dyn FnMut(ChunkBatch<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut walk = self.begin(region);
        let walked = self.file.parse_in_passing(|view| walk.advance(view), |found| each(batch(&found)));
        if region.is_none() {
            self.file.metadata.trim();
        }
        walked
    }

    fn is_row_major(&self) -> bool {
        self.begin(None).is_row_major()
    }
}

fn batch(found: &ChunkColumns) -> ChunkBatch<'_> {
    ChunkBatch {
        coordinates: &found.coords,
        addresses: &found.addresses,
        stored_bytes: &found.stored_bytes,
        filter_masks: &found.filter_masks,
    }
}
