//! The chunk indexes of HDF5 as a [`ChunkIndex`].

use super::locate::ChunkIndex;
use super::map::{ChunkGrid, ChunkMap};
use crate::Result;
use crate::file::FileInner;
use hyperslab_format::chunk_index::{Extent, Walk};
use hyperslab_format::message::ChunkedLayout;
use std::sync::Arc;

/// The chunk index of one dataset of an HDF5 file.
pub(crate) struct Hdf5ChunkIndex {
    pub(crate) file: Arc<FileInner>,
    pub(crate) layout: Arc<ChunkedLayout>,
    pub(crate) dims: Vec<u64>,
    pub(crate) max_dims: Vec<Option<u64>>,
    pub(crate) filtered: bool,
    pub(crate) grid: ChunkGrid,
}

impl ChunkIndex for Hdf5ChunkIndex {
    fn read(&self, region: Option<&[(u64, u64)]>) -> Result<ChunkMap> {
        let extent = Extent {
            dims: &self.dims,
            max_dims: &self.max_dims,
            layout: &self.layout,
            filtered: self.filtered,
        };
        let mut walk = Walk::new(&extent, region);
        let table = self.file.parse(|view| walk.advance(view))?;
        if region.is_none() {
            self.file.trim();
        }
        Ok(ChunkMap::new(&table, &self.grid, self.file.superblock.base))
    }
}
