//! Which chunks were loaded lately: loading them again is faster, because the processor's cache still has their bytes.

use std::collections::{HashMap, VecDeque};

/// A chunk is near if no more than this was loaded since it was loaded last.
pub(super) const NEAR_BYTES: u64 = 6 << 20;
/// Chunks that are remembered at most.
const CHUNKS_MAX: usize = 1 << 16;
/// Smaller chunks are not remembered and count as near: they cost so much more by the load than by the byte that the
/// difference is not felt.
const REMEMBERED_BYTES_MIN: u64 = 1 << 10;

/// The chunks loaded within the last [`NEAR_BYTES`] of loads.
#[derive(Debug, Clone, Default)]
pub(super) struct RecentLoads {
    /// Bytes loaded since the dataset was opened.
    loaded: u64,
    /// Chunks in the order of their loads, with `loaded` as it was after each.
    order: VecDeque<(u64, u64)>,
    /// `loaded` after the last load of each chunk in `order`.
    last: HashMap<u64, u64>,
}

impl RecentLoads {
    /// A load that is not remembered.
    pub(super) fn pass(&mut self, bytes: u64) {
        self.loaded = self.loaded.saturating_add(bytes);
    }

    /// A load of `chunk`; returns true if it is near.
    pub(super) fn load(&mut self, chunk: u64, bytes: u64) -> bool {
        if bytes < REMEMBERED_BYTES_MIN {
            self.pass(bytes);
            return true;
        }
        while let Some(&(oldest, at)) = self.order.front() {
            if self.loaded - at <= NEAR_BYTES && self.order.len() < CHUNKS_MAX {
                break;
            }
            self.order.pop_front();
            if self.last.get(&oldest) == Some(&at) {
                self.last.remove(&oldest);
            }
        }
        self.loaded = self.loaded.saturating_add(bytes);
        self.order.push_back((chunk, self.loaded));
        self.last.insert(chunk, self.loaded).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_near_until_too_much_was_loaded_since() {
        let mut recent = RecentLoads::default();
        assert!(!recent.load(1, 1 << 20));
        assert!(!recent.load(2, 1 << 20));
        assert!(recent.load(1, 1 << 20));
        recent.pass(NEAR_BYTES - (1 << 20));
        assert!(recent.load(1, 1 << 20));
        recent.pass(NEAR_BYTES);
        assert!(!recent.load(2, 1 << 20));
        recent.pass(1);
        assert!(recent.load(2, REMEMBERED_BYTES_MIN));
        assert!(recent.load(3, REMEMBERED_BYTES_MIN - 1), "too small to matter");
    }
}
