//! What reads use of their process: threads, and a cache of decoded chunks. A forked child has neither (its parent's
//! threads do not exist in it, and chunks they were decoding will never arrive), so it makes its own on first use.

use crate::chunk::cache::ChunkCache;
use crate::{Error, Result, environment};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, RwLock};

/// Counts the forks that lie between the first process and this one.
static GENERATION: AtomicU32 = AtomicU32::new(0);

extern "C" fn in_forked_child() {
    GENERATION.fetch_add(1, Ordering::SeqCst);
}

fn watch_forks() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handler only adds to an atomic. Where it cannot be registered, forks go unnoticed as before.
        #[cfg(unix)]
        unsafe {
            libc::pthread_atfork(None, None, Some(in_forked_child));
        }
    });
}

/// A value of this process, made on first use, and made anew in a forked child. What the parent left is not freed there:
/// its threads may have held its locks when it forked.
pub(crate) struct PerProcess<T: 'static> {
    current: AtomicPtr<(u32, T)>,
}

impl<T: Send + Sync> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self { current: AtomicPtr::new(std::ptr::null_mut()) }
    }

    pub(crate) fn get(&self, make: impl FnOnce() -> T) -> &T {
        let generation = GENERATION.load(Ordering::Acquire);
        let found = self.current.load(Ordering::Acquire);
        // SAFETY: a pointer that was stored here is that of a leaked box, which only `drop` frees.
        if let Some((made_in, value)) = unsafe { found.as_ref() }
            && *made_in == generation
        {
            return value;
        }
        watch_forks();
        let made = Box::into_raw(Box::new((generation, make())));
        let winner = match self.current.compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => made,
            Err(other) => {
                // SAFETY: `made` was never shared.
                drop(unsafe { Box::from_raw(made) });
                other
            }
        };
        // SAFETY: as above; the winner is not null, because only boxes are stored.
        unsafe { &(*winner).1 }
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let current = *self.current.get_mut();
        // SAFETY: a pointer that was stored here is that of a leaked box; nobody else has it any more.
        let is_own = unsafe { current.as_ref() }
            .is_some_and(|(made_in, _)| *made_in == GENERATION.load(Ordering::Acquire));
        if is_own {
            // SAFETY: as above.
            drop(unsafe { Box::from_raw(current) });
        }
    }
}

/// The cache and the threads that reads of a file use.
#[derive(Clone)]
pub struct Runtime {
    cache: Cache,
    threads_max: usize,
}

/// A cache that is looked up at each use: a forked child has another one than its parent.
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

    /// The same with a cache of its own, of so many bytes.
    pub fn with_cache_bytes(self, bytes: usize) -> Self {
        Self { cache: Cache::Own(Arc::new(PerProcess::new()), bytes), ..self }
    }

    /// The same with at most so many threads of those that the process has.
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

    /// How many threads decode, the caller's included.
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
    // Where the system gives no threads, the caller's must do.
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

/// How many threads decode, the caller's included.
pub(crate) fn thread_count() -> usize {
    threads().map_or(1, |threads| threads.current_num_threads())
}

/// Has so many threads decode from now on, the caller's included. What is under way keeps the threads that it has.
pub(crate) fn set_thread_count(count: usize) -> Result<()> {
    let started = start(count)
        .map_err(|error| Error::limit(format!("the system does not give {count} threads: {error}")))?;
    *current().write().unwrap_or_else(PoisonError::into_inner) = started;
    Ok(())
}

/// Does `work` for each item, here and on the other threads: the calling thread is awake already, and waking another may
/// take long. Items begin in their order. After an error no further one begins, and the error of the first
/// item that has one is the answer.
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

    #[test]
    fn a_value_is_made_once_and_anew_after_a_fork() {
        static VALUE: PerProcess<u32> = PerProcess::new();
        let first: *const u32 = VALUE.get(|| 1);
        assert!(std::ptr::eq(first, VALUE.get(|| 2)));
        in_forked_child();
        assert_eq!(*VALUE.get(|| 3), 3);
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
    fn a_value_of_its_own_goes_with_its_owner() {
        let made = Arc::new(());
        let own: PerProcess<Arc<()>> = PerProcess::new();
        assert_eq!(Arc::strong_count(own.get(|| made.clone())), 2);
        drop(own);
        assert_eq!(Arc::strong_count(&made), 1);
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
