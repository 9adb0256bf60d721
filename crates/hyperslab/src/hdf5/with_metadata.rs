//! The source of a file together with its metadata that was fetched.

use super::file::Hdf5File;
use bytes::Bytes;
use hyperslab_format::Fetched;
use hyperslab_io::{Source, forward_source};
use std::sync::Arc;

/// The source of a file, which knows the metadata that was fetched, too.
pub(crate) struct WithMetadata {
    pub file: Arc<Hdf5File>,
    pub source: Arc<dyn Source>,
}

impl Source for WithMetadata {
    forward_source!(self => self.source; len, epoch, held_from, stored_bytes, beginning, read_into, fetch);
    forward_source!(self => self.source; check_unchanged, advice, metadata_gap_bytes, name, path);

    fn known(&self, at: u64, len: u64) -> Option<Bytes> {
        self.source.known(at, len).or_else(|| self.file.metadata.get(at, len))
    }
}
