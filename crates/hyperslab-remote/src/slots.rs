//! The number of requests in flight: as many as allowed, fewer while the server is busy.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// However busy the server is, so many requests may be in flight.
const SLOTS_MIN: usize = 4;

/// Limits the requests in flight. The limit is halved when the server is busy, and grows again by one for every
/// `limit` requests that succeed.
pub(crate) struct Slots {
    semaphore: Arc<Semaphore>,
    limit: AtomicUsize,
    max: usize,
    succeeded: AtomicUsize,
}

impl Slots {
    /// Up to `max` requests in flight; at least one.
    pub fn new(max: usize) -> Self {
        let max = max.clamp(1, Semaphore::MAX_PERMITS);
        let semaphore = Arc::new(Semaphore::new(max));
        Self { semaphore, limit: AtomicUsize::new(max), max, succeeded: AtomicUsize::new(0) }
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

    /// A request has succeeded.
    pub fn succeeded(&self) {
        let limit = self.limit();
        if limit >= self.max || self.succeeded.fetch_add(1, Ordering::Relaxed) < limit {
            return;
        }
        self.succeeded.store(0, Ordering::Relaxed);
        if self.limit.compare_exchange(limit, limit + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.semaphore.add_permits(1);
        }
    }
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
        (0..100_000).for_each(|_| slots.succeeded());
        assert_eq!((slots.limit(), slots.semaphore.available_permits()), (64, 64));
        let one = Slots::new(1);
        one.busy();
        assert_eq!(one.limit(), 1);
    }
}
