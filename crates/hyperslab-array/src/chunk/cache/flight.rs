//! A chunk that is being decoded: one thread leads, others wait.

use super::sync::{self, Condvar, Mutex, ThreadId, current_thread};
use super::{ChunkKey, Decoded, Inner, lock};
use std::sync::{Arc, PoisonError};

/// A flight, held by its leader, by the map where it is found, and by those who wait: their number counts.
pub(super) type SharedFlight = sync::Arc<Flight>;

/// What waiting threads share.
pub(super) struct Flight {
    /// The thread that decodes; `None` for a claim, which may change hands.
    leader: Option<ThreadId>,
    state: Mutex<State>,
    landed: Condvar,
}

enum State {
    Flying,
    Landed(Arc<Decoded>),
    Lost,
}

impl Flight {
    /// Led by this thread, or (`false`) by whoever holds a claim.
    pub fn new(by_this_thread: bool) -> Self {
        Self {
            leader: by_this_thread.then(|| current_thread().id()),
            state: Mutex::new(State::Flying),
            landed: Condvar::new(),
        }
    }

    pub fn is_led_by_this_thread(&self) -> bool {
        self.leader == Some(current_thread().id())
    }

    /// The chunk, or `None` where decoding failed.
    pub fn wait(&self) -> Option<Arc<Decoded>> {
        let mut state = lock(&self.state);
        loop {
            match &*state {
                State::Landed(chunk) => return Some(Arc::clone(chunk)),
                State::Lost => return None,
                State::Flying => state = self.landed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn end(&self, state: State) {
        *lock(&self.state) = state;
        self.landed.notify_all();
    }
}

/// The duty to end a flight, one way or the other: dropping it (an error, a panic, a claim given up) wakes the
/// waiting threads, and the next of them leads.
pub(super) struct Lead {
    inner: Arc<Inner>,
    pub(super) key: ChunkKey,
    flight: SharedFlight,
    ended: bool,
}

impl Lead {
    pub fn new(inner: Arc<Inner>, key: ChunkKey, flight: SharedFlight) -> Self {
        Self { inner, key, flight, ended: false }
    }

    /// This, where others wait for the chunk. Where nobody does, the flight ends here: who comes later leads one of
    /// their own.
    pub fn if_awaited(self) -> Option<Self> {
        (!self.inner.shards.forget_unless_awaited(self.key, &self.flight)).then_some(self)
    }

    pub fn land(mut self, chunk: Decoded, prefetched: bool) -> Arc<Decoded> {
        let chunk = self.inner.land(&self.flight, self.key, chunk, prefetched);
        self.flight.end(State::Landed(Arc::clone(&chunk)));
        self.ended = true;
        chunk
    }
}

impl Drop for Lead {
    fn drop(&mut self) {
        if !self.ended {
            // First out of the map, so that a woken thread does not find the lost flight again.
            self.inner.shards.forget_flight(self.key, &self.flight);
            self.flight.end(State::Lost);
        }
    }
}
