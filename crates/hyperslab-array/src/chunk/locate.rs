//! Looks chunks up, walking as little of the chunk index as possible.

use super::grid::ChunkGrid;
use super::index::ChunkIndex;
use super::map::ChunkMap;
use crate::{Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Grids up to this many chunks are read whole at the first look-up.
const WHOLE_CHUNKS_MAX: u128 = 256;
/// After this many look-ups of parts, the whole index is read.
const PARTIAL_LOOKUPS_MAX: u32 = 16;

/// The chunk index of one dataset, as far as it has been read.
#[derive(Default)]
pub(crate) struct Locator {
    whole: OnceLock<Arc<ChunkMap>>,
    /// Held while the whole index is read, so that it is read once; true when that failed.
    reading: Mutex<bool>,
    partial_lookups: AtomicU32,
}

impl Locator {
    /// A locator that knows all chunks already.
    pub(crate) fn known(map: Arc<ChunkMap>) -> Self {
        Self { whole: OnceLock::from(map), ..Self::default() }
    }

    /// The chunks of a box of the grid (half-open, in chunk coordinates), or more.
    pub(crate) fn region(
        &self,
        index: &dyn ChunkIndex,
        grid: &ChunkGrid,
        region: &[(u64, u64)],
    ) -> Result<Arc<ChunkMap>> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole.clone());
        }
        let part = || ChunkMap::read(index, grid, Some(region)).map(Arc::new);
        let wanted = region.iter().fold(1u128, |n, (start, end)| n.saturating_mul(u128::from(end - start)));
        let few = wanted < grid.len() / 8;
        if grid.len() > WHOLE_CHUNKS_MAX
            && few
            && self.partial_lookups.fetch_add(1, Ordering::Relaxed) < PARTIAL_LOOKUPS_MAX
        {
            return part();
        }
        // An index that is damaged elsewhere still leads to these chunks.
        self.whole(index, grid).or_else(|_| part())
    }

    /// All chunks.
    pub(crate) fn whole(&self, index: &dyn ChunkIndex, grid: &ChunkGrid) -> Result<Arc<ChunkMap>> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole.clone());
        }
        let mut failed = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(whole) = self.whole.get() {
            return Ok(whole.clone());
        }
        if *failed {
            return Err(Error::damaged("the chunk index of this dataset is damaged"));
        }
        let map = ChunkMap::read(index, grid, None).map(Arc::new).inspect_err(|_| *failed = true)?;
        Ok(self.whole.get_or_init(|| map).clone())
    }

    /// Chunks that are known.
    pub(crate) fn known_chunks(&self) -> usize {
        self.whole.get().map_or(0, |map| map.len())
    }
}
