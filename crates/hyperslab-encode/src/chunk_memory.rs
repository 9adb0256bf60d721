//! Memory of encoded chunks, which is used again for later ones: new memory takes a notable part of the time of small chunks.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// Pieces of memory that are kept; more chunks than these are hardly on their way at a time.
const KEPT_MAX: usize = 64;

/// The memory that is free.
#[derive(Clone, Default)]
pub(crate) struct ChunkMemory {
    free: Arc<Mutex<Vec<Vec<u8>>>>,
}

/// The bytes of a chunk. Dropping them makes their memory free for another one.
pub struct ChunkBytes {
    bytes: Vec<u8>,
    memory: ChunkMemory,
}

impl ChunkMemory {
    /// A copy of these bytes.
    pub(crate) fn copy(&self, bytes: &[u8]) -> ChunkBytes {
        let mut copy = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        copy.clear();
        // No more than is needed: a repack counts its memory.
        copy.reserve_exact(bytes.len());
        copy.extend_from_slice(bytes);
        ChunkBytes { bytes: copy, memory: self.clone() }
    }
}

impl Deref for ChunkBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for ChunkBytes {
    fn drop(&mut self) {
        let mut free = self.memory.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < KEPT_MAX {
            free.push(std::mem::take(&mut self.bytes));
        }
    }
}

impl fmt::Debug for ChunkBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_a_dropped_chunk_is_used_again() {
        let memory = ChunkMemory::default();
        let first = memory.copy(b"abcdefgh");
        let place = first.as_ptr();
        drop(first);
        let second = memory.copy(b"xyz");
        assert_eq!((&second[..], second.as_ptr()), (&b"xyz"[..], place));
        let others: Vec<_> = (0..2 * KEPT_MAX).map(|_| memory.copy(b"1")).collect();
        drop(others);
        assert_eq!(memory.free.lock().unwrap().len(), KEPT_MAX);
    }
}
