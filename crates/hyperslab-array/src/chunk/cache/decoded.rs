//! A decoded chunk, with the state that the policy needs.

use super::ChunkKey;
use crate::chunk::memory::ChunkMemory;
use std::ops::Deref;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

/// The bytes of a decoded chunk.
pub struct Decoded {
    bytes: ChunkMemory,
    key: ChunkKey,
    /// A number in the order of arrival, unique in the process.
    number: u64,
    /// The time when it was added or, if it was prefetched, first wanted.
    arrived: AtomicU64,
    /// The time when it was last wanted.
    stamp: AtomicU64,
    /// The time under which the policy has it in its order. Only changed under the policy's lock.
    filed: AtomicU64,
    /// The part of the cache that contains it. Only changed under the policy's lock.
    residence: AtomicU8,
    /// The bytes that readers have read, including earlier times in the cache that are remembered.
    taken: AtomicU64,
    /// True if all bytes were read and it was not wanted since.
    finished: AtomicBool,
    /// True if it was prefetched and not wanted yet.
    unused: AtomicBool,
}

/// The parts of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Residence {
    /// Not in the cache.
    Outside = 0,
    /// In probation: kept for a while to see whether it is wanted again.
    Probation = 1,
    /// Protected: it was wanted again within a time that is worth its bytes.
    Protected = 2,
}

impl Decoded {
    fn new(bytes: ChunkMemory) -> Self {
        Self {
            bytes,
            key: ChunkKey { file: 0, epoch: hyperslab_io::Epoch::FIRST, object: 0, number: 0 },
            number: 0,
            arrived: AtomicU64::new(0),
            stamp: AtomicU64::new(0),
            filed: AtomicU64::new(0),
            residence: AtomicU8::new(Residence::Outside as u8),
            taken: AtomicU64::new(0),
            finished: AtomicBool::new(false),
            unused: AtomicBool::new(false),
        }
    }

    /// Prepares a chunk that is added now. `taken` is the number of bytes that were read of it before.
    pub(super) fn keep(&mut self, key: ChunkKey, now: u64, taken: u64, prefetched: bool) {
        static ARRIVALS: AtomicU64 = AtomicU64::new(1);
        self.key = key;
        self.number = ARRIVALS.fetch_add(1, Relaxed);
        *self.arrived.get_mut() = now;
        *self.stamp.get_mut() = now;
        *self.taken.get_mut() = taken;
        *self.unused.get_mut() = prefetched;
    }

    /// Records that a reader wants it. Only writes values that change, so that threads that share a chunk do not
    /// contend for the cache line.
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

    /// Records that a reader has read some bytes. Returns true once: when all bytes have been read for the first time.
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

    /// True if all of it was read at some time.
    pub(super) fn is_spent(&self) -> bool {
        self.taken() >= self.bytes.len() as u64
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished.load(Relaxed)
    }

    /// True if it was wanted again at a later time than it was added. All reads between two decodings are one use.
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
        self.residence() != Residence::Outside
    }

    pub(super) fn residence(&self) -> Residence {
        match self.residence.load(Relaxed) {
            1 => Residence::Probation,
            2 => Residence::Protected,
            _ => Residence::Outside,
        }
    }

    pub(super) fn set_residence(&self, residence: Residence) {
        self.residence.store(residence as u8, Relaxed);
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
