//! The caller's buffer, to which many threads write at the same time, each to its own bytes.

use crate::{Error, Result};
use std::marker::PhantomData;
use std::ops::Range;

/// A buffer that threads share. No two of them write to the same bytes, because the runs of a selection are disjoint in
/// the output (see `selection::cut`). It can be copied, so every function that writes to it is an `unsafe fn`, whose
/// caller promises that no other code uses the same bytes at the same time.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    start: *mut u8,
    len: usize,
    lifetime: PhantomData<&'a mut [u8]>,
}

// SAFETY: a `Target` is only a place to write; `slice_mut` puts the duty of disjointness on its callers.
unsafe impl Send for Target<'_> {}
// SAFETY: as above.
unsafe impl Sync for Target<'_> {}

impl<'a> Target<'a> {
    pub(crate) fn new(out: &'a mut [u8]) -> Self {
        Self { start: out.as_mut_ptr(), len: out.len(), lifetime: PhantomData }
    }

    /// Checks that a range is inside the buffer.
    pub fn check(&self, range: Range<usize>) -> Result<()> {
        if range.start <= range.end && range.end <= self.len {
            return Ok(());
        }
        Err(Error::internal(format!("the output buffer has {} bytes, bytes {range:?} were wanted", self.len)))
    }

    /// The bytes `at..at + len`.
    ///
    /// # Safety
    /// The range was checked, and no other slice of it exists while this one does.
    #[allow(clippy::mut_from_ref, reason = "disjointness is the caller's promise")]
    pub(crate) unsafe fn slice_mut(&self, at: usize, len: usize) -> &'a mut [u8] {
        debug_assert!(at + len <= self.len);
        // SAFETY: inside the buffer (checked by the caller), which lives for 'a and is not aliased (promised).
        unsafe { std::slice::from_raw_parts_mut(self.start.add(at), len) }
    }
}
