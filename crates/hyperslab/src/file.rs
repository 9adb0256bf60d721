//! An open file: its bytes, its superblock, its root group.

use crate::driver::{self, Driver, FirstMember};
use crate::format_error::format_error;
use crate::linked_files::{LinkedFiles, Purpose};
use crate::located::Located;
use crate::metadata::Metadata;
use crate::{Error, Result};
use hyperslab_array::array::{ChunkState, DataSource};
use hyperslab_array::chunk::cache::Stats;
use hyperslab_array::chunk::map::ChunkMap;
use hyperslab_array::runtime::Runtime;
use hyperslab_format::message::FileSpaceStrategy;
use hyperslab_format::message::cache_image::{CacheImage, OverlayEntries};
use hyperslab_format::message::shared_message_table::SharedMessageTableInfo;
use hyperslab_format::object_header::{Context, SharedMessageTable};
use hyperslab_format::superblock::{Superblock, SuperblockExtension};
use hyperslab_format::{Address, Parse, View};
use hyperslab_io::{LocalFiles, Location, Opener, Source};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// An HDF5 file, open for reading. Cheap to clone: all clones share the metadata that was read.
#[derive(Clone)]
pub struct File {
    pub(crate) inner: Arc<FileInner>,
}

/// The state of an open file, which all of its objects share.
pub(crate) struct FileInner {
    pub(crate) source: Arc<dyn Source>,
    /// The same bytes, with the cache and the threads that reads of arrays use.
    pub(crate) data: Arc<DataSource>,
    driver: Option<Driver>,
    pub(crate) superblock: Superblock,
    metadata: Metadata,
    shared_messages_at: Option<SharedMessageTableInfo>,
    shared_messages: OnceLock<Option<SharedMessageTable>>,
    /// True for a file that may be truncated: what only some objects need may be missing.
    pub(crate) is_lenient: bool,
    /// The other files that this one refers to.
    linked: LinkedFiles<FileInner>,
    /// By the address of a dataset's object header: its chunk index stays parsed when the dataset is opened again.
    chunk_states: Mutex<HashMap<Address, Arc<ChunkState>>>,
    /// By the same address: chunk maps that are used instead of the chunk indexes of the file.
    chunk_maps: OnceLock<HashMap<Address, Arc<ChunkMap>>>,
}

/// Parsed chunk indexes of datasets that are not open are dropped above this many chunks in total ...
const IDLE_CHUNKS_MAX: usize = 1 << 20;
/// ... or above this many datasets.
const IDLE_DATASETS_MAX: usize = 1 << 12;
/// These limits are checked once in so many newly opened datasets.
const IDLE_CHECKED_EACH: usize = 64;

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
        Self::open_at(LinkedFiles::new(opener, Some(location)), runtime, is_lenient, wrap)
    }

    /// Opens the file that a source contains, with this cache and these threads.
    pub(crate) fn open_source(source: Arc<dyn Source>, runtime: Runtime, is_lenient: bool) -> Result<Self> {
        let own = source.path().map(Location::from);
        let linked = LinkedFiles::new(Arc::new(LocalFiles), own);
        Self::new(Located::find(source)?, None, linked, runtime, is_lenient)
    }

    /// Opens the file that `linked` belongs to.
    fn open_at(
        linked: LinkedFiles<FileInner>,
        runtime: Runtime,
        is_lenient: bool,
        wrap: impl FnOnce(Arc<dyn Source>) -> Arc<dyn Source>,
    ) -> Result<Self> {
        let first = FirstMember::open(linked.opener(), linked.own().unwrap_or(&Location::from("")))?;
        let located = Located::find(first.source.clone())?;
        let members = first.members(linked.opener(), &located);
        let linked = linked.of(first.location);
        match members.map_err(|error| error.in_file(first.source.name()))? {
            None => Self::new(located.through(wrap(first.source)), None, linked, runtime, is_lenient),
            Some((driver, pieces)) => {
                Self::new(Located::find(wrap(Arc::new(pieces)))?, Some(driver), linked, runtime, false)
            }
        }
    }

    fn new(
        located: Located,
        driver: Option<Driver>,
        linked: LinkedFiles<FileInner>,
        runtime: Runtime,
        is_lenient: bool,
    ) -> Result<Self> {
        let name = located.source.name();
        if !is_lenient {
            let explained = |error| driver::explain_end(format_error(error), &located).in_file(&name);
            located.superblock.check_end_of_file(located.source.len()).map_err(explained)?;
        }
        let Located { source, metadata, superblock, extension } = located;
        // Needed from truncated files, too: a cache image that it names takes the place of metadata elsewhere.
        let extension = extension.map_err(|error| error.in_file(&name))?;
        let mut inner = FileInner {
            data: Arc::new(DataSource::new(source.clone(), runtime)),
            source,
            driver,
            superblock,
            metadata,
            shared_messages_at: None,
            shared_messages: OnceLock::new(),
            is_lenient,
            linked,
            chunk_states: Mutex::default(),
            chunk_maps: OnceLock::new(),
        };
        extension.map_or(Ok(()), |extension| inner.use_extension(extension))?;
        Ok(Self { inner: Arc::new(inner) })
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
        self.inner.driver
    }

    /// Never true: an empty file cannot be opened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the file ends before the end that its superblock names.
    pub fn is_truncated(&self) -> bool {
        self.inner.superblock.check_end_of_file(self.inner.source.len()).is_err()
    }

    /// The version of the superblock, 0 to 3: which generation of the file format the file begins with.
    pub fn superblock_version(&self) -> u8 {
        self.inner.superblock.version
    }

    /// Bytes before the superblock, which belong to the user (h5py's `userblock_size`).
    pub fn userblock_bytes(&self) -> u64 {
        self.inner.superblock.base
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

impl FileInner {
    /// Opens an HDF5 file that this one refers to.
    pub(crate) fn linked_file(self: &Arc<Self>, name: &str, purpose: Purpose) -> Result<File> {
        let location = self.find_linked(name, purpose)?;
        let known_as = location.absolute();
        let own = self.linked.own_absolute().cloned();
        if own.as_ref() == Some(&known_as) {
            return Ok(File { inner: self.clone() });
        }
        if let Some(inner) = self.linked.get(&known_as) {
            return Ok(File { inner });
        }
        if let Some(own) = own {
            self.linked.add(own, self.clone());
        }
        let file =
            File::open_at(self.linked.of(location), self.data.runtime.clone(), false, |source| source)?;
        Ok(File { inner: self.linked.add(known_as, file.inner) })
    }

    /// Opens a file of raw data that this one refers to.
    pub(crate) fn linked_data(&self, name: &str) -> Result<Arc<dyn Source>> {
        let location = self.find_linked(name, Purpose::RawData)?;
        let opened = self.linked.opener().open(&location);
        opened.map_err(|error| Error::from(error).in_file(location.to_string()))
    }

    fn find_linked(&self, name: &str, purpose: Purpose) -> Result<Location> {
        self.linked.find(name, purpose).map_err(|error| error.in_file(self.source.name()))
    }

    /// Runs a parser over this file that may contain shared messages.
    pub(crate) fn parse_shared<T>(&self, mut parser: impl FnMut(Context<'_>) -> Parse<T>) -> Result<T> {
        let shared = self.shared_messages()?;
        self.parse(|view| parser(Context { view: *view, shared }))
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

    /// The table of shared messages, if the file has one.
    fn shared_message_table(&self) -> Result<Option<SharedMessageTable>> {
        let parse = |info| self.parse(|view| SharedMessageTable::parse(*view, info));
        self.shared_messages_at.map(parse).transpose()
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

    /// Runs a parser over this file and fetches the bytes that it needs.
    pub(crate) fn parse<T>(&self, parser: impl FnMut(&View) -> Parse<T>) -> Result<T> {
        let superblock = &self.superblock;
        self.metadata
            .drive(superblock.base, superblock.widths, parser)
            .map_err(|error| error.in_file(self.source.name()))
    }

    /// Runs a long traversal over this file. `each` is called with every batch of results as it is found.
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

    /// The metadata that was fetched.
    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The offset of an address in the source.
    pub(crate) fn absolute(&self, address: Address) -> u64 {
        self.superblock.base.saturating_add(address.0)
    }

    /// The chunk state of the dataset whose object header is at this address.
    pub(crate) fn chunk_state(&self, header: Address) -> Arc<ChunkState> {
        let mut states = self.chunk_states.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = states.get(&header) {
            return known.clone();
        }
        // Not counted every time: a file may have many thousands of datasets.
        if states.len() % IDLE_CHECKED_EACH == IDLE_CHECKED_EACH - 1 {
            let chunks: usize = states.values().map(|state| state.known_chunks()).sum();
            if chunks > IDLE_CHUNKS_MAX || states.len() > IDLE_DATASETS_MAX {
                states.retain(|_, state| Arc::strong_count(state) > 1);
            }
        }
        let new = || Arc::new(self.chunk_map(header).map_or_else(ChunkState::default, ChunkState::known));
        states.entry(header).or_insert_with(new).clone()
    }

    /// Uses these chunk maps from now on, by the addresses of the object headers of their datasets. Only the first call
    /// has an effect.
    pub(crate) fn use_chunk_maps(&self, maps: HashMap<Address, Arc<ChunkMap>>) {
        let _ = self.chunk_maps.set(maps);
    }

    /// The chunk map to use instead of the chunk index of the dataset whose object header is at this address.
    pub(crate) fn chunk_map(&self, header: Address) -> Option<Arc<ChunkMap>> {
        self.chunk_maps.get()?.get(&header).cloned()
    }

    /// Keeps at most this many bytes of metadata between look-ups from now on.
    pub(crate) fn limit_metadata_cache(&self, bytes_max: usize) {
        self.metadata.limit(bytes_max);
    }

    /// Drops cached metadata if there is much of it. To be called between look-ups, never inside one.
    pub(crate) fn trim(&self) {
        self.metadata.trim();
    }
}
