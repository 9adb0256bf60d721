//! Looking up chunks, with as little reading of the chunk index as possible.

use super::grid::ChunkGrid;
use super::index::ChunkIndex;
use super::map::ChunkMap;
use crate::{Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// For grids of up to this many chunks, the first look-up reads the whole index.
const WHOLE_CHUNKS_MAX: u128 = 256;
/// After this many look-ups of parts of the grid, the whole index is read.
const PARTIAL_LOOKUPS_MAX: u32 = 16;

/// The parts of the chunk index of one dataset that have been read.
#[derive(Default)]
pub(crate) struct Locator {
    whole: OnceLock<Arc<ChunkMap>>,
    /// Held while the whole index is read, so that it is read once; true when that failed.
    reading: Mutex<bool>,
    partial_lookups: AtomicU32,
}

impl Locator {
    /// A locator with all chunks of a map.
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
        // If the index is damaged elsewhere, these chunks may still be found.
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

    /// The number of known chunks.
    pub(crate) fn known_chunks(&self) -> usize {
        self.whole.get().map_or(0, |map| map.len())
    }
}
