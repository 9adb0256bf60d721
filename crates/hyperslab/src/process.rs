//! What a process has one of: threads and a cache. A forked child has neither (its parent's threads do not exist in
//! it, and chunks they were decoding will never arrive), so it makes its own on first use.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

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

/// A value of this process, made on first use, and made anew in a forked child. What the parent left is not freed:
/// its threads may have held its locks when it forked.
pub(crate) struct PerProcess<T: 'static> {
    current: AtomicPtr<(u32, T)>,
}

impl<T: Send + Sync> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self { current: AtomicPtr::new(std::ptr::null_mut()) }
    }

    pub(crate) fn get(&self, make: impl FnOnce() -> T) -> &'static T {
        let generation = GENERATION.load(Ordering::Acquire);
        let found = self.current.load(Ordering::Acquire);
        // SAFETY: a pointer that was stored here is that of a leaked box, so it is valid for ever.
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

/// The threads that decode; `None` where the system gives none.
fn threads() -> Option<&'static ThreadPool> {
    static THREADS: PerProcess<Option<ThreadPool>> = PerProcess::new();
    let make = || ThreadPoolBuilder::new().thread_name(|i| format!("hyperslab-{i}")).build().ok();
    THREADS.get(make).as_ref()
}

/// How many threads decode.
pub(crate) fn thread_count() -> usize {
    threads().map_or(1, ThreadPool::current_num_threads)
}

/// Runs `work`, whose parallel iterators then use this process's threads.
pub(crate) fn in_parallel<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match threads() {
        Some(threads) => threads.install(work),
        None => work(),
    }
}

/// Starts `work` on another thread, if there is one. A panic in it ends it, and nothing else.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) {
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
}
