//! Finding the superblock in a source of bytes.

use crate::metadata::Metadata;
use crate::{Error, ErrorKind, Result};
use hyperslab_format::Widths;
use hyperslab_format::superblock::{self, Superblock, SuperblockExtension};
use hyperslab_io::Source;
use std::sync::Arc;

/// A source in which the superblock was found.
pub(crate) struct Located {
    pub(crate) source: Arc<dyn Source>,
    pub(crate) metadata: Metadata,
    pub(crate) superblock: Superblock,
    /// The extension of the superblock. Its error is reported only if the extension is needed.
    pub(crate) extension: Result<Option<SuperblockExtension>>,
}

impl Located {
    pub(crate) fn find(source: Arc<dyn Source>) -> Result<Self> {
        let metadata = Metadata::new(source.clone());
        let superblock = metadata
            .drive(0, Widths::default(), |view| superblock::locate(*view))
            .map_err(|error| explain_open(error, &*source).in_file(source.name()))?;
        let extension = metadata
            .drive(superblock.base, superblock.widths, |view| SuperblockExtension::parse(*view, &superblock));
        Ok(Self { source, metadata, superblock, extension })
    }

    /// The same bytes, read from another source from now on. Metadata that was already read is kept.
    pub(crate) fn through(self, source: Arc<dyn Source>) -> Self {
        Self { metadata: self.metadata.through(source.clone()), source, ..self }
    }
}

/// The signature of the history file of the onion driver.
const ONION: [u8; 4] = *b"OHDH";

fn explain_open(error: Error, source: &dyn Source) -> Error {
    if error.field() != Some("signature") {
        return error;
    }
    let error = error.with_kind(ErrorKind::NotHdf5);
    let mut head = ONION.map(|_| 0);
    if source.len() >= head.len() as u64 && source.read_into(0, &mut head).is_ok() && head == ONION {
        return error
            .with_message("not an HDF5 file, but a history of revisions written by the onion driver")
            .with_hint(
                "the file of the same name without .onion can be opened; it holds the first revision",
            );
    }
    error
        .with_message("not an HDF5 file: no HDF5 signature was found")
        .with_hint("hyperslab reads HDF5 and netCDF-4 files; netCDF classic and HDF4 are different formats")
}
