//! A decoded chunk, with what the policy knows about it.

use super::ChunkKey;
use crate::chunk::memory::ChunkMemory;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

/// The bytes of a decoded chunk.
pub struct Decoded {
    bytes: ChunkMemory,
    key: ChunkKey,
    /// Order of arrival, unique in the process.
    number: u64,
    /// When it arrived (or, prefetched, when it was first wanted).
    arrived: AtomicU64,
    /// When it was last wanted.
    stamp: AtomicU64,
    /// Under which stamp the policy has it in its order; only changed under the policy's lock.
    filed: AtomicU64,
    /// In which part of the cache; only changed under the policy's lock.
    place: AtomicU8,
    /// Bytes that readers took, over all lives of the chunk that are remembered.
    taken: AtomicU64,
    /// All bytes were taken, and it was not wanted since.
    finished: AtomicBool,
    /// Prefetched and not wanted yet.
    unused: AtomicBool,
}

/// The parts of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Place {
    /// Not in the cache.
    Outside = 0,
    /// Kept for a while, to see whether it is wanted again.
    Probation = 1,
    /// Wanted again within a time that is worth its bytes.
    Protected = 2,
}

impl Decoded {
    fn new(bytes: ChunkMemory) -> Self {
        Self {
            bytes,
            key: ChunkKey { file: 0, object: 0, number: 0 },
            number: 0,
            arrived: AtomicU64::new(0),
            stamp: AtomicU64::new(0),
            filed: AtomicU64::new(0),
            place: AtomicU8::new(Place::Outside as u8),
            taken: AtomicU64::new(0),
            finished: AtomicBool::new(false),
            unused: AtomicBool::new(false),
        }
    }

    /// Prepares a chunk that arrives now. `taken` is what readers took of it in earlier lives.
    pub(super) fn settle(&mut self, key: ChunkKey, now: u64, taken: u64, prefetched: bool) {
        static ARRIVALS: AtomicU64 = AtomicU64::new(1);
        self.key = key;
        self.number = ARRIVALS.fetch_add(1, Relaxed);
        *self.arrived.get_mut() = now;
        *self.stamp.get_mut() = now;
        *self.taken.get_mut() = taken;
        *self.unused.get_mut() = prefetched;
    }

    /// A reader wants it. Only writes what changes, so that threads that share a chunk do not fight for the line.
    pub(super) fn touch(&self, now: u64) {
        if self.stamp.load(Relaxed) != now {
            self.stamp.store(now, Relaxed);
        }
        if self.finished.load(Relaxed) {
            self.finished.store(false, Relaxed);
        }
        if self.unused.load(Relaxed) {
            self.arrived.store(now, Relaxed);
            self.unused.store(false, Relaxed);
        }
    }

    /// A reader took some bytes. True once: when the last of them went, in the first life in which that happens.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let all = self.bytes.len() as u64;
        let before = self.taken.fetch_add(bytes as u64, Relaxed);
        let last = before < all && before.saturating_add(bytes as u64) >= all;
        if last {
            self.finished.store(true, Relaxed);
        }
        last
    }

    pub(super) fn key(&self) -> ChunkKey {
        self.key
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn stamp(&self) -> u64 {
        self.stamp.load(Relaxed)
    }

    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Relaxed)
    }

    /// All of it was taken at some time.
    pub(super) fn is_spent(&self) -> bool {
        self.taken() >= self.bytes.len() as u64
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished.load(Relaxed)
    }

    /// Wanted again at a later time than it arrived. Reads in between two decodings are one use, however many.
    pub(super) fn is_reused(&self) -> bool {
        self.stamp() > self.arrived.load(Relaxed)
    }

    pub(super) fn filed(&self) -> u64 {
        self.filed.load(Relaxed)
    }

    pub(super) fn set_filed(&self, stamp: u64) {
        self.filed.store(stamp, Relaxed);
    }

    pub(super) fn is_kept(&self) -> bool {
        self.place() != Place::Outside
    }

    pub(super) fn place(&self) -> Place {
        match self.place.load(Relaxed) {
            1 => Place::Probation,
            2 => Place::Protected,
            _ => Place::Outside,
        }
    }

    pub(super) fn set_place(&self, place: Place) {
        self.place.store(place as u8, Relaxed);
    }
}

impl Deref for Decoded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<Vec<u8>> for Decoded {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(ChunkMemory::from(bytes))
    }
}

impl From<ChunkMemory> for Decoded {
    fn from(bytes: ChunkMemory) -> Self {
        Self::new(bytes)
    }
}

impl std::fmt::Debug for Decoded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Decoded({} bytes)", self.bytes.len())
    }
}
