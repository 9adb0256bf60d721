//! Cancelling work whose result is no longer needed.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};
use std::{fmt, io};

/// A cancellation flag, shared by the caller and the work that can be cancelled. Clones share the flag.
///
/// The work checks [`Cancel::is_cancelled`] regularly: after each request and before each chunk.
#[derive(Clone, Default)]
pub struct Cancel(Option<Arc<State>>);

struct State {
    is_cancelled: AtomicBool,
    poll: Option<Poll>,
}

struct Poll {
    should_cancel: Box<dyn Fn() -> bool + Send + Sync>,
    /// The thread on which `should_cancel` may be called.
    thread: ThreadId,
    since: Instant,
    /// The time of the next call, in nanoseconds after `since`.
    due: AtomicU64,
}

/// The time between two calls of a polling [`Cancel`].
const POLL_INTERVAL: Duration = Duration::from_millis(50);

impl Cancel {
    /// A flag that is never set. Checking it costs nothing.
    pub const fn never() -> Self {
        Self(None)
    }

    /// A flag that [`Cancel::cancel`] sets.
    pub fn new() -> Self {
        Self(Some(Arc::new(State { is_cancelled: AtomicBool::new(false), poll: None })))
    }

    /// A flag that is set once `should_cancel` returns true.
    ///
    /// `should_cancel` is called only on the current thread, at most every 50 ms, while that thread works or waits. This
    /// is for programs that must check for signals themselves.
    pub fn polling(should_cancel: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let poll = Poll {
            should_cancel: Box::new(should_cancel),
            thread: std::thread::current().id(),
            since: Instant::now(),
            due: AtomicU64::new(POLL_INTERVAL.as_nanos() as u64),
        };
        Self(Some(Arc::new(State { is_cancelled: AtomicBool::new(false), poll: Some(poll) })))
    }

    /// True for [`Cancel::never`].
    pub fn is_never(&self) -> bool {
        self.0.is_none()
    }

    /// Sets the flag. Has no effect on [`Cancel::never`].
    pub fn cancel(&self) {
        if let Some(state) = &self.0 {
            state.is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// True once the work should stop.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|state| state.is_cancelled())
    }

    /// Returns an error once the work should stop.
    ///
    /// # Errors
    /// An error that wraps [`Cancelled`].
    #[inline]
    pub fn check(&self) -> io::Result<()> {
        if self.is_cancelled() { Err(Cancelled.into()) } else { Ok(()) }
    }
}

thread_local! {
    /// What cancels the work of this thread that has no flag of its own.
    static CURRENT: RefCell<Cancel> = const { RefCell::new(Cancel::never()) };
}

impl Cancel {
    /// The flag of the innermost [`Cancel::during`] of this thread; otherwise one that is never set.
    pub fn current() -> Self {
        CURRENT.with_borrow(Self::clone)
    }

    /// Calls `work`. What this thread waits for meanwhile is cancelled by this flag, even if no flag is passed to it:
    /// reads of metadata.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Restores the flag, also after a panic.
        struct Restore(Cancel);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(std::mem::take(&mut self.0));
            }
        }
        let _restore = Restore(CURRENT.replace(self.clone()));
        work()
    }
}

impl State {
    fn is_cancelled(&self) -> bool {
        if self.is_cancelled.load(Ordering::Relaxed) {
            return true;
        }
        let Some(poll) = &self.poll else { return false };
        let is_cancelled = poll.is_due() && (poll.should_cancel)();
        if is_cancelled {
            self.is_cancelled.store(true, Ordering::Relaxed);
        }
        is_cancelled
    }
}

impl Poll {
    fn is_due(&self) -> bool {
        if std::thread::current().id() != self.thread {
            return false;
        }
        let now = self.since.elapsed();
        let is_due = now.as_nanos() as u64 >= self.due.load(Ordering::Relaxed);
        if is_due {
            self.due.store((now + POLL_INTERVAL).as_nanos() as u64, Ordering::Relaxed);
        }
        is_due
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_cancelled = self.0.as_ref().map(|state| state.is_cancelled.load(Ordering::Relaxed));
        f.debug_tuple("Cancel").field(&is_cancelled).finish()
    }
}

/// The error of work that was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl From<Cancelled> for io::Error {
    fn from(cancelled: Cancelled) -> Self {
        // Not `ErrorKind::Interrupted`: callers retry after that.
        io::Error::other(cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelling_reaches_all_clones_and_never_is_not_cancelled() {
        let cancel = Cancel::new();
        let other = cancel.clone();
        assert!(other.check().is_ok());
        cancel.cancel();
        assert!(other.check().unwrap_err().get_ref().unwrap().is::<Cancelled>());
        Cancel::never().cancel();
        assert!(!Cancel::never().is_cancelled());
    }

    #[test]
    fn the_flag_of_a_thread_holds_while_work_is_done() {
        let (outer, inner) = (Cancel::new(), Cancel::new());
        inner.cancel();
        let is_cancelled = || Cancel::current().is_cancelled();
        let seen = outer.during(|| (is_cancelled(), inner.during(is_cancelled), is_cancelled()));
        assert_eq!(seen, (false, true, false));
        assert!(Cancel::current().is_never());
    }

    #[test]
    fn polling_calls_rarely_and_only_on_its_own_thread() {
        let calls = Arc::new(AtomicU64::new(0));
        let counter = calls.clone();
        let cancel = Cancel::polling(move || counter.fetch_add(1, Ordering::Relaxed) == 1);
        assert!(!cancel.is_cancelled());
        std::thread::sleep(POLL_INTERVAL);
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(!cancel.is_cancelled()));
        });
        assert_eq!(calls.load(Ordering::Relaxed), 0);
        assert!(!(0..1000).any(|_| cancel.is_cancelled()));
        assert!(calls.load(Ordering::Relaxed) <= 2, "a thousand checks, calls 50 ms apart");
        std::thread::sleep(POLL_INTERVAL);
        assert!(cancel.is_cancelled());
        assert!(std::thread::scope(|scope| scope.spawn(|| cancel.is_cancelled()).join().unwrap()));
    }
}
