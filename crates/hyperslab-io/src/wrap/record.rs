//! Records every request to a source, for tests of I/O patterns.

use crate::{Cancel, Deliver, Source, forward_source};
use std::io;
use std::mem::MaybeUninit;
use std::ops::Range;
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
    forward_source!(self => self.inner; len, is_empty, epoch, held_from, stored_bytes, beginning, known);
    forward_source!(self => self.inner; knows_structures, check_unchanged, lock_shared, unlock, version, advice);
    forward_source!(self => self.inner; metadata_gap_bytes, name, path);

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
}
