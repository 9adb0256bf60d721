//! An open file: its bytes, its superblock, its root group.

use crate::driver::{self, Driver, FirstMember};
use crate::format_error::format_error;
use crate::linked_files::{LinkedFiles, Purpose};
use crate::located::Located;
use crate::metadata::Metadata;
use crate::{Error, Result};
use hyperslab_array::array::{ChunkState, DataSource};
use hyperslab_array::chunk::cache::Stats;
use hyperslab_array::runtime::Runtime;
use hyperslab_format::message::cache_image::{CacheImage, OverlayEntries};
use hyperslab_format::message::shared_message_table::SharedMessageTableInfo;
use hyperslab_format::object_header::{Context, SharedMessageTable};
use hyperslab_format::superblock::{Superblock, SuperblockExtension};
use hyperslab_format::{Address, Parse, View};
use hyperslab_io::{LocalFiles, Location, Opener, Source};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// An HDF5 file, open for reading. Cheap to clone; all clones share what was read.
#[derive(Clone)]
pub struct File {
    pub(crate) inner: Arc<FileInner>,
}

/// What the objects of a file share.
pub(crate) struct FileInner {
    pub(crate) source: Arc<dyn Source>,
    /// The same bytes, as reads of arrays see them.
    pub(crate) data: Arc<DataSource>,
    driver: Option<Driver>,
    pub(crate) superblock: Superblock,
    metadata: Metadata,
    shared_messages_at: Option<SharedMessageTableInfo>,
    shared_messages: OnceLock<Option<SharedMessageTable>>,
    /// The other files that this one refers to.
    linked: LinkedFiles<FileInner>,
    /// By the addresses of object headers: what was learnt of datasets stays when they are opened again.
    chunk_states: Mutex<HashMap<Address, Arc<ChunkState>>>,
}

/// Chunk indexes of datasets that are not open are kept up to this many chunks in all, and this many datasets.
const IDLE_CHUNKS_MAX: usize = 1 << 20;
const IDLE_DATASETS_MAX: usize = 1 << 12;
const IDLE_CHECKED_EACH: usize = 64;

impl File {
    /// Opens the file at a location, with this cache and these threads, and reads it through what `wrap` makes of its
    /// bytes.
    pub(crate) fn open_location(
        opener: Arc<dyn Opener>,
        location: Location,
        runtime: Runtime,
        wrap: impl FnOnce(Arc<dyn Source>) -> Arc<dyn Source>,
    ) -> Result<Self> {
        Self::open_at(LinkedFiles::new(opener, Some(location)), runtime, wrap)
    }

    /// Opens whatever answers ranges of bytes, with this cache and these threads.
    pub(crate) fn open_source(source: Arc<dyn Source>, runtime: Runtime) -> Result<Self> {
        let own = source.path().map(Location::from);
        let linked = LinkedFiles::new(Arc::new(LocalFiles), own);
        Self::new(Located::find(source)?, None, linked, runtime)
    }

    /// Opens the file whose links these are.
    fn open_at(
        linked: LinkedFiles<FileInner>,
        runtime: Runtime,
        wrap: impl FnOnce(Arc<dyn Source>) -> Arc<dyn Source>,
    ) -> Result<Self> {
        let first = FirstMember::open(linked.opener(), linked.own().unwrap_or(&Location::from("")))?;
        let located = Located::find(first.source.clone())?;
        let members = first.members(linked.opener(), &located);
        let linked = linked.of(first.location);
        match members.map_err(|error| error.in_file(first.source.name()))? {
            None => Self::new(located.through(wrap(first.source)), None, linked, runtime),
            Some((driver, pieces)) => {
                Self::new(Located::find(wrap(Arc::new(pieces)))?, Some(driver), linked, runtime)
            }
        }
    }

    fn new(
        located: Located,
        driver: Option<Driver>,
        linked: LinkedFiles<FileInner>,
        runtime: Runtime,
    ) -> Result<Self> {
        let name = located.source.name();
        located
            .superblock
            .check_end_of_file(located.source.len())
            .map_err(|error| driver::explain_end(format_error(error), &located).in_file(&name))?;
        let Located { source, metadata, superblock, extension } = located;
        let extension = extension.map_err(|error| error.in_file(&name))?;
        let mut inner = FileInner {
            data: Arc::new(DataSource::new(source.clone(), runtime)),
            source,
            driver,
            superblock,
            metadata,
            shared_messages_at: None,
            shared_messages: OnceLock::new(),
            linked,
            chunk_states: Mutex::default(),
        };
        extension.map_or(Ok(()), |extension| inner.use_extension(extension))?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// True where both are the same opening of the same file.
    pub fn is_same(&self, other: &File) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Path or URL.
    pub fn name(&self) -> String {
        self.inner.source.name()
    }

    /// Bytes of the file, in all of its members.
    pub fn len(&self) -> u64 {
        self.inner.source.stored_bytes()
    }

    /// The driver whose members the file consists of, where they are several.
    pub fn driver(&self) -> Option<Driver> {
        self.inner.driver
    }

    /// Never true: an empty file cannot be opened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The structure at the beginning of the file.
    pub fn superblock(&self) -> &Superblock {
        &self.inner.superblock
    }

    /// What the cache of this file has done so far: its own, or the one of the process.
    pub fn cache_stats(&self) -> Stats {
        self.inner.data.runtime.cache().stats()
    }

    /// How many chunks of this file have been decoded through this opening.
    pub fn decodes(&self) -> u64 {
        self.inner.data.decodes()
    }
}

impl FileInner {
    /// Opens an HDF5 file that this one refers to.
    pub(crate) fn linked_file(self: &Arc<Self>, name: &str, purpose: Purpose) -> Result<File> {
        let location = self.find_linked(name, purpose)?;
        let known_as = location.absolute();
        let own = self.linked.own().map(Location::absolute);
        if own.as_ref() == Some(&known_as) {
            return Ok(File { inner: self.clone() });
        }
        if let Some(inner) = self.linked.get(&known_as) {
            return Ok(File { inner });
        }
        if let Some(own) = own {
            self.linked.add(own, self.clone());
        }
        let file = File::open_at(self.linked.of(location), self.data.runtime.clone(), |source| source)?;
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
        let shared = match self.shared_messages.get() {
            Some(shared) => shared,
            None => {
                let table = self.shared_message_table()?;
                self.shared_messages.get_or_init(|| table)
            }
        };
        self.parse(|view| parser(Context { view: *view, shared: shared.as_ref() }))
    }

    /// The table of shared messages, if the file has one.
    fn shared_message_table(&self) -> Result<Option<SharedMessageTable>> {
        let parse = |info| self.parse(|view| SharedMessageTable::parse(*view, info));
        self.shared_messages_at.map(parse).transpose()
    }

    /// Takes from the superblock extension what reading depends on: lays the metadata cache image over the file, and
    /// notes where the table of shared messages lies.
    fn use_extension(&mut self, extension: SuperblockExtension) -> Result<()> {
        self.shared_messages_at = extension.shared_messages;
        if let Some(info) = extension.cache_image {
            let entries = self.parse(|view| {
                let image = CacheImage::parse(*view, info)?;
                Ok(OverlayEntries::new(*view, &image))
            })?;
            self.metadata.supersede(entries);
        }
        Ok(())
    }

    /// Runs a parser over this file, fetching what it lacks.
    pub(crate) fn parse<T>(&self, parser: impl FnMut(&View) -> Parse<T>) -> Result<T> {
        let superblock = &self.superblock;
        self.metadata
            .drive(superblock.base, superblock.widths, parser)
            .map_err(|error| error.in_file(self.source.name()))
    }

    /// Runs a long walk over this file, and hands over what it finds meanwhile.
    pub(crate) fn parse_in_passing<T>(
        &self,
        walk: impl FnMut(&View) -> Parse<Option<T>>,
        each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let superblock = &self.superblock;
        self.metadata
            .drive_in_passing(superblock.base, superblock.widths, walk, each)
            .map_err(|error| error.in_file(self.source.name()))
    }

    /// Where an address lies in the source.
    pub(crate) fn absolute(&self, address: Address) -> u64 {
        self.superblock.base.saturating_add(address.0)
    }

    /// What is known of the chunks of the dataset whose object header lies here.
    pub(crate) fn chunk_state(&self, header: Address) -> Arc<ChunkState> {
        let mut states = self.chunk_states.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = states.get(&header) {
            return known.clone();
        }
        // Counted now and then only: files may have many thousands of datasets.
        if states.len() % IDLE_CHECKED_EACH == IDLE_CHECKED_EACH - 1 {
            let chunks: usize = states.values().map(|state| state.known_chunks()).sum();
            if chunks > IDLE_CHUNKS_MAX || states.len() > IDLE_DATASETS_MAX {
                states.retain(|_, state| Arc::strong_count(state) > 1);
            }
        }
        states.entry(header).or_default().clone()
    }

    /// To be called between look-ups, never inside one.
    pub(crate) fn trim(&self) {
        self.metadata.trim();
    }
}
