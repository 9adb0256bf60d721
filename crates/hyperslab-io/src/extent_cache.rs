//! The fetched bytes of all sources with latency, in one cache of the process with one budget.
//!
//! Each source has [`CachedExtents`] of its own. [`ExtentCache::trim`] drops extents of any of them, those first that were
//! not used for the longest time, until the budget is kept again. So memory stays bounded however many files are open.
//!
//! Extents that were used since the beginning of a [`Use`] that has not ended are kept, even beyond the budget: a parser
//! that lacks bytes reads what it has already read again when they were fetched, and might otherwise never finish.

use crate::PerProcess;
use crate::extents::ExtentMap;
use bytes::Bytes;
use hyperslab_units::parse_bytes;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, Weak,
};

/// The environment variable with the budget of the process, such as `1GiB`.
pub const METADATA_CACHE_VARIABLE: &str = "HYPERSLAB_METADATA_CACHE";
/// The budget if the variable is not set or not a size.
const BYTES_MAX: u64 = 512 << 20;

/// A cache of extents of many sources.
#[derive(Debug)]
pub struct ExtentCache {
    bytes_max: AtomicU64,
    bytes: AtomicU64,
    /// The time, in uses that have begun.
    clock: AtomicU64,
    /// The number of uses that began at each time and have not ended.
    uses: Mutex<BTreeMap<u64, usize>>,
    members: Mutex<Vec<Weak<Member>>>,
    trimming: Mutex<()>,
}

/// The extents of one source.
#[derive(Debug, Default)]
struct Member {
    extents: RwLock<ExtentMap>,
    /// The address of the cache that counts them. In a forked child, the cache is another one than in its parent.
    counted_by: AtomicUsize,
}

impl ExtentCache {
    /// A cache with this budget.
    pub const fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max: AtomicU64::new(bytes_max),
            bytes: AtomicU64::new(0),
            clock: AtomicU64::new(0),
            uses: Mutex::new(BTreeMap::new()),
            members: Mutex::new(Vec::new()),
            trimming: Mutex::new(()),
        }
    }

    /// The cache of this process.
    pub fn of_process() -> &'static Self {
        static CACHE: PerProcess<ExtentCache> = PerProcess::new();
        let budget = || std::env::var(METADATA_CACHE_VARIABLE).ok().and_then(|size| parse_bytes(&size).ok());
        CACHE.get(|| Self::new(budget().unwrap_or(BYTES_MAX)))
    }

    /// The budget, in bytes.
    pub fn bytes_max(&self) -> u64 {
        self.bytes_max.load(Ordering::Relaxed)
    }

    /// The bytes of all extents. Between two calls of [`Self::trim`], there may be more than the budget.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Begins a use: extents that are used from now on are kept until it ends.
    pub fn begin_use(&self) -> Use<'_> {
        let since = self.clock.fetch_add(1, Ordering::Relaxed) + 1;
        *lock(&self.uses).entry(since).or_default() += 1;
        Use { cache: self, since }
    }

    fn end_use(&self, since: u64) {
        let mut uses = lock(&self.uses);
        if let Some(count) = uses.get_mut(&since) {
            *count -= 1;
            if *count == 0 {
                uses.remove(&since);
            }
        }
    }

    fn now(&self) -> u64 {
        self.clock.load(Ordering::Relaxed)
    }

    /// Drops extents if there are more bytes than the budget: those that were not used for the longest time, until three
    /// quarters of the budget are left, so that the next ones have room.
    pub fn trim(&self) {
        let bytes_max = self.bytes_max();
        if self.bytes() <= bytes_max {
            return;
        }
        // Another thread does it already.
        let Some(_trimming) = try_lock(&self.trimming) else { return };
        let kept_since = lock(&self.uses).first_key_value().map_or(u64::MAX, |(since, _)| *since);
        let members: Vec<Arc<Member>> = {
            let mut members = lock(&self.members);
            members.retain(|member| member.strong_count() > 0);
            members.iter().filter_map(Weak::upgrade).collect()
        };
        let mut oldest_first = Vec::new();
        for (number, member) in members.iter().enumerate() {
            let unused = |&(used, ..): &(u64, u64, u64)| used < kept_since;
            let extents = member.read();
            oldest_first.extend(extents.uses().filter(unused).map(|(used, start, _)| (used, number, start)));
        }
        oldest_first.sort_unstable();
        let wanted = self.bytes().saturating_sub(bytes_max / 4 * 3);
        let mut dropped = 0;
        for (_, number, start) in oldest_first {
            if dropped >= wanted {
                break;
            }
            dropped += members[number].write().drop_unused(start, kept_since);
        }
        self.bytes.fetch_sub(dropped, Ordering::Relaxed);
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// The time from the beginning of a use of extents to its end, when it is dropped.
#[derive(Debug)]
pub struct Use<'c> {
    cache: &'c ExtentCache,
    since: u64,
}

impl Use<'_> {
    /// Ends the use and begins another one: extents that were used so far are no longer kept.
    pub fn renew(&mut self) {
        *self = self.cache.begin_use();
    }
}

impl Drop for Use<'_> {
    fn drop(&mut self) {
        self.cache.end_use(self.since);
    }
}

/// The extents of one source in a cache. They are dropped with it.
#[derive(Debug)]
pub struct CachedExtents {
    member: Arc<Member>,
    cache: fn() -> &'static ExtentCache,
}

impl CachedExtents {
    /// No extents yet, in the cache of the process.
    pub fn new() -> Self {
        Self::of(ExtentCache::of_process)
    }

    /// No extents yet, in the cache that this function returns.
    pub fn of(cache: fn() -> &'static ExtentCache) -> Self {
        Self { member: Arc::default(), cache }
    }

    /// The cache.
    pub fn cache(&self) -> &'static ExtentCache {
        (self.cache)()
    }

    /// The bytes of a range, if all of them are there.
    pub fn get(&self, at: u64, len: u64) -> Option<Bytes> {
        let now = self.cache().now();
        self.member.read().get(at, len, now)
    }

    /// Adds fetched bytes.
    pub fn insert(&self, start: u64, bytes: &Bytes) {
        let cache = self.cache();
        let mut extents = self.member.write();
        let before = extents.bytes();
        extents.insert(start, bytes, cache.now());
        let is_counted = self.member.counted_by.swap(cache.address(), Ordering::Relaxed) == cache.address();
        let added = if is_counted { extents.bytes() - before } else { extents.bytes() };
        if !is_counted {
            lock(&cache.members).push(Arc::downgrade(&self.member));
        }
        cache.bytes.fetch_add(added, Ordering::Relaxed);
    }

    /// Calls `ask` with a function that returns the parts of a range that are not there. Until `ask` returns, no extent is
    /// added or dropped.
    pub fn missing<T>(&self, ask: impl FnOnce(&dyn Fn(&Range<u64>) -> Vec<Range<u64>>) -> T) -> T {
        let extents = self.member.read();
        ask(&|range| extents.missing(range))
    }

    /// The number of bytes.
    pub fn bytes(&self) -> u64 {
        self.member.read().bytes()
    }
}

impl Default for CachedExtents {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for CachedExtents {
    fn drop(&mut self) {
        let cache = self.cache();
        // Dropped under the lock, so that `trim` does not count an extent a second time.
        let extents = std::mem::take(&mut *self.member.write());
        if self.member.counted_by.load(Ordering::Relaxed) == cache.address() {
            cache.bytes.fetch_sub(extents.bytes(), Ordering::Relaxed);
        }
    }
}

impl Member {
    fn read(&self) -> RwLockReadGuard<'_, ExtentMap> {
        self.extents.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, ExtentMap> {
        self.extents.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache of 1,000 bytes for one test.
    macro_rules! small_cache {
        () => {{
            fn cache() -> &'static ExtentCache {
                static CACHE: ExtentCache = ExtentCache::new(1000);
                &CACHE
            }
            cache
        }};
    }

    fn insert(extents: &CachedExtents, start: u64, len: usize) {
        extents.cache().begin_use();
        extents.insert(start, &Bytes::from(vec![7; len]));
    }

    fn used(extents: &CachedExtents, start: u64) -> bool {
        extents.cache().begin_use();
        extents.get(start, 1).is_some()
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_is_dropped_first_whoever_has_it() {
        let cache = small_cache!();
        let (one, other) = (CachedExtents::of(cache), CachedExtents::of(cache));
        for start in [0, 500] {
            insert(&one, start, 300);
            insert(&other, start, 200);
        }
        assert_eq!(cache().bytes(), 1000);
        cache().trim();
        assert_eq!(cache().bytes(), 1000, "the budget is kept");
        assert!(used(&one, 0));
        insert(&one, 2000, 100);
        cache().trim();
        // Of 1,100 bytes, 350 or more go: the oldest use is that of the first extent of `other`, then the second of `one`.
        assert_eq!(cache().bytes(), 600);
        assert!(used(&one, 0) && used(&other, 500) && used(&one, 2000));
        assert!(!used(&other, 0) && !used(&one, 500));
        drop(one);
        assert_eq!(cache().bytes(), 200);
    }

    #[test]
    fn what_is_in_use_is_kept_beyond_the_budget() {
        let cache = small_cache!();
        let extents = CachedExtents::of(cache);
        insert(&extents, 0, 900);
        let mut reading = cache().begin_use();
        assert!(extents.get(0, 900).is_some());
        extents.insert(5000, &Bytes::from(vec![0; 900]));
        cache().trim();
        assert_eq!(cache().bytes(), 1800);
        reading.renew();
        assert!(extents.get(5000, 1).is_some());
        cache().trim();
        assert_eq!((cache().bytes(), extents.bytes()), (900, 900));
        drop(reading);
        cache().trim();
        assert_eq!(cache().bytes(), 900, "within the budget");
    }

    #[test]
    fn the_extents_of_many_sources_share_one_budget_on_all_threads() {
        let cache = small_cache!();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                scope.spawn(move || {
                    let all: Vec<CachedExtents> = (0..50).map(|_| CachedExtents::of(cache)).collect();
                    for round in 0..200 {
                        let extents = &all[round % all.len()];
                        insert(extents, (round as u64 * 7 + thread) * 10, 50);
                        cache().trim();
                    }
                });
            }
        });
        // All of them are dropped, with what was counted for them.
        assert_eq!(cache().bytes(), 0);
        assert!(lock(&cache().uses).is_empty());
    }
}
