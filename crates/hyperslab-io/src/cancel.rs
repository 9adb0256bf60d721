//! Stopping work that nobody waits for any more.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// A request to stop, shared by whoever makes it and the work that heeds it. Clones are the same request.
///
/// Work asks [`Cancel::is_cancelled`] between its steps: after each request, before each chunk.
#[derive(Clone, Default)]
pub struct Cancel(Option<Arc<State>>);

struct State {
    is_cancelled: AtomicBool,
    poll: Option<Poll>,
}

struct Poll {
    ask: Box<dyn Fn() -> bool + Send + Sync>,
    /// The thread on which `ask` means something.
    thread: ThreadId,
    since: Instant,
    /// When it is asked next, in nanoseconds after `since`.
    due: AtomicU64,
}

/// Between two questions of a polling [`Cancel`].
const POLL_INTERVAL: Duration = Duration::from_millis(50);

impl Cancel {
    /// A request that is never made. Costs nothing to ask.
    pub const fn never() -> Self {
        Self(None)
    }

    /// A request that [`Cancel::cancel`] makes.
    pub fn new() -> Self {
        Self(Some(Arc::new(State { is_cancelled: AtomicBool::new(false), poll: None })))
    }

    /// A request that is made once `ask` answers true. `ask` is called on the current thread only, now and then
    /// (every 50 ms at most), while that thread works or waits: for programs that must look for signals themselves.
    pub fn polling(ask: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let poll = Poll {
            ask: Box::new(ask),
            thread: std::thread::current().id(),
            since: Instant::now(),
            due: AtomicU64::new(POLL_INTERVAL.as_nanos() as u64),
        };
        Self(Some(Arc::new(State { is_cancelled: AtomicBool::new(false), poll: Some(poll) })))
    }

    /// True of [`Cancel::never`].
    pub fn is_never(&self) -> bool {
        self.0.is_none()
    }

    /// Makes the request. Has no effect on [`Cancel::never`].
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

    /// An error once the work should stop.
    ///
    /// # Errors
    /// One that holds [`Cancelled`].
    #[inline]
    pub fn check(&self) -> io::Result<()> {
        if self.is_cancelled() { Err(Cancelled.into()) } else { Ok(()) }
    }
}

impl State {
    fn is_cancelled(&self) -> bool {
        if self.is_cancelled.load(Ordering::Relaxed) {
            return true;
        }
        let Some(poll) = &self.poll else { return false };
        let asked = poll.is_due() && (poll.ask)();
        if asked {
            self.is_cancelled.store(true, Ordering::Relaxed);
        }
        asked
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
        let made = self.0.as_ref().map(|state| state.is_cancelled.load(Ordering::Relaxed));
        f.debug_tuple("Cancel").field(&made).finish()
    }
}

/// The error of work that was told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl From<Cancelled> for io::Error {
    fn from(cancelled: Cancelled) -> Self {
        // Not `ErrorKind::Interrupted`, which means "try again".
        io::Error::other(cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_reaches_all_clones_and_never_is_never() {
        let cancel = Cancel::new();
        let other = cancel.clone();
        assert!(other.check().is_ok());
        cancel.cancel();
        assert!(other.check().unwrap_err().get_ref().unwrap().is::<Cancelled>());
        Cancel::never().cancel();
        assert!(!Cancel::never().is_cancelled());
    }

    #[test]
    fn polling_asks_now_and_then_and_only_on_its_own_thread() {
        let asked = Arc::new(AtomicU64::new(0));
        let counter = asked.clone();
        let cancel = Cancel::polling(move || counter.fetch_add(1, Ordering::Relaxed) == 1);
        assert!(!cancel.is_cancelled());
        std::thread::sleep(POLL_INTERVAL);
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(!cancel.is_cancelled()));
        });
        assert_eq!(asked.load(Ordering::Relaxed), 0);
        assert!(!(0..1000).any(|_| cancel.is_cancelled()));
        assert!(asked.load(Ordering::Relaxed) <= 2, "a thousand questions, 50 ms apart");
        std::thread::sleep(POLL_INTERVAL);
        assert!(cancel.is_cancelled());
        assert!(std::thread::scope(|scope| scope.spawn(|| cancel.is_cancelled()).join().unwrap()));
    }
}
