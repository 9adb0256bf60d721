//! Notices reads that move from chunk to chunk in equal steps, and says which chunks come next, so that they can be
//! decoded on other cores while the caller is still busy with this one.

use crate::dataset::DatasetInner;
use crate::plan::ChunkStep;
use crate::process;
use crate::read::chunked;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Nothing has been read yet.
const NONE: u64 = u64::MAX;

/// The history of single-chunk reads of one dataset.
pub(crate) struct Readahead {
    /// The chunk read last; checked without a lock, because most reads stay in their chunk.
    last: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    step: i64,
    /// How many steps of this size were seen in a row.
    seen: u32,
    /// Chunks ahead of `last` that were already announced.
    ahead: u64,
}

impl Default for Readahead {
    fn default() -> Self {
        Self { last: AtomicU64::new(NONE), state: Mutex::default() }
    }
}

impl Readahead {
    /// Starts decoding, on other threads, the chunks that will be wanted after this one.
    pub(crate) fn follow(&self, dataset: &Arc<DatasetInner>, chunk: &ChunkStep, count: u64) {
        // Most reads stay in their chunk: for them this one load is all.
        if self.last.load(Ordering::Relaxed) == chunk.number {
            return;
        }
        // Chunks that are not decoded need no other core, and a cache without room keeps nothing ahead.
        let cache = dataset.file.cache();
        let room = cache.budget() / 4 / dataset.chunk_bytes().max(1);
        if chunk.is_raw || room == 0 {
            return;
        }
        let ahead_max = process::thread_count().min(room) as u64;
        for number in self.touch(chunk.number, count, ahead_max) {
            let dataset = dataset.clone();
            process::spawn(move || decode_ahead(&dataset, number));
        }
    }

    /// Tells that chunk `number` of `count` is being read. Answers with the chunks that should be fetched now, at
    /// most `ahead_max` steps away.
    pub(crate) fn touch(&self, number: u64, count: u64, ahead_max: u64) -> Vec<u64> {
        if self.last.load(Ordering::Relaxed) == number {
            return Vec::new();
        }
        // Another thread is here: two readers, no common direction to follow.
        let Ok(mut state) = self.state.try_lock() else { return Vec::new() };
        let last = self.last.swap(number, Ordering::Relaxed);
        if last == NONE || last == number {
            return Vec::new();
        }
        let step = number.wrapping_sub(last) as i64;
        if step != state.step {
            *state = State { step, seen: 1, ahead: 0 };
            // One step to the next chunk is already a strong hint; other steps must repeat.
            if step != 1 {
                return Vec::new();
            }
        } else {
            state.seen = state.seen.saturating_add(1);
            state.ahead = state.ahead.saturating_sub(1);
        }
        let wanted = ahead_max.min(1 << state.seen.min(16));
        let next: Vec<u64> = (state.ahead + 1..=wanted)
            .filter_map(|steps| number.checked_add_signed(step.checked_mul(steps as i64)?))
            .filter(|&next| next < count)
            .collect();
        state.ahead = state.ahead.max(wanted);
        next
    }
}

/// Decodes one chunk into the cache. A failure is left to the read that will want the chunk.
fn decode_ahead(dataset: &DatasetInner, number: u64) {
    let coordinates: Vec<_> = dataset.chunk_coordinates(number).iter().map(|&c| (c, c + 1)).collect();
    let Ok(map) = dataset.locate(&coordinates) else { return };
    let Some(location) = map.get(number).filter(|_| !dataset.is_raw(number)) else { return };
    let key = dataset.chunk_key(number);
    let Some(claim) = dataset.file.cache().claim(key) else { return };
    if let Ok(decoded) = chunked::decode_to_keep(dataset, number, location, None) {
        claim.fulfil(decoded);
    }
}

#[cfg(test)]
mod tests {
    use super::Readahead;

    #[test]
    fn follows_a_walk_and_announces_every_chunk_once() {
        let readahead = Readahead::default();
        let announced: Vec<Vec<u64>> = (0..6).map(|chunk| readahead.touch(chunk, 6, 2)).collect();
        assert_eq!(announced, [vec![], vec![2, 3], vec![4], vec![5], vec![], vec![]]);
    }

    #[test]
    fn follows_strides_backwards_and_gives_up_on_jumps() {
        let readahead = Readahead::default();
        assert!(readahead.touch(20, 21, 2).is_empty());
        assert!(readahead.touch(15, 21, 2).is_empty());
        assert!(readahead.touch(15, 21, 2).is_empty());
        assert_eq!(readahead.touch(10, 21, 2), [5, 0]);
        assert!(readahead.touch(3, 21, 2).is_empty());
        assert!(readahead.touch(19, 21, 2).is_empty());
    }
}
