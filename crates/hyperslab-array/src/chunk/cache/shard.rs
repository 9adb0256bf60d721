//! Where chunks are found: 64 maps, each with a lock of its own that hits only read.

use super::flight::{Flight, SharedFlight};
use super::sync::{self, RwLock, RwLockReadGuard, RwLockWriteGuard, SHARDS};
use super::{ChunkKey, Decoded};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError};

/// All maps.
pub(super) struct Shards {
    shards: Box<[Shard]>,
    seed: Seed,
}

/// On lines of its own, so that counting in one does not disturb its neighbours.
#[repr(align(128))]
struct Shard {
    map: RwLock<HashMap<ChunkKey, Slot, Seed>>,
    hits: AtomicU64,
}

enum Slot {
    Here(Arc<Decoded>),
    Flying(SharedFlight),
}

impl Slot {
    fn is(&self, flight: &SharedFlight) -> bool {
        matches!(self, Slot::Flying(own) if sync::Arc::ptr_eq(own, flight))
    }
}

/// The result of looking for a chunk.
pub(super) enum Found {
    Here(Arc<Decoded>),
    /// Someone is decoding it.
    Flying(SharedFlight),
    /// Nobody was: now the caller is.
    Lead(SharedFlight),
}

impl Shards {
    pub fn new() -> Self {
        let seed = Seed(RandomState::new().hash_one(0u8) | 1);
        let shard = || Shard { map: RwLock::new(HashMap::with_hasher(seed)), hits: AtomicU64::new(0) };
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), seed }
    }

    /// The chunk if it is here, stamped.
    pub fn hit(&self, key: ChunkKey, now: u64) -> Option<Arc<Decoded>> {
        let shard = self.shard(key);
        let chunk = match shard.read().get(&key) {
            Some(Slot::Here(chunk)) => Arc::clone(chunk),
            Some(Slot::Flying(_)) | None => return None,
        };
        chunk.touch(now);
        shard.hits.fetch_add(1, Relaxed);
        Some(chunk)
    }

    /// The chunk, or the flight it is on, or a new flight. With `by_this_thread` false it is for a claim: a chunk
    /// that is here is not touched.
    pub fn find_or_lead(&self, key: ChunkKey, now: u64, by_this_thread: bool) -> Found {
        if by_this_thread && let Some(chunk) = self.hit(key, now) {
            return Found::Here(chunk);
        }
        let shard = self.shard(key);
        let mut map = shard.write();
        match map.get(&key) {
            Some(Slot::Here(chunk)) => {
                if by_this_thread {
                    chunk.touch(now);
                    shard.hits.fetch_add(1, Relaxed);
                }
                Found::Here(Arc::clone(chunk))
            }
            Some(Slot::Flying(flight)) => Found::Flying(sync::Arc::clone(flight)),
            None => {
                let flight = sync::Arc::new(Flight::new(by_this_thread));
                map.insert(key, Slot::Flying(sync::Arc::clone(&flight)));
                Found::Lead(flight)
            }
        }
    }

    /// How many threads know of the flight that a chunk is on, besides its leader.
    #[cfg(test)]
    pub fn waiting(&self, key: ChunkKey) -> usize {
        match self.shard(key).read().get(&key) {
            Some(Slot::Flying(flight)) => sync::Arc::strong_count(flight) - 2,
            Some(Slot::Here(_)) | None => 0,
        }
    }

    /// The chunk if it is here, not stamped.
    pub fn peek(&self, key: ChunkKey) -> Option<Arc<Decoded>> {
        match self.shard(key).read().get(&key) {
            Some(Slot::Here(chunk)) => Some(Arc::clone(chunk)),
            Some(Slot::Flying(_)) | None => None,
        }
    }

    pub fn is_flying(&self, key: ChunkKey, flight: &SharedFlight) -> bool {
        self.shard(key).read().get(&key).is_some_and(|slot| slot.is(flight))
    }

    /// Puts the chunk in the place of its flight, if that is still there.
    pub fn keep(&self, key: ChunkKey, flight: &SharedFlight, chunk: &Arc<Decoded>) -> bool {
        let mut map = self.shard(key).write();
        let Some(slot) = map.get_mut(&key).filter(|slot| slot.is(flight)) else { return false };
        *slot = Slot::Here(Arc::clone(chunk));
        true
    }

    /// Removes a flight, if it is still there.
    pub fn forget_flight(&self, key: ChunkKey, flight: &SharedFlight) {
        let mut map = self.shard(key).write();
        if map.get(&key).is_some_and(|slot| slot.is(flight)) {
            map.remove(&key);
        }
    }

    /// Removes a flight, if it is still there and nobody but its leader knows of it. Answers true where nobody does,
    /// and then nobody can.
    pub fn forget_unless_awaited(&self, key: ChunkKey, flight: &SharedFlight) -> bool {
        let mut map = self.shard(key).write();
        let is_here = map.get(&key).is_some_and(|slot| slot.is(flight));
        // The leader has it, and this map; all others got theirs from this map, under this lock.
        if sync::Arc::strong_count(flight) > 1 + usize::from(is_here) {
            return false;
        }
        if is_here {
            map.remove(&key);
        }
        true
    }

    /// Removes a chunk, if it is still there.
    pub fn put_out(&self, chunk: &Arc<Decoded>) {
        let key = chunk.key();
        let mut map = self.shard(key).write();
        if matches!(map.get(&key), Some(Slot::Here(other)) if Arc::ptr_eq(other, chunk)) {
            map.remove(&key);
        }
    }

    /// Removes all chunks and flights that match. The policy holds the chunks too, so none is freed here.
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

/// Hashes the two numbers of a key by folded multiplication. Addresses come from files, which may be made to
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

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
