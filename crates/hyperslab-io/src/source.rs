//! What the engine asks of a place where a file lies.

#[cfg(feature = "http")]
pub mod http;
pub mod local;
pub mod memory;
pub mod pieces;

use crate::{Cancel, Deliver};
use bytes::Bytes;
use std::io;
use std::ops::Range;
use std::path::Path;

/// An object of known length that does not change, whose ranges can be read from many threads at once.
///
/// Implementations must be exact: a range inside `0..len()` is answered with precisely its bytes or an error,
/// never with fewer.
pub trait Source: Send + Sync {
    /// Length in bytes: the first offset behind the last byte.
    fn len(&self) -> u64;

    /// True where there is not a single byte.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes follow one another from `at` on. Only a source of several pieces has gaps before its end, which
    /// read as zeros.
    fn held_from(&self, at: u64) -> u64 {
        self.len().saturating_sub(at)
    }

    /// How many bytes there are, which is less than [`Self::len`] where there are gaps: what bounds how much a file
    /// can say.
    fn stored_bytes(&self) -> u64 {
        self.len()
    }

    /// Fills `out` with the bytes from `at` on, straight into the caller's memory. The way for sources that answer at
    /// once; others take as long as one request takes.
    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()>;

    /// Fetches several ranges and hands over each as it arrives, in any order, on the calling thread. Sources with
    /// latency have up to [`Advice::in_flight_max`] requests under way, and hold no more answers than that.
    ///
    /// Each range is delivered once, with its bytes or with its own error, unless `deliver` breaks or the call is
    /// cancelled: then no further request begins, and those under way are not waited for.
    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        for (index, range) in ranges.iter().enumerate() {
            if cancel.is_cancelled() || deliver(index, read_range(self, range)).is_break() {
                return;
            }
        }
    }

    /// An error where the object is known not to be the one that was opened. Costs about as much as the smallest
    /// request to a local file; sources that compare with every answer have nothing left to do here.
    ///
    /// # Errors
    /// One that holds [`Changed`](crate::Changed).
    fn check_unchanged(&self) -> io::Result<()> {
        Ok(())
    }

    /// What suits this source.
    fn advice(&self) -> Advice;

    /// The name for messages: a path or a URL.
    fn name(&self) -> String;

    /// Where it lies, if it is a local file: other files may lie beside it.
    fn path(&self) -> Option<&Path> {
        None
    }
}

/// One range in memory of its own, allocated after the range was checked.
fn read_range<S: Source + ?Sized>(source: &S, range: &Range<u64>) -> io::Result<Bytes> {
    let len = range.end.checked_sub(range.start).filter(|_| range.end <= source.len());
    let len = len.and_then(|len| usize::try_from(len).ok()).ok_or(io::ErrorKind::UnexpectedEof)?;
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(len)?;
    buffer.resize(len, 0);
    source.read_into(range.start, &mut buffer)?;
    Ok(Bytes::from(buffer))
}

/// How a source wants to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// Two wanted ranges this close are cheaper as one request that fetches the gap as well.
    pub gap_bytes: u64,
    /// A merged request is not grown beyond this.
    pub request_bytes_max: u64,
    /// Granularity in which metadata is fetched and kept.
    pub block_bytes: u64,
    /// So many requests are worth having under way at once. With 1 the source answers at once, on the thread that
    /// asks: the thread that needs the bytes should fetch them itself.
    pub in_flight_max: usize,
}

impl Advice {
    /// For local files: a positioned read from the page cache costs about a microsecond, as much as copying some 8 KiB.
    pub const LOCAL: Self =
        Self { gap_bytes: 8 << 10, request_bytes_max: 1 << 20, block_bytes: 16 << 10, in_flight_max: 1 };

    /// True where [`Source::fetch`] has several requests under way.
    pub fn has_latency(&self) -> bool {
        self.in_flight_max > 1
    }
}
