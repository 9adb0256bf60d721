//! Read-ahead: detects reads that move from chunk to chunk with a constant stride, and predicts the next chunks, so
//! that other cores can decode them while the caller works with the present one.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Nothing has been read yet.
const NONE: u64 = u64::MAX;
/// The most read chunks that are remembered.
const PASSED_MAX: usize = 1 << 16;

/// The history of single-chunk reads of one dataset.
pub struct Readahead {
    /// The chunk that was read last. It is checked without a lock, because most reads stay in the same chunk.
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
    /// Chunks that were read since one was read a second time: whatever order the reads come in, these are done with.
    passed: HashSet<u64>,
}

impl State {
    /// The chunk so many steps from `last`.
    fn after(&self, last: u64, steps: u64) -> Option<u64> {
        last.checked_add_signed(self.step.checked_mul(steps as i64)?)
    }

    /// The chunks ahead of `last` that were announced.
    fn announced(&self, last: u64) -> impl Iterator<Item = u64> {
        (1..=self.ahead).map_while(move |steps| self.after(last, steps))
    }

    fn pass(&mut self, number: u64) {
        if self.passed.len() >= PASSED_MAX {
            self.passed.clear();
        }
        if !self.passed.insert(number) {
            self.passed = HashSet::from([number]);
        }
    }
}

impl Default for Readahead {
    fn default() -> Self {
        Self { last: AtomicU64::new(NONE), state: Mutex::default() }
    }
}

impl Readahead {
    /// How many chunks of so many bytes are read ahead at most: one for each thread, in a quarter of the cache.
    pub fn ahead_max(threads: usize, cache_bytes: usize, chunk_bytes: usize) -> u64 {
        threads.min(cache_bytes / 4 / chunk_bytes.max(1)) as u64
    }

    /// True for the chunk that was read last.
    pub fn is_last(&self, number: u64) -> bool {
        self.last.load(Ordering::Relaxed) == number
    }

    /// Records that chunk `number` of `count` is being read. Returns the chunks that should be fetched now, at most
    /// `ahead_max` strides away.
    pub fn touch(&self, number: u64, count: u64, ahead_max: u64) -> Vec<u64> {
        let mut state = self.state();
        let last = self.last.swap(number, Ordering::Relaxed);
        if last == number {
            return Vec::new();
        }
        state.pass(number);
        if last == NONE {
            return Vec::new();
        }
        let step = number.wrapping_sub(last) as i64;
        if step != state.step {
            (state.step, state.seen, state.ahead) = (step, 1, 0);
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
            .filter_map(|steps| state.after(number, steps))
            .filter(|next| *next < count && !state.passed.contains(next))
            .collect();
        state.ahead = state.ahead.max(wanted);
        next
    }

    /// Records that a read uses several chunks at once, which is not a part of a series: those of them that were
    /// announced are no longer expected.
    pub fn pass(&self, chunks: impl IntoIterator<Item = u64>) {
        let mut state = self.state();
        let ahead: HashSet<u64> = state.announced(self.last.load(Ordering::Relaxed)).collect();
        if !ahead.is_empty() {
            state.passed.extend(chunks.into_iter().filter(|number| ahead.contains(number)));
        }
    }

    /// True if a chunk that was announced is still ahead of the reader.
    pub fn expects(&self, number: u64) -> bool {
        let state = self.state();
        let last = self.last.load(Ordering::Relaxed);
        !state.passed.contains(&number) && state.announced(last).any(|next| next == number)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn what_was_passed_is_expected_no_more() {
        let readahead = Readahead::default();
        let expected = |readahead: &Readahead| (0..12).filter(|&n| readahead.expects(n)).collect::<Vec<_>>();
        readahead.touch(0, 12, 3);
        assert_eq!(expected(&readahead), []);
        assert_eq!(readahead.touch(1, 12, 3), [2, 3]);
        assert_eq!(expected(&readahead), [2, 3]);
        assert_eq!(readahead.touch(2, 12, 3), [4, 5]);
        assert_eq!(expected(&readahead), [3, 4, 5]);
        // The reader goes elsewhere, and comes back in the other direction.
        readahead.touch(9, 12, 3);
        assert_eq!(expected(&readahead), []);
        readahead.touch(5, 12, 3);
        readahead.touch(4, 12, 3);
        assert_eq!(expected(&readahead), []);
        assert_eq!(readahead.touch(3, 12, 3), [], "2 and 1 and 0 were read before");
        // Once more from the beginning.
        readahead.touch(0, 12, 3);
        assert_eq!(readahead.touch(1, 12, 3), [2, 3]);
        assert_eq!(expected(&readahead), [2, 3]);
    }
}
