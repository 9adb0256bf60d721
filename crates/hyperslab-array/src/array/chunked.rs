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
    /// The file that contains them.
    pub data: Arc<DataSource>,
    /// Identifies the array among those of its file in the cache: the address of its description.
    pub object: u64,
    /// The sizes of the array along the axes, in elements.
    pub array_shape: Vec<u64>,
    /// The sizes of a chunk along the axes, in elements.
    pub shape: Vec<u64>,
    /// Bytes of an element.
    pub element_bytes: usize,
    /// Bytes of a decoded chunk.
    pub bytes: usize,
    /// The grid of chunks.
    pub grid: ChunkGrid,
    /// True if chunks that extend beyond the array are stored without filters.
    pub edge_chunks_unfiltered: bool,
    /// The filters of the chunks.
    pub filters: Arc<Filters>,
    /// The chunk index.
    pub index: Arc<dyn ChunkIndex>,
    /// The known locations of chunks, and the history of reads.
    pub state: Arc<ChunkState>,
}

/// The known locations of the chunks of an array and the history of reads, shared by all that have opened the array.
#[derive(Default)]
pub struct ChunkState {
    pub(crate) locator: Locator,
    pub(crate) readahead: Readahead,
}

impl ChunkState {
    /// The state of an array whose chunks are all known.
    pub fn known(map: Arc<ChunkMap>) -> Self {
        Self { locator: Locator::known(map), readahead: Readahead::default() }
    }

    /// The number of known chunks.
    pub fn known_chunks(&self) -> usize {
        self.locator.known_chunks()
    }
}

/// Checks that a chunk map belongs to this grid.
///
/// # Errors
/// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) with both grids.
pub fn check_grid(map: &ChunkMap, grid: &ChunkGrid) -> Result<()> {
    if map.grid() == grid {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "the chunk map is that of {:?} chunks of {:?} elements, the dataset has {:?} chunks of {:?}",
        map.grid().counts(),
        map.grid().chunk_shape(),
        grid.counts(),
        grid.chunk_shape()
    )))
}

impl Chunked {
    /// The same chunks with the locations in `map`. They do not share entries of the cache with the original ones.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the map belongs to a different grid.
    pub fn with_map(&self, map: Arc<ChunkMap>) -> Result<Self> {
        check_grid(&map, &self.grid)?;
        let data = Arc::new(DataSource::new(self.data.source.clone(), self.data.runtime.clone()));
        let state = ChunkState::known(map.clone());
        Ok(Self { data, index: map, state: Arc::new(state), ..self.clone() })
    }

    /// The key of chunk `number` in the cache.
    pub fn key(&self, number: ChunkNumber) -> ChunkKey {
        ChunkKey { file: self.data.id, epoch: self.data.source.epoch(), object: self.object, number }
    }

    /// True if the stored bytes of chunk `number` are its values: without filters, or for an edge chunk that was not
    /// filtered.
    pub fn is_raw(&self, number: ChunkNumber) -> bool {
        self.filters.is_empty()
            || self.edge_chunks_unfiltered && {
                let coordinates = self.grid.coordinates(number);
                let mut axes = coordinates.iter().zip(&self.shape).zip(&self.array_shape);
                axes.any(|((coordinate, chunk), &dim)| (coordinate + 1).saturating_mul(*chunk) > dim)
            }
    }

    /// At least the chunks in a box of the grid (the first chunk and the exclusive end along each axis).
    pub fn locate(&self, region: &[(u64, u64)]) -> Result<Arc<ChunkMap>> {
        self.state.locator.region(&*self.index, &self.grid, region)
    }

    /// All existing chunks. The first call reads the whole chunk index.
    pub fn map(&self) -> Result<Arc<ChunkMap>> {
        self.state.locator.whole(&*self.index, &self.grid)
    }
}
