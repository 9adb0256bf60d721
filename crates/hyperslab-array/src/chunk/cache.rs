//! The chunk cache: decoded chunks of all open files, within one budget of bytes.
//!
//! Decoding a chunk takes a hundred times as long as copying it. So a chunk that is wanted again should still be in the
//! cache, and two threads should not decode the same chunk. `policy.rs` decides, on misses only, which chunks are kept:
//!
//! ```text
//! seek ─► shard (read lock) ─► hit: update its time of use
//!                           └► miss: one thread decodes, the others wait (in flight)
//!                                    └► policy (one lock): admit, evict ─► shard (write lock)
//! ```
//!
//! The clock of the cache is the number of bytes decoded so far. It stops while all chunks are found, so that an idle
//! hour does not age the chunks, and a burst of reads of one chunk counts as one use.
//!
//! Locks are taken in the order policy, shard; no code of the caller runs under a lock. A `decode` closure may read
//! other chunks through the cache. If it wants the chunk that its own thread is decoding (which can happen on a
//! work-stealing pool), that chunk is decoded a second time, because waiting would be a deadlock.
//!
//! Not handled: chunks that are written to. The cache is for files that do not change.

mod decoded;
mod ghost;
mod in_flight;
#[cfg(all(test, loom))]
mod model;
mod policy;
mod shard;
mod sync;
#[cfg(test)]
mod tests;

use super::grid::ChunkNumber;
use super::memory::ChunkMemory;
pub use decoded::Decoded;
use hyperslab_io::Epoch;
use in_flight::{DecodeGuard, SharedInFlight};
use policy::Policy;
use shard::{Found, Shards};
use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, PoisonError, Weak};
use sync::{Mutex, MutexGuard};

/// Identifies a chunk. The address would not be enough: in damaged files, chunks of several datasets with different
/// filters can have the same address. Blocks of unfiltered data have keys of their own, see [`crate::plan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkKey {
    /// The identifier of the open file, which is never reused.
    pub file: u64,
    /// The state of the file in which the chunk was read.
    pub epoch: Epoch,
    /// The address of the dataset's object header.
    pub object: u64,
    /// The number of the chunk in the dataset's grid, in row-major order.
    pub number: ChunkNumber,
}

impl ChunkKey {
    /// The key of the block of unfiltered bytes at offset `start` of a file.
    pub fn of_block(file: u64, epoch: Epoch, start: u64) -> Self {
        Self { file, epoch, object: Self::BLOCKS, number: start.into() }
    }

    /// The `object` of blocks. No object header has this address.
    const BLOCKS: u64 = u64::MAX;

    fn is_block(self) -> bool {
        self.object == Self::BLOCKS
    }
}

/// Statistics of a cache. Blocks of unfiltered bytes are not chunks: they count only as hits and in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Look-ups that did not decode, including those that waited for another thread to decode the chunk.
    pub hits: u64,
    /// Look-ups that had to decode.
    pub misses: u64,
    /// Chunks that were decoded, including prefetched ones.
    pub decodes: u64,
    /// Chunks that were evicted.
    pub evictions: u64,
    /// The bytes of the chunks in the cache.
    pub resident_bytes: usize,
    /// The number of chunks in the cache.
    pub resident_chunks: usize,
}

/// A cache of decoded chunks, shared by all threads. Clones are handles to the same cache.
#[derive(Clone)]
pub struct ChunkCache {
    inner: Arc<Inner>,
}

struct Inner {
    shards: Shards,
    policy: Mutex<Policy>,
    /// A copy of the policy's budget that can be read without a lock.
    budget: AtomicUsize,
    /// The number of bytes decoded so far.
    clock: AtomicU64,
    /// Chunks whose bytes were all read, the oldest first. The policy evicts these first.
    finished: Mutex<VecDeque<Weak<Decoded>>>,
    misses: AtomicU64,
    decodes: AtomicU64,
    /// The rule of a budget that depends on the free memory.
    rule: Option<BudgetRule>,
}

/// A budget that is computed again after a certain number of decoded bytes.
struct BudgetRule {
    /// Returns the budget. Its argument is the number of bytes in the cache.
    budget: fn(usize) -> usize,
    /// The clock at which it is called next; [`NEVER`] after a budget was set.
    next: AtomicU64,
}

const NEVER: u64 = u64::MAX;
/// A rule is evaluated each time that this share of the budget was decoded ...
const UPDATE_SHARE: usize = 16;
/// ... within these bounds in bytes. If memory suddenly becomes short, the cache is too large by at most so many bytes.
const UPDATE_BYTES: std::ops::RangeInclusive<usize> = 1 << 20..=64 << 20;

impl ChunkCache {
    /// An empty cache. With a budget of 0, no chunk is kept, but threads that want the same chunk at the same time
    /// share it.
    pub fn new(budget_bytes: usize) -> Self {
        Self::with(budget_bytes, None)
    }

    /// An empty cache whose budget is computed by a function of the number of bytes in the cache.
    pub fn following(budget: fn(usize) -> usize) -> Self {
        let bytes = budget(0);
        Self::with(bytes, Some(BudgetRule { budget, next: AtomicU64::new(update_after(bytes)) }))
    }

    fn with(budget_bytes: usize, rule: Option<BudgetRule>) -> Self {
        Self {
            inner: Arc::new(Inner {
                shards: Shards::new(),
                policy: Mutex::new(Policy::new(budget_bytes)),
                budget: AtomicUsize::new(budget_bytes),
                clock: AtomicU64::new(0),
                finished: Mutex::new(VecDeque::new()),
                misses: AtomicU64::new(0),
                decodes: AtomicU64::new(0),
                rule,
            }),
        }
    }

    /// Sets the budget. If it is smaller, chunks are evicted immediately. A rule is no longer used.
    pub fn set_budget(&self, bytes: usize) {
        self.inner.with_policy(|policy, room| {
            if let Some(rule) = &self.inner.rule {
                rule.next.store(NEVER, Relaxed);
            }
            self.inner.budget.store(bytes, Relaxed);
            policy.set_budget(bytes, room);
        });
    }

    /// The maximum number of bytes in the cache.
    pub fn budget(&self) -> usize {
        self.inner.budget.load(Relaxed)
    }

    /// The chunk, if it is in the cache. Counts as a use.
    pub fn get(&self, key: ChunkKey) -> Option<Arc<Decoded>> {
        self.inner.shards.hit(key, self.inner.now())
    }

    /// The chunk: from the cache, from another thread that is decoding it, or from `decode`. If `decode` fails or
    /// panics, threads that waited for it call their own. `bytes` is the maximum size of the chunk.
    pub fn get_or_decode<E>(
        &self,
        key: ChunkKey,
        bytes: usize,
        decode: impl FnOnce() -> Result<Decoded, E>,
    ) -> Result<Arc<Decoded>, E> {
        let inner = &self.inner;
        let guard = match self.seek(key) {
            Lookup::Cached(chunk) => return Ok(chunk),
            Lookup::ToDecode(guard) => guard,
        };
        let count = u64::from(!key.is_block());
        inner.misses.fetch_add(count, Relaxed);
        let chunk = decode()?;
        debug_assert!(chunk.len() <= bytes, "the chunk is not larger than announced");
        let Some(guard) = guard else {
            inner.decodes.fetch_add(count, Relaxed);
            return Ok(Arc::new(chunk));
        };
        Ok(guard.complete(chunk, false))
    }

    /// Looks up a chunk for a reader that wants all of it. If the chunk is not in the cache, not being decoded and not
    /// worth keeping, the reader decodes it directly into its own buffer. Other readers wait for that.
    pub fn whole(&self, key: ChunkKey, bytes: usize) -> WholeChunk {
        match self.seek(key) {
            Lookup::Cached(chunk) => WholeChunk::Cached(chunk),
            Lookup::ToDecode(Some(_)) if self.note_bypass(key, bytes) => WholeChunk::Wanted,
            Lookup::ToDecode(guard) => WholeChunk::Bypass(BypassGuard { guard }),
        }
    }

    /// Looks up a chunk, and waits for it if another thread is decoding it.
    fn seek(&self, key: ChunkKey) -> Lookup {
        let inner = &self.inner;
        loop {
            match inner.shards.find_or_begin(key, inner.now(), true) {
                Found::Cached(chunk) => return Lookup::Cached(chunk),
                Found::New(in_flight) => {
                    return Lookup::ToDecode(Some(DecodeGuard::new(Arc::clone(inner), key, in_flight)));
                }
                Found::InFlight(in_flight) if in_flight.is_decoded_by_this_thread() => {
                    return Lookup::ToDecode(None);
                }
                Found::InFlight(in_flight) => {
                    if let Some(chunk) = in_flight.wait() {
                        inner.shards.count_hit(key);
                        return Lookup::Cached(chunk);
                    }
                }
            }
        }
    }

    /// The chunk, if it is in the cache. Does not count as a use.
    pub fn peek(&self, key: ChunkKey) -> Option<Arc<Decoded>> {
        self.inner.shards.peek(key)
    }

    /// True if a thread is decoding the chunk: whoever wants it then waits for that thread.
    pub fn is_decoding(&self, key: ChunkKey) -> bool {
        self.inner.shards.is_decoding(key)
    }

    /// True if the chunk is in the cache. Does not count as a use.
    #[cfg(test)]
    pub fn contains(&self, key: ChunkKey) -> bool {
        self.inner.shards.peek(key).is_some()
    }

    /// Claims a chunk for prefetching, if it is neither in the cache nor being decoded. Other threads that want the
    /// chunk wait for [`Claim::fulfil`], so the thread must decode it immediately.
    pub fn claim(&self, key: ChunkKey) -> Option<Claim> {
        match self.inner.shards.find_or_begin(key, self.inner.now(), false) {
            Found::New(in_flight) => {
                Some(Claim { guard: DecodeGuard::new(Arc::clone(&self.inner), key, in_flight) })
            }
            Found::Cached(_) | Found::InFlight(_) => None,
        }
    }

    /// Records that a whole chunk is about to be decoded directly into a caller's buffer. Returns true if the chunk was
    /// wanted before and would be kept now.
    fn note_bypass(&self, key: ChunkKey, bytes: usize) -> bool {
        let mut policy = self.inner.policy();
        let now = self.inner.now();
        if policy.wants(key, bytes, now) {
            return true;
        }
        self.inner.clock.fetch_add(bytes as u64, Relaxed);
        policy.saw_whole(key, now + bytes as u64);
        false
    }

    /// Records that a reader has read `bytes` bytes of a chunk. Once their sum is the size of the chunk, it is probably
    /// no longer needed (reading row by row reads each byte once) and is evicted before others, unless it is wanted
    /// again.
    pub fn consumed(&self, chunk: &Arc<Decoded>, bytes: usize) {
        if chunk.take(bytes) {
            lock(&self.inner.finished).push_back(Arc::downgrade(chunk));
        }
    }

    /// Records the same of a block of unfiltered bytes, which costs little to fetch again: once all of it was read, it
    /// is dropped, so that the next block of a walk goes to the same memory, which the processor still has near. True
    /// for the first read of the block.
    pub fn consumed_block(&self, block: &Arc<Decoded>, bytes: usize) -> bool {
        let is_first = block.taken() == 0;
        if block.take(bytes) {
            self.inner.with_policy(|policy, room| policy.release(Arc::clone(block), room));
        }
        is_first
    }

    /// Removes all chunks of a file, and the history of them.
    pub fn remove_file(&self, file: u64) {
        self.inner.remove(|key| key.file == file);
    }

    /// Removes all chunks. The statistics are kept.
    pub fn clear(&self) {
        self.inner.remove(|_| true);
    }

    /// The statistics.
    pub fn stats(&self) -> Stats {
        let policy = self.inner.policy();
        Stats {
            hits: self.inner.shards.hits(),
            misses: self.inner.misses.load(Relaxed),
            decodes: self.inner.decodes.load(Relaxed),
            evictions: policy.evictions(),
            resident_bytes: policy.resident_bytes(),
            resident_chunks: policy.resident_chunks(),
        }
    }
}

impl std::fmt::Debug for ChunkCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChunkCache").field("budget", &self.budget()).field("stats", &self.stats()).finish()
    }
}

/// The result of looking up a chunk that a thread wants to read.
enum Lookup {
    Cached(Arc<Decoded>),
    /// This thread must decode it, also for other threads; `None` if this thread is already decoding it.
    ToDecode(Option<DecodeGuard>),
}

/// The right and the duty to decode one chunk; see [`ChunkCache::claim`]. If it is dropped, a waiting thread decodes
/// the chunk.
pub struct Claim {
    guard: DecodeGuard,
}

impl Claim {
    /// Adds the decoded chunk to the cache.
    pub fn fulfil(self, chunk: Decoded) {
        self.guard.complete(chunk, true);
    }
}

/// The result of [`ChunkCache::whole`], for a reader that wants all of a chunk.
pub enum WholeChunk {
    /// The chunk is in the cache.
    Cached(Arc<Decoded>),
    /// It was wanted before and would be kept now: [`ChunkCache::get_or_decode`] should be called.
    Wanted,
    /// The reader must decode it.
    Bypass(BypassGuard),
}

/// A chunk that is being decoded without adding it to the cache. If the guard is dropped without [`Self::end`],
/// decoding has failed, and a waiting thread decodes the chunk.
pub struct BypassGuard {
    /// `None` if this thread is already decoding the chunk.
    guard: Option<DecodeGuard>,
}

impl BypassGuard {
    /// The chunk has been decoded. It is copied only if other threads wait for it.
    pub fn end(self, decoded: &[u8]) {
        let Some(guard) = self.guard.and_then(DecodeGuard::if_awaited) else { return };
        if let Ok(mut copy) = ChunkMemory::take(decoded.len()) {
            copy.copy_from_slice(decoded);
            guard.complete(Decoded::from(copy), false);
        }
    }
}

/// The number of bytes that are decoded until a rule is evaluated again.
fn update_after(budget: usize) -> u64 {
    (budget / UPDATE_SHARE).clamp(*UPDATE_BYTES.start(), *UPDATE_BYTES.end()) as u64
}

impl Inner {
    fn now(&self) -> u64 {
        self.clock.load(Relaxed)
    }

    /// Evaluates the rule of the budget if it is due. One thread does so, the others continue.
    fn evaluate_rule(&self) {
        let Some(rule) = &self.rule else { return };
        let (now, due) = (self.now(), rule.next.load(Relaxed));
        let next = now.saturating_add(update_after(self.budget.load(Relaxed)));
        if now < due || rule.next.compare_exchange(due, next, Relaxed, Relaxed).is_err() {
            return;
        }
        let resident = self.policy().resident_bytes();
        // Without a lock, because the rule makes system calls.
        let bytes = (rule.budget)(resident);
        self.with_policy(|policy, room| {
            // A budget may have been set in the meantime.
            if rule.next.load(Relaxed) != NEVER {
                self.budget.store(bytes, Relaxed);
                policy.set_budget(bytes, room);
            }
        });
    }

    fn policy(&self) -> MutexGuard<'_, Policy> {
        lock(&self.policy)
    }

    /// Runs `f` under the policy's lock. The chunks that it evicts are freed after the lock is released, because
    /// returning a megabyte to the system takes longer than everything else.
    fn with_policy<R>(&self, f: impl FnOnce(&mut Policy, &mut Evictor<'_>) -> R) -> R {
        let mut policy = self.policy();
        let mut room = Evictor { inner: self, evicted: Vec::new() };
        let result = f(&mut policy, &mut room);
        let evicted = room.evicted;
        drop(policy);
        drop(evicted);
        result
    }

    /// Adds a decoded chunk to the cache if the policy admits it, and if its file was not removed in the meantime.
    fn complete(
        &self,
        in_flight: &SharedInFlight,
        key: ChunkKey,
        mut chunk: Decoded,
        prefetched: bool,
    ) -> Arc<Decoded> {
        self.decodes.fetch_add(u64::from(!key.is_block()), Relaxed);
        let bytes = chunk.len();
        self.evaluate_rule();
        self.with_policy(|policy, room| {
            let before = self.clock.fetch_add(bytes as u64, Relaxed);
            let ghost = policy.recall(key);
            chunk.keep(key, before + bytes as u64, ghost.map_or(0, |ghost| ghost.taken), prefetched);
            let chunk = Arc::new(chunk);
            let wanted =
                self.shards.is_in_flight(key, in_flight) && policy.admit(&chunk, ghost, before, room);
            if !(wanted && self.shards.keep(key, in_flight, &chunk)) {
                self.shards.remove_in_flight(key, in_flight);
            }
            chunk
        })
    }

    fn remove(&self, matches: impl Fn(ChunkKey) -> bool) {
        self.with_policy(|policy, room| {
            // Including chunks in flight: when they are decoded, they are no longer expected.
            self.shards.remove(&matches);
            policy.remove(&matches, &mut room.evicted);
            lock(&self.finished).retain(|chunk| chunk.upgrade().is_some_and(|chunk| chunk.is_kept()));
        });
    }
}

/// The parts of the cache that the policy uses to evict chunks.
struct Evictor<'a> {
    inner: &'a Inner,
    evicted: Vec<Arc<Decoded>>,
}

impl Evictor<'_> {
    /// Removes a chunk from its shard.
    fn evict(&mut self, chunk: Arc<Decoded>) {
        self.inner.shards.evict(&chunk);
        self.evicted.push(chunk);
    }

    /// The oldest chunk whose bytes were all read and that was not wanted since.
    fn next_finished(&mut self) -> Option<Arc<Decoded>> {
        let mut finished = lock(&self.inner.finished);
        while let Some(chunk) = finished.pop_front() {
            if let Some(chunk) = chunk.upgrade().filter(|chunk| chunk.is_finished()) {
                return Some(chunk);
            }
        }
        None
    }
}

/// Locks a mutex, even if a thread panicked while holding it: no code in this module panics under a lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
