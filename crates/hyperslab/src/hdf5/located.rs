//! Finding the superblock in a source of bytes.

use crate::hdf5::metadata::Metadata;
use crate::{Error, ErrorKind, Result};
use hyperslab_format::superblock::{self, Superblock, SuperblockExtension};
use hyperslab_format::{Address, Bytes, View, Widths};
use hyperslab_io::{HEAD_BYTES, Source, recognize};
use std::sync::Arc;

/// A source in which the superblock was found.
pub(crate) struct Located {
    pub(crate) source: Arc<dyn Source>,
    pub(crate) metadata: Metadata,
    pub(crate) superblock: Superblock,
    /// The extension of the superblock. Its error is reported only if the extension is needed.
    pub(crate) extension: Result<Option<SuperblockExtension>>,
}

/// The first bytes of a source, before it is known which format it has.
pub(crate) struct Beginning {
    source: Arc<dyn Source>,
    metadata: Metadata,
}

/// So many first bytes tell the format.
const MAGIC_BYTES: u64 = 8;

impl Beginning {
    pub(crate) fn of(source: Arc<dyn Source>) -> Self {
        Self { metadata: Metadata::new(source.clone()), source }
    }

    /// The first bytes; fewer if the file is shorter. They are read as the superblock is, so that they take no read of their
    /// own.
    pub(crate) fn magic(&self) -> Result<Bytes> {
        let len = MAGIC_BYTES.min(self.source.len());
        if len == 0 {
            return Ok(Bytes::new());
        }
        let magic = |view: &View| view.bytes("first bytes", Address(0), len);
        self.metadata.drive(0, Widths::default(), magic).map_err(|error| error.in_file(self.source.name()))
    }
}

impl Located {
    pub(crate) fn find(source: Arc<dyn Source>) -> Result<Self> {
        Self::find_behind(Beginning::of(source))
    }

    pub(crate) fn find_behind(Beginning { source, metadata }: Beginning) -> Result<Self> {
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

fn explain_open(error: Error, source: &dyn Source) -> Error {
    if error.field() != Some("signature") {
        return error;
    }
    let error = error.with_kind(ErrorKind::NotHdf5);
    match recognize(&head(source), source.len()) {
        Some(format) => {
            error.with_message(format!("not an HDF5 file, but {}", format.what)).with_hint(format.hint)
        }
        None => error
            .with_message("not an HDF5 file: no HDF5 signature was found")
            .with_hint("hyperslab reads HDF5, netCDF-4, netCDF classic and HDF4 files"),
    }
}

/// The first bytes; what opening a distant file has brought is enough.
fn head(source: &dyn Source) -> Vec<u8> {
    let known = source.beginning();
    if !known.is_empty() {
        return known[..known.len().min(HEAD_BYTES)].to_vec();
    }
    let mut head = vec![0; source.len().min(HEAD_BYTES as u64) as usize];
    match source.read_into(0, &mut head) {
        Ok(()) => head,
        Err(_) => Vec::new(),
    }
}
