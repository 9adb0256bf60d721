//! Values of a process that a forked child must not share with its parent.

use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// Counts the forks that lie between the first process and this one.
static GENERATION: AtomicU32 = AtomicU32::new(0);

#[cfg(unix)]
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

/// A value of this process, created on first use, and created again in a forked child. The value of the parent is not
/// freed in the child, because threads of the parent may have held its locks during the fork.
pub struct PerProcess<T: 'static> {
    current: AtomicPtr<(u32, T)>,
}

impl<T: Send + Sync> PerProcess<T> {
    /// A value that is not created yet.
    pub const fn new() -> Self {
        Self { current: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// The value of this process; `make` creates it on first use.
    pub fn get(&self, make: impl FnOnce() -> T) -> &T {
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

impl<T: Send + Sync> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_value_is_made_once_and_anew_after_a_fork() {
        static VALUE: PerProcess<u32> = PerProcess::new();
        let first: *const u32 = VALUE.get(|| 1);
        assert!(std::ptr::eq(first, VALUE.get(|| 2)));
        in_forked_child();
        assert_eq!(*VALUE.get(|| 3), 3);
    }

    #[test]
    fn a_value_of_its_own_goes_with_its_owner() {
        let made = Arc::new(());
        let own: PerProcess<Arc<()>> = PerProcess::new();
        assert_eq!(Arc::strong_count(own.get(|| made.clone())), 2);
        drop(own);
        assert_eq!(Arc::strong_count(&made), 1);
    }
}
