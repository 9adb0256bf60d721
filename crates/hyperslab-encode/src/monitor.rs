//! How far a repack is, for other threads; and their wish to end it.

use hyperslab::Cancel;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a repack in progress.
#[derive(Debug)]
pub struct Monitor {
    /// Set to end the repack. What was written by then is incomplete.
    pub cancel: Cancel,
    total_bytes: AtomicU64,
    done_bytes: AtomicU64,
    written_bytes: AtomicU64,
}

impl Default for Monitor {
    fn default() -> Self {
        Self::new(Cancel::new())
    }
}

impl Monitor {
    /// A monitor with this flag.
    pub fn new(cancel: Cancel) -> Self {
        let [total_bytes, done_bytes, written_bytes] = Default::default();
        Self { cancel, total_bytes, done_bytes, written_bytes }
    }

    /// The bytes of data that have to be processed: decoded where data is decoded, otherwise as stored.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes.load(Ordering::Relaxed)
    }

    /// Those of them that were processed.
    pub fn done_bytes(&self) -> u64 {
        self.done_bytes.load(Ordering::Relaxed)
    }

    /// The bytes of data in the new file.
    pub fn written_bytes(&self) -> u64 {
        self.written_bytes.load(Ordering::Relaxed)
    }

    /// Sets the bytes that have to be processed.
    pub fn expect(&self, bytes: u64) {
        self.total_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that were processed, and what was written for them.
    pub fn done(&self, bytes: u64, written: u64) {
        self.done_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.written_bytes.fetch_add(written, Ordering::Relaxed);
    }

    /// # Errors
    ///
    /// The wish to end it.
    pub fn check(&self) -> Result<(), hyperslab::Error> {
        Ok(self.cancel.check()?)
    }
}
