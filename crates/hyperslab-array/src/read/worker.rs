//! What one thread needs to decode chunk after chunk without allocating: reused buffers and a decompressor.

use crate::{Error, Result};
use hyperslab_filters::Scratch;
use std::cell::RefCell;

/// Buffers of one thread.
#[derive(Default)]
pub(crate) struct Worker {
    /// Bytes as they are stored in the file.
    pub(crate) stored: Vec<u8>,
    /// A decoded chunk on its way to several places.
    pub(crate) chunk: Vec<u8>,
    pub(crate) scratch: Scratch,
}

/// Buffers larger than this are given back after use.
const KEPT_BYTES_MAX: usize = 64 << 20;

thread_local! {
    static WORKER: RefCell<Worker> = RefCell::default();
}

/// Runs `work` with this thread's buffers. Work does not wait for other work.
pub(crate) fn with_worker<T>(work: impl FnOnce(&mut Worker) -> T) -> T {
    WORKER.with(|worker| {
        // A source or a filter of the user's may read through us while it works for us.
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

/// The first `len` bytes of a reused buffer; their old content is meaningless.
pub(crate) fn sized(buffer: &mut Vec<u8>, len: usize) -> Result<&mut [u8]> {
    if buffer.len() < len {
        let more = len - buffer.len();
        let room = buffer.try_reserve_exact(more);
        room.map_err(|_| Error::out_of_memory(format!("no memory for a chunk of {len} bytes")))?;
        buffer.resize(len, 0);
    }
    Ok(&mut buffer[..len])
}
