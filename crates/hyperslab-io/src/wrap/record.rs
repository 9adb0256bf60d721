//! Records every request to a source, for tests of I/O patterns.

use crate::{Advice, Cancel, Deliver, Epoch, Source, Version};
use bytes::Bytes;
use std::io;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The recorded requests, in the order in which they were made.
#[derive(Debug, Clone, Default)]
pub struct Recording(Arc<Mutex<Vec<Range<u64>>>>);

impl Recording {
    /// Returns the requests since the last call.
    pub fn take(&self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.0.lock().expect("no panic while recording"))
    }

    fn push(&self, range: Range<u64>) {
        self.0.lock().expect("no panic while recording").push(range);
    }
}

/// A source that records all requests to the source that it wraps.
pub struct Recorder<S> {
    inner: S,
    recording: Recording,
}

impl<S: Source> Recorder<S> {
    /// Wraps `inner`. Returns the source, and the recording to which its requests are added.
    pub fn new(inner: S) -> (Self, Recording) {
        let recording = Recording::default();
        (Self { inner, recording: recording.clone() }, recording)
    }
}

#[deny(clippy::missing_trait_methods)]
impl<S: Source> Source for Recorder<S> {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn epoch(&self) -> Epoch {
        self.inner.epoch()
    }

    fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    fn held_from(&self, at: u64) -> u64 {
        self.inner.held_from(at)
    }

    fn stored_bytes(&self) -> u64 {
        self.inner.stored_bytes()
    }

    fn beginning(&self) -> Bytes {
        self.inner.beginning()
    }

    fn known(&self, at: u64, len: u64) -> Option<Bytes> {
        self.inner.known(at, len)
    }

    fn knows_structures(&self) -> bool {
        self.inner.knows_structures()
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.recording.push(at..at + out.len() as u64);
        self.inner.read_into(at, out)
    }

    fn read_unwritten<'o>(&self, at: u64, out: &'o mut [MaybeUninit<u8>]) -> io::Result<&'o mut [u8]> {
        self.recording.push(at..at + out.len() as u64);
        self.inner.read_unwritten(at, out)
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        ranges.iter().for_each(|range| self.recording.push(range.clone()));
        self.inner.fetch(ranges, cancel, deliver);
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.inner.check_unchanged()
    }

    fn lock_shared(&self) -> io::Result<()> {
        self.inner.lock_shared()
    }

    fn unlock(&self) {
        self.inner.unlock();
    }

    fn version(&self) -> Option<Version> {
        self.inner.version()
    }

    fn advice(&self) -> Advice {
        self.inner.advice()
    }

    fn metadata_gap_bytes(&self) -> u64 {
        self.inner.metadata_gap_bytes()
    }

    fn name(&self) -> String {
        self.inner.name()
    }

    fn path(&self) -> Option<&Path> {
        self.inner.path()
    }
}
