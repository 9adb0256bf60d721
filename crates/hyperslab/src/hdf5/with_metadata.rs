//! The source of a file together with its metadata that was fetched.

use super::file::Hdf5File;
use bytes::Bytes;
use hyperslab_format::Fetched;
use hyperslab_io::{Advice, Cancel, Deliver, Epoch, Source};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The source of a file, which knows the metadata that was fetched, too.
pub(crate) struct WithMetadata {
    pub file: Arc<Hdf5File>,
    pub source: Arc<dyn Source>,
}

impl Source for WithMetadata {
    fn len(&self) -> u64 {
        self.source.len()
    }

    fn epoch(&self) -> Epoch {
        self.source.epoch()
    }

    fn held_from(&self, at: u64) -> u64 {
        self.source.held_from(at)
    }

    fn stored_bytes(&self) -> u64 {
        self.source.stored_bytes()
    }

    fn beginning(&self) -> Bytes {
        self.source.beginning()
    }

    fn known(&self, at: u64, len: u64) -> Option<Bytes> {
        self.source.known(at, len).or_else(|| self.file.metadata.get(at, len))
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.source.read_into(at, out)
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        self.source.fetch(ranges, cancel, deliver);
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.source.check_unchanged()
    }

    fn advice(&self) -> Advice {
        self.source.advice()
    }

    fn metadata_gap_bytes(&self) -> u64 {
        self.source.metadata_gap_bytes()
    }

    fn name(&self) -> String {
        self.source.name()
    }

    fn path(&self) -> Option<&Path> {
        self.source.path()
    }
}
