//! An array that is stored in chunks.

use super::{DataSource, Filters};
use crate::chunk::cache::ChunkKey;
use crate::chunk::grid::{ChunkGrid, ChunkNumber};
use crate::chunk::index::ChunkIndex;
use crate::chunk::locate::Locator;
use crate::chunk::map::ChunkMap;
use crate::chunk::readahead::Readahead;
use crate::{Error, Result};
use std::sync::Arc;

/// The chunks of an array.
#[derive(Clone)]
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
    pub filters: Arc<Filters>,
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
    /// The same chunks, where `map` says that they lie. What the cache has of others does not count for them.
    ///
    /// # Errors
    /// A map of another grid.
    pub fn with_map(&self, map: Arc<ChunkMap>) -> Result<Self> {
        if *map.grid() != self.grid {
            let what = format!(
                "the chunk map is that of {:?} chunks of {:?} elements, the dataset has {:?} chunks of {:?}",
                map.grid().counts(),
                map.grid().chunk_shape(),
                self.grid.counts(),
                self.grid.chunk_shape()
            );
            return Err(Error::invalid(what));
        }
        let data = Arc::new(DataSource::new(self.data.source.clone(), self.data.runtime.clone()));
        let state = ChunkState { locator: Locator::known(map.clone()), readahead: Readahead::default() };
        Ok(Self { data, index: map, state: Arc::new(state), ..self.clone() })
    }

    /// What chunk `number` is called in the cache.
    pub fn key(&self, number: ChunkNumber) -> ChunkKey {
        ChunkKey { file: self.data.id, object: self.object, number }
    }

    /// True where the stored bytes of chunk `number` are its values: without filters, or at an edge that is left
    /// unfiltered.
    pub fn is_raw(&self, number: ChunkNumber) -> bool {
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
        self.state.locator.whole(&*self.index, &self.grid)
    }
}
