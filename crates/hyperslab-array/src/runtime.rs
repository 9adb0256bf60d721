//! The resources of the process that reads use: threads and a chunk cache. A forked child cannot use those of its
//! parent: the threads do not exist in it, and chunks that they were decoding will never be complete. So it creates its
//! own when they are first used.

use crate::chunk::cache::ChunkCache;
use crate::{Error, Result, environment};
use hyperslab_io::PerProcess;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The cache and the threads that reads of a file use.
#[derive(Clone)]
pub struct Runtime {
    cache: Cache,
    threads_max: usize,
}

/// A cache that is looked up at each use, because a forked child has a different one than its parent.
#[derive(Clone)]
enum Cache {
    /// That of the process.
    Shared(fn() -> &'static ChunkCache),
    /// One that only files with this runtime use, with its budget.
    Own(Arc<PerProcess<ChunkCache>>, usize),
}

impl Runtime {
    /// The threads of the process, and this cache of it.
    pub(crate) fn new(cache: fn() -> &'static ChunkCache) -> Self {
        Self { cache: Cache::Shared(cache), threads_max: usize::MAX }
    }

    /// The same with its own cache of `bytes` bytes.
    pub fn with_cache_bytes(self, bytes: usize) -> Self {
        Self { cache: Cache::Own(Arc::new(PerProcess::new()), bytes), ..self }
    }

    /// The same with at most `threads_max` of the process's threads.
    pub fn with_threads(self, threads_max: usize) -> Self {
        Self { threads_max, ..self }
    }

    /// The cache of decoded chunks.
    pub fn cache(&self) -> &ChunkCache {
        match &self.cache {
            Cache::Shared(cache) => cache(),
            Cache::Own(cache, bytes) => cache.get(|| ChunkCache::new(*bytes)),
        }
    }

    /// The number of threads that decode, including the calling thread.
    pub fn thread_count(&self) -> usize {
        thread_count().min(self.threads_max)
    }

    /// Does `work` for each item, as [`for_each`].
    pub(crate) fn for_each<T: Sync>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> Result<()> + Sync,
    ) -> Result<()> {
        for_each(self.threads_max, items, work)
    }

    /// What `work` makes of each item, in the order of the items; done as [`for_each`] does it.
    pub fn map<T: Sync, R: Send>(&self, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
        let places: Vec<(&T, Mutex<Option<R>>)> = items.iter().map(|item| (item, Mutex::new(None))).collect();
        let done = self.for_each(&places, |(item, place)| {
            let made = work(item);
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
            Ok(())
        });
        debug_assert!(done.is_ok(), "no item fails");
        let made =
            places.into_iter().map(|(_, place)| place.into_inner().unwrap_or_else(PoisonError::into_inner));
        made.flatten().collect()
    }

    /// Calls `work` here, with a function that starts tasks on the other threads, and returns when `work` and all of
    /// them have ended. Where there are no other threads, a task runs when it is started.
    pub(crate) fn scope<'s, R>(&self, work: impl FnOnce(&dyn Fn(Box<dyn FnOnce() + Send + 's>)) -> R) -> R {
        match threads().filter(|_| self.threads_max > 1) {
            None => work(&|task| task()),
            Some(threads) => threads.in_place_scope(|scope| work(&|task| scope.spawn(move |_| task()))),
        }
    }

    /// Starts `work` on another thread, as [`spawn`].
    pub(crate) fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        if self.threads_max > 1 {
            spawn(work);
        }
    }
}

/// The threads that decode; `None` where the caller's is the only one.
type Threads = Option<Arc<ThreadPool>>;

fn current() -> &'static RwLock<Threads> {
    static THREADS: PerProcess<RwLock<Threads>> = PerProcess::new();
    // If the system cannot start threads, the calling thread works alone.
    THREADS.get(|| RwLock::new(start(environment::threads().map_or(0, NonZeroUsize::get)).unwrap_or(None)))
}

fn threads() -> Threads {
    current().read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Starts so many threads; with 0, as many as the process may run at a time.
fn start(count: usize) -> std::result::Result<Threads, ThreadPoolBuildError> {
    if count == 1 {
        return Ok(None);
    }
    let named = ThreadPoolBuilder::new().thread_name(|i| format!("hyperslab-{i}"));
    named.num_threads(count).build().map(|pool| Some(Arc::new(pool)))
}

/// The number of threads that decode, including the calling thread.
pub(crate) fn thread_count() -> usize {
    threads().map_or(1, |threads| threads.current_num_threads())
}

/// Sets the number of threads that decode, including the calling thread. Reads that have already begun keep theirs.
pub(crate) fn set_thread_count(count: usize) -> Result<()> {
    let started = start(count)
        .map_err(|error| Error::limit(format!("the system cannot start {count} threads: {error}")))?;
    *current().write().unwrap_or_else(PoisonError::into_inner) = started;
    Ok(())
}

/// Does `work` for each item, on the calling thread and on others: the calling thread is already awake, and waking
/// another may take long. Items begin in their order. After an error, no further item begins, and the error of the
/// first item that failed is returned.
fn for_each<T: Sync>(threads_max: usize, items: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let run = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(item) = items.get(number) else { return };
        if let Err(error) = work(item) {
            next.store(items.len(), Ordering::Relaxed);
            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
            if failed.as_ref().is_none_or(|(first, _)| number < *first) {
                *failed = Some((number, error));
            }
        }
    };
    let threads = threads();
    let count = threads.as_ref().map_or(1, |threads| threads.current_num_threads());
    let helpers = count.min(threads_max).min(items.len()).saturating_sub(1);
    match threads.filter(|_| helpers > 0) {
        None => run(),
        Some(threads) => threads.in_place_scope(|scope| {
            (0..helpers).for_each(|_| scope.spawn(|_| run()));
            run();
        }),
    }
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// Starts `work` on another thread, if there is one. A panic in it ends it, and nothing else.
fn spawn(work: impl FnOnce() + Send + 'static) {
    if let Some(threads) = threads() {
        threads.spawn(move || {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        for threads_max in [1, usize::MAX] {
            let runtime = crate::settings::runtime().with_threads(threads_max);
            let doubled = runtime.map(&items, |item| 2 * item);
            assert!(doubled.into_iter().eq((0..1000).map(|item| 2 * item)));
        }
    }

    #[test]
    fn every_item_is_done_once_by_several_threads() {
        let done: Vec<AtomicU32> = (0..1000).map(|_| AtomicU32::new(0)).collect();
        for_each(usize::MAX, &done, |item| {
            item.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
        .unwrap();
        assert!(done.iter().all(|item| item.load(Ordering::Relaxed) == 1));
        for_each(usize::MAX, &[(); 0], |()| panic!("there is nothing to do")).unwrap();
    }

    #[test]
    fn no_more_threads_work_than_allowed() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        for_each(2, &[(); 64], |()| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(1));
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        })
        .unwrap();
        assert!(most.into_inner() <= 2);
    }

    #[test]
    fn the_first_error_is_the_answer() {
        let items: Vec<usize> = (0..1000).collect();
        for _ in 0..100 {
            let done = AtomicUsize::new(0);
            let outcome = for_each(usize::MAX, &items, |&item| {
                done.fetch_add(1, Ordering::Relaxed);
                if item >= 7 { Err(Error::invalid(item.to_string())) } else { Ok(()) }
            });
            assert_eq!(outcome.unwrap_err().message(), "7");
            assert!(done.into_inner() <= 8 + thread_count(), "no further one begins");
        }
    }
}
