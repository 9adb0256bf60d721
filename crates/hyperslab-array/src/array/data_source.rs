//! The bytes that the arrays of one open file lie in.

use crate::runtime::Runtime;
use crate::{Error, ErrorKind, Result};
use hyperslab_io::Source;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One opening of a file, as reading sees it: a source of bytes, what decoded chunks of it are called in the cache,
/// and the cache and threads that its reads use. What the cache holds of it goes when it is dropped.
pub struct DataSource {
    /// Distinguishes this opening of this file from all others in the process.
    pub id: u64,
    /// The bytes.
    pub source: Arc<dyn Source>,
    /// The cache and the threads that reads use.
    pub runtime: Runtime,
    decodes: AtomicU64,
}

impl DataSource {
    /// A new opening of a source.
    pub fn new(source: Arc<dyn Source>, runtime: Runtime) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Self { id, source, runtime, decodes: AtomicU64::new(0) }
    }

    /// Fills `out` with the bytes from `at` on.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], naming the file and the byte.
    pub fn read_into(&self, at: u64, out: &mut [u8]) -> Result<()> {
        self.source.read_into(at, out).map_err(|error| {
            let what = format!("reading {} bytes at byte {at:#x} failed", out.len());
            let error = Error::from(error).with_context(what).in_file(self.source.name());
            // "Not found" is for objects: whoever asks for one must not take a failed read for its absence.
            let error =
                if error.kind() == ErrorKind::NotFound { error.with_kind(ErrorKind::Io) } else { error };
            if error.offset().is_none() { error.at_byte("raw data", at) } else { error }
        })
    }

    /// Refuses a range that reaches beyond the end of the file, before anything is allocated for it.
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

    /// How many chunks of this opening have been decoded.
    pub fn decodes(&self) -> u64 {
        self.decodes.load(Ordering::Relaxed)
    }

    pub(crate) fn count_decode(&self) {
        self.decodes.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for DataSource {
    fn drop(&mut self) {
        // A file without a decoded chunk has nothing in the cache.
        if *self.decodes.get_mut() > 0 {
            self.runtime.cache().remove_file(self.id);
        }
    }
}
