//! An open file, whatever its format is.

use crate::linked_files::LinkedFiles;
use crate::named_dimensions::NamedDimensions;
use crate::open_file::FileInner;
use crate::{Driver, Result, formats};
use hyperslab_array::chunk::cache::Stats;
use hyperslab_array::runtime::Runtime;
use hyperslab_format::Address;
use hyperslab_io::{LocalFiles, Location, Opener, Source};
use std::sync::Arc;

/// A file, open for reading. Cheap to clone: all clones share the metadata that was read.
#[derive(Clone)]
pub struct File {
    pub(crate) inner: Arc<FileInner>,
}

impl File {
    /// Opens the file at a location, with this cache and these threads. `wrap` may put a source of its own around the
    /// file's source; the file is then read through it.
    pub(crate) fn open_location(
        opener: Arc<dyn Opener>,
        location: Location,
        runtime: Runtime,
        is_lenient: bool,
        wrap: impl FnOnce(Arc<dyn Source>) -> Arc<dyn Source>,
    ) -> Result<Self> {
        let linked = LinkedFiles::new(opener, Some(location));
        Ok(Self { inner: formats::open_at(linked, runtime, is_lenient, wrap)? })
    }

    /// Opens the file that a source contains, with this cache and these threads.
    pub(crate) fn open_source(source: Arc<dyn Source>, runtime: Runtime, is_lenient: bool) -> Result<Self> {
        let own = source.path().map(Location::from);
        let linked = LinkedFiles::new(Arc::new(LocalFiles), own);
        Ok(Self { inner: formats::open_source(source, linked, runtime, is_lenient)? })
    }

    /// True if both are clones of the same open file.
    pub fn is_same(&self, other: &File) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// The path or the URL.
    pub fn name(&self) -> String {
        self.inner.source.name()
    }

    /// The size of the file in bytes. For a file of several members, the sum of their sizes.
    pub fn len(&self) -> u64 {
        self.inner.source.stored_bytes()
    }

    /// The driver of a file that consists of several members; `None` for a single file.
    pub fn driver(&self) -> Option<Driver> {
        self.inner.hdf5("driver").ok()?.driver
    }

    /// Never true: an empty file cannot be opened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the file ends before the end that it names itself, in its superblock or by the places of its variables.
    pub fn is_truncated(&self) -> bool {
        self.inner.format.is_truncated()
    }

    /// The name of the file's format: `HDF5`, `netCDF classic`, `netCDF 64-bit offset` or `netCDF CDF-5`.
    pub fn format_name(&self) -> &'static str {
        self.inner.format.name()
    }

    /// A word for the file's format in documents that programs read: `hdf5`, `netcdf-classic-1`, `netcdf-classic-2` or
    /// `netcdf-classic-5`.
    pub fn format_word(&self) -> &'static str {
        self.inner.format.word()
    }

    /// The dimensions that the format itself names; `None` for HDF5, where attributes say them (`hyperslab-netcdf`).
    pub fn named_dimensions(&self) -> Option<&NamedDimensions> {
        self.inner.format.dimensions()
    }

    /// Bytes before the first one of the format, which belong to the user (h5py's `userblock_size`).
    pub fn userblock_bytes(&self) -> u64 {
        self.offset_of(Address(0))
    }

    /// The offset of an address in the file: addresses of HDF5 files count from the superblock.
    pub fn offset_of(&self, address: Address) -> u64 {
        self.inner.absolute(address)
    }

    /// The address of the root group, which is that of its object header in HDF5 files.
    pub fn root_address(&self) -> Address {
        self.inner.format.root()
    }

    /// The bytes of the file: those of all its members, if it consists of several.
    pub fn source(&self) -> Arc<dyn Source> {
        self.inner.source.clone()
    }

    /// The statistics of the chunk cache that this file uses: its own, or that of the process.
    pub fn cache_stats(&self) -> Stats {
        self.inner.data.runtime.cache().stats()
    }

    /// How many chunks have been decoded since the file was opened.
    pub fn decodes(&self) -> u64 {
        self.inner.data.decodes()
    }
}
