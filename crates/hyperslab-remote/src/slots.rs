//! The number of requests in flight: more as long as the server bears it, fewer while it is busy.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// However busy the server is, so many requests may be in flight.
const SLOTS_MIN: usize = 4;
/// So many requests are in flight before it is known whether the server bears more.
const SLOTS_START: usize = 256;

/// Limits the requests in flight. The limit is halved when the server is busy. For every `limit` requests that succeed, it
/// grows again by one up to [`SLOTS_START`], and by an eighth beyond, if all slots are in use and responses are not slower
/// than with fewer.
pub(crate) struct Slots {
    semaphore: Arc<Semaphore>,
    limit: AtomicUsize,
    max: usize,
    succeeded: AtomicUsize,
}

impl Slots {
    /// Up to `max` requests in flight; at least one.
    pub fn new(max: usize) -> Self {
        Self::between(SLOTS_START, max.min(connections_max()))
    }

    /// At first `start` requests in flight, and up to `max`.
    fn between(start: usize, max: usize) -> Self {
        let max = max.clamp(1, Semaphore::MAX_PERMITS);
        let start = start.min(max);
        let semaphore = Arc::new(Semaphore::new(start));
        Self { semaphore, limit: AtomicUsize::new(start), max, succeeded: AtomicUsize::new(0) }
    }

    /// Waits until a request may begin. The request is in flight until the permit is dropped.
    pub async fn acquire(&self) -> OwnedSemaphorePermit {
        self.semaphore.clone().acquire_owned().await.expect("the semaphore is never closed")
    }

    /// The present limit.
    pub fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// The server has answered that it has too many requests.
    pub fn busy(&self) {
        let limit = self.limit();
        let wanted = limit - (limit / 2).max(SLOTS_MIN.min(limit));
        // Permits in use cannot be taken away; the next response that says so takes more.
        let taken = self.semaphore.forget_permits(wanted);
        self.limit.fetch_sub(taken, Ordering::Relaxed);
    }

    /// A request has succeeded. `is_crowded` is true if responses take longer than with fewer requests in flight.
    pub fn succeeded(&self, is_crowded: bool) {
        let limit = self.limit();
        if limit >= self.max || self.succeeded.fetch_add(1, Ordering::Relaxed) < limit {
            return;
        }
        self.succeeded.store(0, Ordering::Relaxed);
        let more = match limit < SLOTS_START {
            true => 1,
            false if is_crowded || self.semaphore.available_permits() > 0 => return,
            false => (limit / 8).min(self.max - limit),
        };
        if self.limit.compare_exchange(limit, limit + more, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.semaphore.add_permits(more);
        }
    }
}

/// The most connections of this process: half of the files that it may have open.
fn connections_max() -> usize {
    #[cfg(unix)]
    {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the pointer is valid for the call, which writes the structure that it points to.
        let outcome = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) };
        if outcome == 0 {
            return usize::try_from(limit.rlim_cur / 2).unwrap_or(usize::MAX).max(SLOTS_MIN);
        }
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_halved_and_recovers() {
        let slots = Slots::new(64);
        slots.busy();
        assert_eq!((slots.limit(), slots.semaphore.available_permits()), (32, 32));
        (0..10).for_each(|_| slots.busy());
        assert_eq!(slots.limit(), SLOTS_MIN);
        (0..100_000).for_each(|_| slots.succeeded(false));
        assert_eq!((slots.limit(), slots.semaphore.available_permits()), (64, 64));
        let one = Slots::new(1);
        one.busy();
        assert_eq!(one.limit(), 1);
    }

    #[test]
    fn the_limit_grows_only_while_all_slots_are_used_and_responses_are_fast() {
        let slots = Slots::between(256, 300);
        assert_eq!(slots.limit(), 256);
        (0..1000).for_each(|_| slots.succeeded(false));
        assert_eq!(slots.limit(), 256, "slots are free");
        let all = slots.semaphore.clone().try_acquire_many_owned(256).unwrap();
        (0..1000).for_each(|_| slots.succeeded(true));
        assert_eq!(slots.limit(), 256, "responses are slow");
        (0..257).for_each(|_| slots.succeeded(false));
        assert_eq!(slots.limit(), 288);
        drop(all);
        let all = slots.semaphore.clone().try_acquire_many_owned(288).unwrap();
        (0..1000).for_each(|_| slots.succeeded(false));
        assert_eq!(slots.limit(), 300, "no more than allowed");
        drop(all);
    }
}
