//! Decoded chunks of all open files, within one budget of bytes.
//!
//! Decoding a chunk costs a hundred times what copying it costs, so a chunk that is wanted again should still be
//! here, and no two threads should decode the same one. What is kept is decided by [`policy`], on misses only:
//!
//! ```text
//! seek ─► shard (read lock) ─► hit: stamp it, done
//!                           └► miss: one thread decodes, the others wait (flight)
//!                                    └► policy (one lock): admit, evict ─► shard (write lock)
//! ```
//!
//! Time is counted in bytes decoded so far: it stands still while everything is found, so an idle hour does not
//! make a chunk old, and a burst of reads of one chunk does not make it precious.
//!
//! Locks are taken in the order policy, shard; nothing of a caller's runs under either. A `decode` closure may
//! read other chunks through the cache; where it asks for the very chunk that its thread is decoding (as a thread
//! of a work-stealing pool may), that one is decoded a second time rather than waited for.
//!
//! Not handled: chunks that are written to; the cache is for files that do not change.

mod decoded;
mod flight;
mod ghost;
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
use flight::{Lead, SharedFlight};
use policy::Policy;
use shard::{Found, Shards};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, Weak};
use sync::{Mutex, MutexGuard};

/// Which chunk. Not its address: damaged files let chunks of several datasets, with other filters, claim the same.
/// Blocks of unfiltered data are kept under keys of their own, see [`crate::plan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkKey {
    /// Unique for each opened file, never used again.
    pub file: u64,
    /// Where the object header of its dataset lies.
    pub object: u64,
    /// Number of the chunk in the dataset's grid, in row-major order.
    pub number: ChunkNumber,
}

impl ChunkKey {
    /// The key of the block of unfiltered bytes that begins at this byte of a file.
    pub fn of_block(file: u64, start: u64) -> Self {
        Self { file, object: Self::BLOCKS, number: start.into() }
    }

    /// What blocks have instead of an object: no object header lies there.
    const BLOCKS: u64 = u64::MAX;

    fn is_block(self) -> bool {
        self.object == Self::BLOCKS
    }
}

/// What a cache has done and holds. Blocks of unfiltered bytes are no chunks: they count as hits and in bytes alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Requests that were served without decoding (those that waited for another thread's decoding too).
    pub hits: u64,
    /// Requests that had to decode.
    pub misses: u64,
    /// Chunks that were decoded, prefetched ones included.
    pub decodes: u64,
    /// Chunks that made room for others.
    pub evictions: u64,
    /// Bytes of the chunks that are here.
    pub resident_bytes: usize,
    /// Chunks that are here.
    pub resident_chunks: usize,
}

/// Decoded chunks, shared by all threads. Cloning gives another handle to the same cache.
#[derive(Clone)]
pub struct ChunkCache {
    inner: Arc<Inner>,
}

struct Inner {
    shards: Shards,
    policy: Mutex<Policy>,
    /// That of the policy, for those who only ask.
    budget: AtomicUsize,
    /// Bytes decoded so far.
    clock: AtomicU64,
    /// Chunks of which every byte has been taken, oldest first. The policy looks here first for room.
    finished: Mutex<VecDeque<Weak<Decoded>>>,
    misses: AtomicU64,
    decodes: AtomicU64,
    /// Where the budget follows the memory that is free.
    rule: Option<BudgetRule>,
}

/// A budget that is asked for again whenever so many more bytes have been decoded.
struct BudgetRule {
    /// The budget of a cache that holds so many bytes.
    budget: fn(usize) -> usize,
    /// The clock at which it is asked next; [`NEVER`] once a budget was set.
    next: AtomicU64,
}

const NEVER: u64 = u64::MAX;
/// A rule is asked each time that this share of the budget was decoded, and no less often than each so many bytes: so
/// much may be kept too much, where memory is short suddenly.
const ASKED_SHARE: usize = 16;
const ASKED_BYTES: std::ops::RangeInclusive<usize> = 1 << 20..=64 << 20;

impl ChunkCache {
    /// An empty cache. With a budget of 0 nothing is kept, but threads that want the same chunk still share it.
    pub fn new(budget_bytes: usize) -> Self {
        Self::with(budget_bytes, None)
    }

    /// An empty cache whose budget follows a rule, which is told how many bytes the cache holds.
    pub fn following(budget: fn(usize) -> usize) -> Self {
        let bytes = budget(0);
        Self::with(bytes, Some(BudgetRule { budget, next: AtomicU64::new(asked_after(bytes)) }))
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

    /// Sets the budget; chunks beyond a smaller one go at once. A rule is not asked any more.
    pub fn set_budget(&self, bytes: usize) {
        self.inner.with_policy(|policy, room| {
            if let Some(rule) = &self.inner.rule {
                rule.next.store(NEVER, Relaxed);
            }
            self.inner.budget.store(bytes, Relaxed);
            policy.set_budget(bytes, room);
        });
    }

    /// The most bytes of chunks that are kept.
    pub fn budget(&self) -> usize {
        self.inner.budget.load(Relaxed)
    }

    /// The chunk if it is here. Counts as a use.
    pub fn get(&self, key: ChunkKey) -> Option<Arc<Decoded>> {
        self.inner.shards.hit(key, self.inner.now())
    }

    /// The chunk, from here, from another thread that is decoding it now, or else from `decode`. Where `decode`
    /// fails or panics, threads that waited for it try with their own. `bytes` is the most that a chunk has.
    pub fn get_or_decode<E>(
        &self,
        key: ChunkKey,
        bytes: usize,
        decode: impl FnOnce() -> Result<Decoded, E>,
    ) -> Result<Arc<Decoded>, E> {
        let inner = &self.inner;
        let lead = match self.seek(key) {
            Sought::Here(chunk) => return Ok(chunk),
            Sought::ToDecode(lead) => lead,
        };
        let count = u64::from(!key.is_block());
        inner.misses.fetch_add(count, Relaxed);
        let chunk = decode()?;
        debug_assert!(chunk.len() <= bytes, "the length of the chunk was foretold");
        let Some(lead) = lead else {
            inner.decodes.fetch_add(count, Relaxed);
            return Ok(Arc::new(chunk));
        };
        Ok(lead.land(chunk, false))
    }

    /// For a reader who wants all of a chunk. Where the chunk is neither here nor being decoded, nor worth keeping,
    /// the reader decodes it straight into its own buffer; who wants it meanwhile waits for that.
    pub fn whole(&self, key: ChunkKey, bytes: usize) -> Whole {
        match self.seek(key) {
            Sought::Here(chunk) => Whole::Here(chunk),
            Sought::ToDecode(Some(_)) if self.note_bypass(key, bytes) => Whole::Wanted,
            Sought::ToDecode(lead) => Whole::Straight(Passage { lead }),
        }
    }

    /// Looks for a chunk, and waits for it where another thread is decoding it.
    fn seek(&self, key: ChunkKey) -> Sought {
        let inner = &self.inner;
        loop {
            match inner.shards.find_or_lead(key, inner.now(), true) {
                Found::Here(chunk) => return Sought::Here(chunk),
                Found::Lead(flight) => {
                    return Sought::ToDecode(Some(Lead::new(Arc::clone(inner), key, flight)));
                }
                Found::Flying(flight) if flight.is_led_by_this_thread() => return Sought::ToDecode(None),
                Found::Flying(flight) => {
                    if let Some(chunk) = flight.wait() {
                        inner.shards.count_hit(key);
                        return Sought::Here(chunk);
                    }
                }
            }
        }
    }

    /// The chunk if it is here; not a use.
    pub fn peek(&self, key: ChunkKey) -> Option<Arc<Decoded>> {
        self.inner.shards.peek(key)
    }

    /// Whether the chunk is here; not a use.
    #[cfg(test)]
    pub fn contains(&self, key: ChunkKey) -> bool {
        self.inner.shards.peek(key).is_some()
    }

    /// The duty to decode a chunk that is neither here nor being decoded, for prefetching. Whoever wants the chunk
    /// meanwhile waits for [`Claim::fulfil`], so a claim is for a thread that decodes now, not for a queue.
    pub fn claim(&self, key: ChunkKey) -> Option<Claim> {
        match self.inner.shards.find_or_lead(key, self.inner.now(), false) {
            Found::Lead(flight) => Some(Claim { lead: Lead::new(Arc::clone(&self.inner), key, flight) }),
            Found::Here(_) | Found::Flying(_) => None,
        }
    }

    /// Notes that a chunk is about to be decoded straight into a caller's buffer, all of it. Answers true where it
    /// has been wanted before and would be kept now.
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

    /// Says that a reader took so many bytes of a chunk. Once they sum up to all of it the chunk has probably
    /// served its purpose (a walk in rows through chunks takes each byte once) and makes room before others;
    /// unless it is asked for again.
    pub fn consumed(&self, chunk: &Arc<Decoded>, bytes: usize) {
        if chunk.take(bytes) {
            lock(&self.inner.finished).push_back(Arc::downgrade(chunk));
        }
    }

    /// Drops all chunks of a file, and all that is known of them.
    pub fn remove_file(&self, file: u64) {
        self.inner.remove(|key| key.file == file);
    }

    /// Drops everything. The counts go on.
    pub fn clear(&self) {
        self.inner.remove(|_| true);
    }

    /// What the cache has done and holds.
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

/// What comes of looking for a chunk that a thread wants to read.
enum Sought {
    Here(Arc<Decoded>),
    /// It is this thread's to decode: for others too, or (`None`) while it is decoding it already.
    ToDecode(Option<Lead>),
}

/// The duty to decode one chunk; see [`ChunkCache::claim`]. Dropping it gives the duty back: whoever waits for the
/// chunk then decodes it.
pub struct Claim {
    lead: Lead,
}

impl Claim {
    /// Hands over the decoded chunk.
    pub fn fulfil(self, chunk: Decoded) {
        self.lead.land(chunk, true);
    }
}

/// What there is for a reader who wants all of a chunk; see [`ChunkCache::whole`].
pub enum Whole {
    /// The chunk is here.
    Here(Arc<Decoded>),
    /// It has been wanted before and would be kept now: better call [`ChunkCache::get_or_decode`].
    Wanted,
    /// It is the reader's to decode.
    Straight(Passage),
}

/// A chunk that is being decoded past the cache. Dropping it says that this failed: whoever waits for the chunk then
/// decodes it.
pub struct Passage {
    /// `None` where this thread is decoding the chunk already.
    lead: Option<Lead>,
}

impl Passage {
    /// The chunk has been decoded. It is copied only if others wait for it.
    pub fn end(self, decoded: &[u8]) {
        let Some(lead) = self.lead.and_then(Lead::if_awaited) else { return };
        if let Ok(mut copy) = ChunkMemory::take(decoded.len()) {
            copy.copy_from_slice(decoded);
            lead.land(Decoded::from(copy), false);
        }
    }
}

/// How many bytes are decoded until a rule is asked again.
fn asked_after(budget: usize) -> u64 {
    (budget / ASKED_SHARE).clamp(*ASKED_BYTES.start(), *ASKED_BYTES.end()) as u64
}

impl Inner {
    fn now(&self) -> u64 {
        self.clock.load(Relaxed)
    }

    /// Follows the rule of the budget, if it is time to: one thread asks, the others go on.
    fn ask_rule(&self) {
        let Some(rule) = &self.rule else { return };
        let (now, due) = (self.now(), rule.next.load(Relaxed));
        let next = now.saturating_add(asked_after(self.budget.load(Relaxed)));
        if now < due || rule.next.compare_exchange(due, next, Relaxed, Relaxed).is_err() {
            return;
        }
        let resident = self.policy().resident_bytes();
        // Asked without a lock: the answer takes system calls.
        let bytes = (rule.budget)(resident);
        self.with_policy(|policy, room| {
            // Somebody may have set a budget meanwhile.
            if rule.next.load(Relaxed) != NEVER {
                self.budget.store(bytes, Relaxed);
                policy.set_budget(bytes, room);
            }
        });
    }

    fn policy(&self) -> MutexGuard<'_, Policy> {
        lock(&self.policy)
    }

    /// Runs `f` under the policy's lock. The chunks that it puts out are freed after the lock is: giving back
    /// a megabyte to the system takes longer than all the rest.
    fn with_policy<R>(&self, f: impl FnOnce(&mut Policy, &mut Room<'_>) -> R) -> R {
        let mut policy = self.policy();
        let mut room = Room { inner: self, evicted: Vec::new() };
        let result = f(&mut policy, &mut room);
        let evicted = room.evicted;
        drop(policy);
        drop(evicted);
        result
    }

    /// A chunk has been decoded: keeps it if the policy wants it, and if nobody dropped its file meanwhile.
    fn land(
        &self,
        flight: &SharedFlight,
        key: ChunkKey,
        mut chunk: Decoded,
        prefetched: bool,
    ) -> Arc<Decoded> {
        self.decodes.fetch_add(u64::from(!key.is_block()), Relaxed);
        let bytes = chunk.len();
        self.ask_rule();
        self.with_policy(|policy, room| {
            let before = self.clock.fetch_add(bytes as u64, Relaxed);
            let ghost = policy.recall(key);
            chunk.settle(key, before + bytes as u64, ghost.map_or(0, |ghost| ghost.taken), prefetched);
            let chunk = Arc::new(chunk);
            let wanted = self.shards.is_flying(key, flight) && policy.admit(&chunk, ghost, before, room);
            if !(wanted && self.shards.keep(key, flight, &chunk)) {
                self.shards.forget_flight(key, flight);
            }
            chunk
        })
    }

    fn remove(&self, matches: impl Fn(ChunkKey) -> bool) {
        self.with_policy(|policy, room| {
            // Flights too: what lands later finds that it is not expected any more.
            self.shards.remove(&matches);
            policy.remove(&matches, &mut room.evicted);
            lock(&self.finished).retain(|chunk| chunk.upgrade().is_some_and(|chunk| chunk.is_kept()));
        });
    }
}

/// What the policy asks of the rest of the cache while it makes room.
struct Room<'a> {
    inner: &'a Inner,
    evicted: Vec<Arc<Decoded>>,
}

impl Room<'_> {
    /// Takes a chunk out of its shard.
    fn put_out(&mut self, chunk: Arc<Decoded>) {
        self.inner.shards.put_out(&chunk);
        self.evicted.push(chunk);
    }

    /// The oldest chunk of which every byte has been taken and that was not wanted since.
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

/// A panic while a lock was held (of which there is none in this module's own code) leaves nothing half done that
/// matters more than going on.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
