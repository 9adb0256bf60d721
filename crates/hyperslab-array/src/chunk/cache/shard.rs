//! The map from keys to chunks, divided into 64 shards. Each has its own lock, and hits need only a read lock.

use super::in_flight::{InFlight, SharedInFlight};
use super::sync::{self, RwLock, RwLockReadGuard, RwLockWriteGuard, SHARDS};
use super::{ChunkKey, Decoded};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};

/// All maps.
pub(super) struct Shards {
    shards: Box<[Shard]>,
    seed: Seed,
}

/// Aligned to cache lines, so that counting in one shard does not slow down its neighbours.
#[repr(align(128))]
struct Shard {
    map: RwLock<HashMap<ChunkKey, Slot, Seed>>,
    hits: AtomicU64,
}

enum Slot {
    Cached(Arc<Decoded>),
    InFlight(SharedInFlight),
}

impl Slot {
    fn is(&self, in_flight: &SharedInFlight) -> bool {
        matches!(self, Slot::InFlight(own) if sync::Arc::ptr_eq(own, in_flight))
    }
}

/// The result of looking up a chunk.
pub(super) enum Found {
    Cached(Arc<Decoded>),
    /// A thread is decoding it.
    InFlight(SharedInFlight),
    /// The caller must decode it.
    New(SharedInFlight),
}

impl Shards {
    pub fn new() -> Self {
        let seed = Seed(RandomState::new().hash_one(0u8) | 1);
        let shard = || Shard { map: RwLock::new(HashMap::with_hasher(seed)), hits: AtomicU64::new(0) };
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), seed }
    }

    /// The chunk, if it is in the cache. Updates its time of use.
    pub fn hit(&self, key: ChunkKey, now: u64) -> Option<Arc<Decoded>> {
        let shard = self.shard(key);
        let chunk = match shard.read().get(&key) {
            Some(Slot::Cached(chunk)) => Arc::clone(chunk),
            Some(Slot::InFlight(_)) | None => return None,
        };
        chunk.touch(now);
        shard.hits.fetch_add(1, Relaxed);
        Some(chunk)
    }

    /// The chunk if it is in the cache or in flight; otherwise puts it in flight. With `by_this_thread` false, it is
    /// for a claim, and the time of use of a chunk in the cache is not changed.
    pub fn find_or_begin(&self, key: ChunkKey, now: u64, by_this_thread: bool) -> Found {
        if by_this_thread && let Some(chunk) = self.hit(key, now) {
            return Found::Cached(chunk);
        }
        let shard = self.shard(key);
        let mut map = shard.write();
        match map.get(&key) {
            Some(Slot::Cached(chunk)) => {
                if by_this_thread {
                    chunk.touch(now);
                    shard.hits.fetch_add(1, Relaxed);
                }
                Found::Cached(Arc::clone(chunk))
            }
            Some(Slot::InFlight(in_flight)) => Found::InFlight(sync::Arc::clone(in_flight)),
            None => {
                let in_flight = sync::Arc::new(InFlight::new(by_this_thread));
                map.insert(key, Slot::InFlight(sync::Arc::clone(&in_flight)));
                Found::New(in_flight)
            }
        }
    }

    /// The number of threads that wait for a chunk in flight.
    #[cfg(test)]
    pub fn waiting(&self, key: ChunkKey) -> usize {
        match self.shard(key).read().get(&key) {
            Some(Slot::InFlight(in_flight)) => sync::Arc::strong_count(in_flight) - 2,
            Some(Slot::Cached(_)) | None => 0,
        }
    }

    /// The chunk, if it is in the cache. Does not update its time of use.
    pub fn peek(&self, key: ChunkKey) -> Option<Arc<Decoded>> {
        match self.shard(key).read().get(&key) {
            Some(Slot::Cached(chunk)) => Some(Arc::clone(chunk)),
            Some(Slot::InFlight(_)) | None => None,
        }
    }

    /// True if a thread is decoding the chunk.
    pub fn is_decoding(&self, key: ChunkKey) -> bool {
        matches!(self.shard(key).read().get(&key), Some(Slot::InFlight(_)))
    }

    pub fn is_in_flight(&self, key: ChunkKey, in_flight: &SharedInFlight) -> bool {
        self.shard(key).read().get(&key).is_some_and(|slot| slot.is(in_flight))
    }

    /// Replaces the entry of a chunk in flight by the chunk, if the entry still exists.
    pub fn keep(&self, key: ChunkKey, in_flight: &SharedInFlight, chunk: &Arc<Decoded>) -> bool {
        let mut map = self.shard(key).write();
        let Some(slot) = map.get_mut(&key).filter(|slot| slot.is(in_flight)) else { return false };
        *slot = Slot::Cached(Arc::clone(chunk));
        true
    }

    /// Removes the entry of a chunk in flight, if it still exists.
    pub fn remove_in_flight(&self, key: ChunkKey, in_flight: &SharedInFlight) {
        let mut map = self.shard(key).write();
        if map.get(&key).is_some_and(|slot| slot.is(in_flight)) {
            map.remove(&key);
        }
    }

    /// Removes the entry of a chunk in flight if no thread waits for it. Returns true if none does; after that, none
    /// can.
    pub fn remove_unless_awaited(&self, key: ChunkKey, in_flight: &SharedInFlight) -> bool {
        let mut map = self.shard(key).write();
        let is_here = map.get(&key).is_some_and(|slot| slot.is(in_flight));
        // The decoding thread and this map have a reference; all other threads got theirs from this map, under this
        // lock.
        if sync::Arc::strong_count(in_flight) > 1 + usize::from(is_here) {
            return false;
        }
        if is_here {
            map.remove(&key);
        }
        true
    }

    /// Removes a chunk, if it is still in the map.
    pub fn evict(&self, chunk: &Arc<Decoded>) {
        let key = chunk.key();
        let mut map = self.shard(key).write();
        if matches!(map.get(&key), Some(Slot::Cached(other)) if Arc::ptr_eq(other, chunk)) {
            map.remove(&key);
        }
    }

    /// Removes all entries that match. The policy also owns the chunks, so none is freed here.
    pub fn remove(&self, matches: impl Fn(ChunkKey) -> bool) {
        for shard in &self.shards {
            shard.write().retain(|key, _| !matches(*key));
        }
    }

    pub fn count_hit(&self, key: ChunkKey) {
        self.shard(key).hits.fetch_add(1, Relaxed);
    }

    pub fn hits(&self) -> u64 {
        self.shards.iter().map(|shard| shard.hits.load(Relaxed)).sum()
    }

    fn shard(&self, key: ChunkKey) -> &Shard {
        // The map uses the low and the highest bits.
        &self.shards[(self.seed.hash_one(key) >> 40) as usize % SHARDS]
    }
}

impl Shard {
    fn read(&self) -> RwLockReadGuard<'_, HashMap<ChunkKey, Slot, Seed>> {
        self.map.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<ChunkKey, Slot, Seed>> {
        self.map.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hashes the three numbers of a key by folded multiplication. Addresses come from files, which may be made to
/// collide, so there is a seed.
#[derive(Clone, Copy)]
struct Seed(u64);

struct Folded(u64);

impl BuildHasher for Seed {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        Folded(self.0)
    }
}

impl Hasher for Folded {
    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value) * 0xF39C_C060_5CED_C835;
        self.0 = (product >> 64) as u64 ^ product as u64 ^ self.0.rotate_left(29);
    }

    fn write_u128(&mut self, value: u128) {
        self.write_u64(value as u64);
        self.write_u64((value >> 64) as u64);
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
