//! The buffers and the decompressor of one thread, which are reused from chunk to chunk.

use crate::{Error, Result};
use hyperslab_filters::Scratch;
use std::cell::{Cell, RefCell};

/// The buffers of one thread.
#[derive(Default)]
pub(crate) struct Worker {
    /// The stored bytes of a chunk.
    pub(crate) stored: Vec<u8>,
    /// A decoded chunk that is copied to several destinations.
    pub(crate) chunk: Vec<u8>,
    pub(crate) scratch: Scratch,
}

/// Larger buffers are freed after use.
const KEPT_BYTES_MAX: usize = 64 << 20;

thread_local! {
    static WORKER: RefCell<Worker> = RefCell::default();
    static FETCHED: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Runs `work` with a buffer of this thread, for bytes that several chunks share. `work` may use [`with_worker`].
pub(crate) fn with_fetched<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    // While it is in use, it is empty for whoever else asks.
    let mut buffer = FETCHED.take();
    let done = work(&mut buffer);
    if buffer.capacity() <= KEPT_BYTES_MAX {
        FETCHED.set(buffer);
    }
    done
}

/// Runs `work` with the buffers of this thread. `work` must not block on other tasks.
pub(crate) fn with_worker<T>(work: impl FnOnce(&mut Worker) -> T) -> T {
    WORKER.with(|worker| {
        // A source or a filter of the user may itself read arrays, on this thread.
        let Ok(mut worker) = worker.try_borrow_mut() else { return work(&mut Worker::default()) };
        let done = work(&mut worker);
        let Worker { stored, chunk, scratch } = &mut *worker;
        scratch.trim(KEPT_BYTES_MAX);
        for buffer in [stored, chunk] {
            if buffer.capacity() > KEPT_BYTES_MAX {
                *buffer = Vec::new();
            }
        }
        done
    })
}

/// The first `len` bytes of a reused buffer, with arbitrary content.
pub(crate) fn sized(buffer: &mut Vec<u8>, len: usize) -> Result<&mut [u8]> {
    if buffer.len() < len {
        let more = len - buffer.len();
        let room = buffer.try_reserve_exact(more);
        room.map_err(|_| Error::out_of_memory(format!("not enough memory for a chunk of {len} bytes")))?;
        buffer.resize(len, 0);
    }
    Ok(&mut buffer[..len])
}
