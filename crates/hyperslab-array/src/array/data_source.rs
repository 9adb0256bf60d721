//! The bytes of one open file, as its arrays read them.

use super::small_reads::SmallReads;
use crate::chunk::cache::ChunkKey;
use crate::runtime::Runtime;
use crate::{Error, ErrorKind, Result};
use bytes::Bytes;
use hyperslab_io::{Cancel, Source, fetch_all};
use std::io;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An open file, as reads use it: a source of bytes, its identifier in the cache, and the cache and threads of its
/// reads. Its entries in the cache are removed when it is dropped.
pub struct DataSource {
    /// Identifies this open file in the process.
    pub id: u64,
    /// The bytes.
    pub source: Arc<dyn Source>,
    /// The cache and the threads that reads use.
    pub runtime: Runtime,
    /// The history of small reads of unfiltered data.
    pub(crate) small_reads: SmallReads,
    decodes: AtomicU64,
}

impl DataSource {
    /// A newly opened source.
    pub fn new(source: Arc<dyn Source>, runtime: Runtime) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Self { id, source, runtime, small_reads: SmallReads::default(), decodes: AtomicU64::new(0) }
    }

    /// Fills `out` with the bytes from `at` on.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], naming the file and the byte.
    pub fn read_into(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let len = out.len() as u64;
        let failed = |error| self.failed(&(at..at.saturating_add(len)), error);
        self.source.read_into(at, out).map_err(failed)
    }

    /// As [`Self::read_into`], for memory that was never written: all of `out`, with the bytes from `at` on.
    pub(crate) fn read_unwritten<'o>(&self, at: u64, out: &'o mut [MaybeUninit<u8>]) -> Result<&'o mut [u8]> {
        let len = out.len() as u64;
        let failed = |error| self.failed(&(at..at.saturating_add(len)), error);
        self.source.read_unwritten(at, out).map_err(failed)
    }

    /// Fetches several ranges; with several requests in flight if the source has latency.
    ///
    /// # Errors
    /// As [`Self::read_into`]; [`ErrorKind::Cancelled`].
    pub(crate) fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel) -> Result<Vec<Bytes>> {
        ranges.iter().try_for_each(|range| self.check_range(range.start, range.end - range.start))?;
        let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else { return Ok(Vec::new()) };
        fetch_all(&*self.source, ranges, cancel).map_err(|error| self.failed(&(first.start..last.end), error))
    }

    /// Returns an error if the file has changed since it was opened.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`], naming the file.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        self.source.check_unchanged().map_err(|error| Error::from(error).in_file(self.source.name()))
    }

    /// The error of a request for these bytes.
    pub(crate) fn failed(&self, range: &Range<u64>, error: io::Error) -> Error {
        let (at, len) = (range.start, range.end - range.start);
        // An error of this crate already describes what failed, such as a missing file of external data.
        let is_own = error.get_ref().is_some_and(|inner| inner.is::<Error>());
        let error = Error::from(error).in_file(self.source.name());
        let error = match error.kind() {
            _ if is_own => return error,
            // An error of the whole file or of the call is not related to these bytes.
            ErrorKind::Changed | ErrorKind::Cancelled => return error,
            // "Not found" is for objects: whoever asks for one must not take a failed read for its absence.
            ErrorKind::NotFound => error.with_kind(ErrorKind::Io),
            _ => error,
        };
        let error = error.with_context(format_args!("reading {len} bytes at byte {at:#x} failed"));
        if error.offset().is_none() { error.at_byte("raw data", at) } else { error }
    }

    /// The key, in the cache, of the block of unfiltered data at offset `start`.
    pub(crate) fn block_key(&self, start: u64) -> ChunkKey {
        ChunkKey::of_block(self.id, self.source.epoch(), start)
    }

    /// Returns an error for a range that extends beyond the end of the file. Called before memory is allocated for it.
    ///
    /// # Errors
    /// [`ErrorKind::Damaged`].
    pub fn check_range(&self, at: u64, len: u64) -> Result<()> {
        let file_len = self.source.len();
        if at <= file_len && len <= self.source.held_from(at) {
            return Ok(());
        }
        let what = format!(
            "{len} bytes of raw data at byte {at:#x} reach beyond the end of the file ({file_len} bytes)"
        );
        Err(Error::damaged(what).at_byte("raw data", at))
    }

    /// The number of chunks that have been decoded since the file was opened.
    pub fn decodes(&self) -> u64 {
        self.decodes.load(Ordering::Relaxed)
    }

    pub(crate) fn count_decode(&self) {
        self.decodes.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for DataSource {
    fn drop(&mut self) {
        // A file without a decoded chunk or a block has nothing in the cache.
        if *self.decodes.get_mut() > 0 || self.small_reads.has_blocks() {
            self.runtime.cache().remove_file(self.id);
        }
    }
}
