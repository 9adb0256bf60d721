//! An array that is stored in chunks.

use super::{DataSource, Filters};
use crate::Result;
use crate::chunk::cache::ChunkKey;
use crate::chunk::locate::{ChunkIndex, Locator};
use crate::chunk::map::{ChunkGrid, ChunkMap};
use crate::chunk::readahead::Readahead;
use std::sync::Arc;

/// The chunks of an array.
pub struct Chunked {
    /// The file that they lie in.
    pub data: Arc<DataSource>,
    /// Distinguishes the array from others of its file, in the cache: the address that describes it.
    pub object: u64,
    /// Sizes of the array along the axes, in elements.
    pub array_shape: Vec<u64>,
    /// Sizes of a chunk along the axes, in elements.
    pub shape: Vec<u64>,
    /// Bytes of an element.
    pub element_bytes: usize,
    /// Bytes of a decoded chunk.
    pub bytes: usize,
    /// How many chunks there are along each axis.
    pub grid: ChunkGrid,
    /// Chunks that reach beyond the array are stored without filters.
    pub edge_chunks_unfiltered: bool,
    /// The filters of the chunks.
    pub filters: Filters,
    /// Says where chunks lie.
    pub index: Arc<dyn ChunkIndex>,
    /// What is known of the chunks already.
    pub state: Arc<ChunkState>,
}

/// What has been read about the chunks of an array, shared by everything that has opened the array.
#[derive(Default)]
pub struct ChunkState {
    pub(crate) locator: Locator,
    pub(crate) readahead: Readahead,
}

impl ChunkState {
    /// How many chunks are known.
    pub fn known_chunks(&self) -> usize {
        self.locator.known_chunks()
    }
}

impl Chunked {
    /// What chunk `number` is called in the cache.
    pub fn key(&self, number: u64) -> ChunkKey {
        ChunkKey { file: self.data.id, object: self.object, number }
    }

    /// True where the stored bytes of chunk `number` are its values: without filters, or at an edge that is left
    /// unfiltered.
    pub fn is_raw(&self, number: u64) -> bool {
        self.filters.is_empty()
            || self.edge_chunks_unfiltered && {
                let coordinates = self.grid.coordinates(number);
                let mut axes = coordinates.iter().zip(&self.shape).zip(&self.array_shape);
                axes.any(|((coordinate, chunk), &dim)| (coordinate + 1).saturating_mul(*chunk) > dim)
            }
    }

    /// The chunks of a box of the grid (half-open, in chunks), or more.
    pub fn locate(&self, region: &[(u64, u64)]) -> Result<Arc<ChunkMap>> {
        self.state.locator.region(&*self.index, &self.grid, region)
    }

    /// All chunks that exist. Reads the whole chunk index (once).
    pub fn map(&self) -> Result<Arc<ChunkMap>> {
        self.state.locator.whole(&*self.index)
    }
}
