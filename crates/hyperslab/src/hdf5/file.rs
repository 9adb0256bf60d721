//! An open HDF5 file: its superblock, its metadata, and parsers that run over it.

use super::driver::Driver;
use super::metadata::Metadata;
use crate::open_file::FileInner;
use crate::{Error, Result};
use hyperslab_format::message::FileSpaceStrategy;
use hyperslab_format::message::cache_image::{CacheImage, OverlayEntries};
use hyperslab_format::message::shared_message_table::SharedMessageTableInfo;
use hyperslab_format::object_header::{Context, SharedMessageTable};
use hyperslab_format::superblock::{Superblock, SuperblockExtension};
use hyperslab_format::{Parse, View, Widths};
use hyperslab_io::Source;
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// What is known of an HDF5 file, apart from its objects.
pub(crate) struct Hdf5File {
    pub(crate) source: Arc<dyn Source>,
    pub(crate) driver: Option<Driver>,
    pub(crate) superblock: Superblock,
    pub(crate) metadata: Metadata,
    is_lenient: bool,
    shared_messages_at: Option<SharedMessageTableInfo>,
    shared_messages: OnceLock<Option<SharedMessageTable>>,
}

impl Hdf5File {
    pub(super) fn new(
        source: Arc<dyn Source>,
        metadata: Metadata,
        superblock: Superblock,
        extension: Option<SuperblockExtension>,
        driver: Option<Driver>,
        is_lenient: bool,
    ) -> Result<Self> {
        let (shared_messages_at, shared_messages) = Default::default();
        let mut file =
            Self { source, driver, superblock, metadata, is_lenient, shared_messages_at, shared_messages };
        extension.map_or(Ok(()), |extension| file.use_extension(extension))?;
        Ok(file)
    }

    /// Uses the parts of the superblock extension that reading depends on: the metadata cache image, which replaces
    /// bytes of the file, and the address of the shared message table.
    fn use_extension(&mut self, extension: SuperblockExtension) -> Result<()> {
        self.shared_messages_at = extension.shared_messages;
        let pages = extension.file_space.filter(|space| space.strategy == FileSpaceStrategy::Page);
        pages.iter().for_each(|space| self.metadata.paged(space.page_size));
        if let Some(k) = extension.btree_k {
            let superblock = &mut self.superblock;
            superblock.chunk_internal_k = k.chunk_internal;
            (superblock.group_internal_k, superblock.group_leaf_k) = (k.group_internal, k.group_leaf);
        }
        if let Some(info) = extension.cache_image {
            let entries = self.parse(|view| {
                let image = CacheImage::parse(*view, info)?;
                Ok(OverlayEntries::new(*view, &image))
            })?;
            self.metadata.supersede(entries);
        }
        Ok(())
    }

    /// The widths of addresses and lengths.
    pub(crate) fn widths(&self) -> Widths {
        self.superblock.widths
    }

    /// Runs a parser over the file and fetches the bytes that it needs.
    pub(crate) fn parse<T>(&self, parser: impl FnMut(&View) -> Parse<T>) -> Result<T> {
        let superblock = &self.superblock;
        self.metadata
            .drive(superblock.base, superblock.widths, parser)
            .map_err(|error| error.in_file(self.source.name()))
    }

    /// Runs a parser over the file that may contain shared messages.
    pub(crate) fn parse_shared<T>(&self, mut parser: impl FnMut(Context<'_>) -> Parse<T>) -> Result<T> {
        let shared = self.shared_messages()?;
        self.parse(|view| parser(Context { view: *view, shared }))
    }

    /// Runs a long traversal over the file. `each` is called with every batch of results as it is found.
    pub(crate) fn parse_in_passing<T>(
        &self,
        traversal: impl FnMut(&View) -> Parse<Option<T>>,
        each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let superblock = &self.superblock;
        self.metadata
            .drive_in_passing(superblock.base, superblock.widths, traversal, each)
            .map_err(|error| error.in_file(self.source.name()))
    }

    /// The table of shared messages, if the file has one; it is read once.
    pub(crate) fn shared_messages(&self) -> Result<Option<&SharedMessageTable>> {
        let shared = match self.shared_messages.get() {
            Some(shared) => shared,
            None => {
                let table = match self.shared_message_table() {
                    Err(_) if self.is_lenient => None,
                    table => table?,
                };
                self.shared_messages.get_or_init(|| table)
            }
        };
        Ok(shared.as_ref())
    }

    fn shared_message_table(&self) -> Result<Option<SharedMessageTable>> {
        let parse = |info| self.parse(|view| SharedMessageTable::parse(*view, info));
        self.shared_messages_at.map(parse).transpose()
    }
}

/// The format of an HDF5 file: what it answers is in `format.rs`.
pub(super) struct Hdf5(pub Arc<Hdf5File>);

impl FileInner {
    /// The file as an HDF5 file.
    ///
    /// # Errors
    /// For a file of another format, which does not have `what`, a part of HDF5 files.
    pub(crate) fn hdf5(&self, what: &str) -> Result<&Arc<Hdf5File>> {
        let format: &dyn Any = &*self.format;
        let found = format.downcast_ref::<Hdf5>().map(|hdf5| &hdf5.0);
        found.ok_or_else(|| {
            let lack = format!("{} has no {what}", self.format.name());
            Error::unsupported(lack).in_file(self.source.name())
        })
    }
}
