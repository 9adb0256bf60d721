//! A chunk in flight: one thread decodes it, others wait for it.

use super::sync::{self, Condvar, Mutex, ThreadId, current_thread};
use super::{ChunkKey, Decoded, Inner, lock};
use std::sync::{Arc, PoisonError};

/// A chunk in flight. The decoding thread, the map and each waiting thread own a reference, so that the waiting threads
/// can be counted.
pub(super) type SharedInFlight = sync::Arc<InFlight>;

/// The state that the threads share.
pub(super) struct InFlight {
    /// The thread that decodes; `None` for a claim, which may be passed to another thread.
    decoder: Option<ThreadId>,
    state: Mutex<State>,
    completed: Condvar,
}

enum State {
    Decoding,
    Complete(Arc<Decoded>),
    Failed,
}

impl InFlight {
    /// A chunk that is decoded by this thread or, if false, by the owner of a claim.
    pub fn new(by_this_thread: bool) -> Self {
        Self {
            decoder: by_this_thread.then(|| current_thread().id()),
            state: Mutex::new(State::Decoding),
            completed: Condvar::new(),
        }
    }

    pub fn is_decoded_by_this_thread(&self) -> bool {
        self.decoder == Some(current_thread().id())
    }

    /// Waits for the chunk; `None` if decoding failed.
    pub fn wait(&self) -> Option<Arc<Decoded>> {
        let mut state = lock(&self.state);
        loop {
            match &*state {
                State::Complete(chunk) => return Some(Arc::clone(chunk)),
                State::Failed => return None,
                State::Decoding => state = self.completed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn end(&self, state: State) {
        *lock(&self.state) = state;
        self.completed.notify_all();
    }
}

/// The duty to finish decoding a chunk. If the guard is dropped (after an error or a panic, or with a claim), the
/// waiting threads are woken and one of them decodes the chunk.
pub(super) struct DecodeGuard {
    inner: Arc<Inner>,
    pub(super) key: ChunkKey,
    in_flight: SharedInFlight,
    ended: bool,
}

impl DecodeGuard {
    pub fn new(inner: Arc<Inner>, key: ChunkKey, in_flight: SharedInFlight) -> Self {
        Self { inner, key, in_flight, ended: false }
    }

    /// Returns the guard if other threads wait for the chunk. If not, the chunk is no longer in flight, and the next
    /// thread that wants it decodes it again.
    pub fn if_awaited(self) -> Option<Self> {
        (!self.inner.shards.remove_unless_awaited(self.key, &self.in_flight)).then_some(self)
    }

    pub fn complete(mut self, chunk: Decoded, prefetched: bool) -> Arc<Decoded> {
        let chunk = self.inner.complete(&self.in_flight, self.key, chunk, prefetched);
        self.in_flight.end(State::Complete(Arc::clone(&chunk)));
        self.ended = true;
        chunk
    }
}

impl Drop for DecodeGuard {
    fn drop(&mut self) {
        if !self.ended {
            // Removed from the map first, so that a woken thread does not find the failed one again.
            self.inner.shards.remove_in_flight(self.key, &self.in_flight);
            self.in_flight.end(State::Failed);
        }
    }
}
