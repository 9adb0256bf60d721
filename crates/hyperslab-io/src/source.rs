//! What the engine asks of a place where a file lies.

pub mod local;
pub mod memory;
pub mod pieces;

use bytes::Bytes;
use std::io;
use std::ops::Range;
use std::path::Path;

/// An immutable object of known length whose ranges can be read from many threads at once.
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

    /// Fills `out` with the bytes from `at` on, straight into the caller's memory.
    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()>;

    /// Reads several ranges. Sources with latency answer them with many requests in flight.
    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Bytes>> {
        ranges
            .iter()
            .map(|range| {
                let mut buffer = vec![0; (range.end - range.start) as usize];
                self.read_into(range.start, &mut buffer)?;
                Ok(Bytes::from(buffer))
            })
            .collect()
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

/// How a source wants to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// Two wanted ranges this close are cheaper as one request that fetches the gap as well.
    pub gap_bytes: u64,
    /// A merged request is not grown beyond this.
    pub request_bytes_max: u64,
    /// Granularity in which metadata is fetched and kept.
    pub block_bytes: u64,
}
