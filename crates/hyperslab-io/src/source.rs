//! The interface through which the engine reads the bytes of a file.

pub mod joined;
pub mod local;
pub mod memory;
pub mod pieces;
mod shared;

use crate::{Cancel, Epoch, Version};
use bytes::Bytes;
use std::io;
use std::mem::MaybeUninit;
use std::ops::{ControlFlow, Range};
use std::path::Path;

/// Receives the bytes of the range with this index, or its error. After [`ControlFlow::Break`] it is not called again.
pub type Deliver<'a> = dyn FnMut(usize, io::Result<Bytes>) -> ControlFlow<()> + 'a;

/// An object whose ranges can be read from many threads at once. Its length and its bytes are those of one [`Epoch`].
///
/// Implementations must be exact: reading a range inside `0..len()` returns all of its bytes or an error, never fewer.
pub trait Source: Send + Sync {
    /// The length in bytes, including gaps: the offset of the end.
    fn len(&self) -> u64;

    /// The state whose length and bytes are read now.
    fn epoch(&self) -> Epoch {
        Epoch::FIRST
    }

    /// True if the length is 0.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of bytes from `at` to the next gap or to the end. Only a source of several pieces has gaps, which
    /// read as zeros.
    fn held_from(&self, at: u64) -> u64 {
        self.len().saturating_sub(at)
    }

    /// The number of bytes without gaps. It bounds the sizes that a valid file can contain, so it is used to check
    /// sizes in the file.
    fn stored_bytes(&self) -> u64 {
        self.len()
    }

    /// The first bytes of the object, if opening it has brought them; otherwise no bytes.
    fn beginning(&self) -> Bytes {
        Bytes::new()
    }

    /// The bytes of a range, if they are in memory already. Most sources keep nothing in memory.
    fn known(&self, at: u64, len: u64) -> Option<Bytes> {
        let beginning = self.beginning();
        let end = at.checked_add(len).filter(|&end| end <= beginning.len() as u64)?;
        Some(beginning.slice(at as usize..end as usize))
    }

    /// True where the bytes of all structures of the file are known already, so that nothing is worth fetching in advance.
    fn knows_structures(&self) -> bool {
        false
    }

    /// Fills `out` with the bytes from `at` on. Best for sources without latency; with other sources, a call takes as
    /// long as a request.
    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()>;

    /// As [`Self::read_into`], for memory that was never written: all of `out`, with the bytes from `at` on.
    fn read_unwritten<'o>(&self, at: u64, out: &'o mut [MaybeUninit<u8>]) -> io::Result<&'o mut [u8]> {
        read_into_zeros(self, at, out)
    }

    /// Fetches several ranges and calls `deliver` with each as it arrives, in any order, on the calling thread. Sources
    /// with latency have up to [`Advice::in_flight_max`] requests in flight, and hold no more responses than that.
    ///
    /// Each range is delivered once, with its bytes or with its own error. If `deliver` breaks or the call is
    /// cancelled, no further request begins, and requests in flight are not waited for.
    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        for (index, range) in ranges.iter().enumerate() {
            if cancel.is_cancelled() || deliver(index, read_range(self, range)).is_break() {
                return;
            }
        }
    }

    /// Returns an error if the object is known to have changed since it was opened. For a local file, this costs about
    /// as much as the smallest request. Sources that check every response need not implement it.
    ///
    /// # Errors
    /// An error that wraps [`Changed`](crate::Changed).
    fn check_unchanged(&self) -> io::Result<()> {
        Ok(())
    }

    /// Takes a shared lock on a local file, which lasts until [`Self::unlock`] or until the source is dropped. Other sources
    /// have no locks.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if a writer has locked it; another kind if the file system has no locks.
    fn lock_shared(&self) -> io::Result<()> {
        Ok(())
    }

    /// Releases the lock of [`Self::lock_shared`].
    fn unlock(&self) {}

    /// The state of the object that was opened, if the source knows more of it than its length.
    fn version(&self) -> Option<Version> {
        None
    }

    /// How to read from this source efficiently.
    fn advice(&self) -> Advice;

    /// Two structures of the metadata with at most so many bytes between them are cheaper as one request, by what is known
    /// of the source now. In contrast to [`Advice::gap_bytes`], it may change while the source is read.
    fn metadata_gap_bytes(&self) -> u64 {
        Advice::METADATA_GAP_BYTES
    }

    /// The name in messages: a path or a URL.
    fn name(&self) -> String;

    /// The path, if it is a local file, so that other files in the same folder can be found.
    fn path(&self) -> Option<&Path> {
        None
    }
}

/// [`Source::read_unwritten`] for a source that has only [`Source::read_into`].
pub fn read_into_zeros<'o, S: Source + ?Sized>(
    source: &S,
    at: u64,
    out: &'o mut [MaybeUninit<u8>],
) -> io::Result<&'o mut [u8]> {
    out.fill(MaybeUninit::new(0));
    // SAFETY: all of it was written just now.
    let out = unsafe { written(out) };
    source.read_into(at, out)?;
    Ok(out)
}

/// Bytes that were written.
///
/// # Safety
/// All of them were.
pub(crate) unsafe fn written(bytes: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    // SAFETY: as promised; a `MaybeUninit<u8>` has the layout of a byte.
    unsafe { &mut *(std::ptr::from_mut(bytes) as *mut [u8]) }
}

/// Reads one range into new memory. The range is checked before memory is allocated.
fn read_range<S: Source + ?Sized>(source: &S, range: &Range<u64>) -> io::Result<Bytes> {
    let len = range.end.checked_sub(range.start).filter(|_| range.end <= source.len());
    let len = len.and_then(|len| usize::try_from(len).ok()).ok_or(io::ErrorKind::UnexpectedEof)?;
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(len)?;
    buffer.resize(len, 0);
    source.read_into(range.start, &mut buffer)?;
    Ok(Bytes::from(buffer))
}

/// How to read from a source efficiently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// Two wanted ranges with at most so many bytes between them are cheaper as one request that includes the gap.
    pub gap_bytes: u64,
    /// The largest request that ranges are merged to.
    pub request_bytes_max: u64,
    /// The size of the blocks in which metadata is fetched and cached.
    pub block_bytes: u64,
    /// The number of requests that should be in flight at once. With 1, the source has no latency: the thread that
    /// needs bytes should fetch them itself.
    pub in_flight_max: usize,
}

impl Advice {
    /// For local files: a positioned read from the page cache takes about a microsecond, as long as copying 8 KiB.
    pub const LOCAL: Self =
        Self { gap_bytes: 8 << 10, request_bytes_max: 1 << 20, block_bytes: 16 << 10, in_flight_max: 1 };

    /// For files of object stores and web servers. Many requests are in flight at the same time, so only small gaps are
    /// worth fetching.
    pub const REMOTE: Self =
        Self { gap_bytes: 64 << 10, request_bytes_max: 4 << 20, block_bytes: 64 << 10, in_flight_max: 256 };

    /// [`Source::metadata_gap_bytes`] of a source that was not measured: as many bytes as a connection of 80 MB/s transfers
    /// in the time that one of 256 requests in flight costs, of 40 ms each.
    pub const METADATA_GAP_BYTES: u64 = 12 << 10;

    /// True if [`Source::fetch`] has several requests in flight.
    pub fn has_latency(&self) -> bool {
        self.in_flight_max > 1
    }
}
