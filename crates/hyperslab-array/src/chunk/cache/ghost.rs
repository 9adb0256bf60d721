//! The history of chunks that are not in the cache: when they were last wanted, and how many bytes of them were read.

use super::ChunkKey;
use std::collections::{HashMap, VecDeque};

/// The history of one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ghost {
    /// The time when it was last wanted.
    pub stamp: u64,
    /// The bytes that were read of it.
    pub taken: u64,
    /// Why it is not in the cache.
    pub left: Left,
}

/// Why a chunk is not in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// It was evicted from probation before it was wanted a second time.
    CutShort,
    /// All of it had been read.
    Finished,
    /// It had not been wanted for a long time, or it was never in the cache.
    Idle,
}

/// The ghosts. The oldest are dropped first.
#[derive(Default)]
pub(super) struct Ghosts {
    known: HashMap<ChunkKey, (u64, Ghost)>,
    /// The keys in the order in which they were added. Entries whose number is not the current one are stale.
    order: VecDeque<(ChunkKey, u64)>,
    next: u64,
}

impl Ghosts {
    pub fn get(&self, key: ChunkKey) -> Option<Ghost> {
        self.known.get(&key).map(|&(_, ghost)| ghost)
    }

    pub fn take(&mut self, key: ChunkKey) -> Option<Ghost> {
        self.known.remove(&key).map(|(_, ghost)| ghost)
    }

    /// Adds a ghost, and keeps at most `max`.
    pub fn put(&mut self, key: ChunkKey, ghost: Ghost, max: usize) {
        self.next += 1;
        self.known.insert(key, (self.next, ghost));
        self.order.push_back((key, self.next));
        while self.known.len() > max {
            self.forget_oldest();
        }
        // Stale entries, of chunks that returned, are removed before they outnumber the others.
        if self.order.len() > 2 * self.known.len() + 64 {
            let known = &self.known;
            self.order.retain(|(key, number)| known.get(key).is_some_and(|(current, _)| current == number));
        }
    }

    pub fn remove(&mut self, matches: impl Fn(ChunkKey) -> bool) {
        self.known.retain(|key, _| !matches(*key));
        self.order.retain(|(key, _)| !matches(*key));
    }

    fn forget_oldest(&mut self) {
        while let Some((key, number)) = self.order.pop_front() {
            if self.known.get(&key).is_some_and(|(current, _)| *current == number) {
                self.known.remove(&key);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> ChunkKey {
        ChunkKey { file: 1, epoch: hyperslab_io::Epoch::FIRST, object: 0, number: number.into() }
    }

    fn ghost(stamp: u64) -> Ghost {
        Ghost { stamp, taken: 0, left: Left::Idle }
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut ghosts = Ghosts::default();
        for i in 0..100 {
            ghosts.put(key(i), ghost(i), 10);
        }
        assert_eq!(
            (0..100).filter(|&i| ghosts.get(key(i)).is_some()).collect::<Vec<_>>(),
            (90..100).collect::<Vec<_>>()
        );
    }

    #[test]
    fn chunks_that_come_and_go_do_not_pile_up() {
        let mut ghosts = Ghosts::default();
        for i in 0..100_000 {
            ghosts.put(key(i % 3), ghost(i), 10);
            if i % 2 == 0 {
                ghosts.take(key(i % 3));
            }
        }
        assert!(ghosts.order.len() <= 80, "{}", ghosts.order.len());
    }
}
