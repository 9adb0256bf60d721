//! An open file and its objects, as their format has them: the door between the API and the formats.
//!
//! ```text
//! File, Group, Dataset, Attributes ─► FileInner, Node ─► Format, StoredObject ◄─ hdf5, classic
//! ```
//!
//! Everything above asks nothing else of a format: of which kind an object is, its links, its attributes, and its dataset as
//! an [`Array`](hyperslab_array::array::Array). What only one format has is behind the door of its own ([`crate::hdf5`]).

use crate::census::Census;
use crate::known_attributes::{AttributeEntry, KnownAttributes};
use crate::linked_files::{LinkedFiles, Purpose};
use crate::named_dimensions::NamedDimensions;
use crate::older::Form;
use crate::prefetch::Prefetch;
use crate::stored_dataset::StoredDataset;
use crate::{Error, Result};
use hyperslab_array::array::{ChunkState, DataSource, Operation, Origin};
use hyperslab_array::chunk::map::ChunkMap;
use hyperslab_array::runtime::Runtime;
use hyperslab_format::message::{Datatype, Link};
use hyperslab_format::object_header::ObjectKind;
use hyperslab_format::{Address, Name};
use hyperslab_io::{Epoch, Location, Source};
use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The format of an open file. A format is a folder beside `hdf5` that implements this and [`StoredObject`].
pub(crate) trait Format: Any + Send + Sync {
    /// Its name, such as `HDF5`.
    fn name(&self) -> &'static str;

    /// A word for it in documents that programs read, such as `hdf5`.
    fn word(&self) -> &'static str;

    /// The number of the root group. Formats whose objects have no addresses number them.
    fn root(&self) -> Address;

    /// The object with a number.
    fn object(&self, number: Address) -> Result<Arc<dyn StoredObject>>;

    /// The offset of an address in the source.
    fn absolute(&self, address: Address) -> u64;

    /// True if the file ends before the end that it names itself.
    fn is_truncated(&self) -> bool;

    /// True if the program that wrote the file did not close it, and the file says so.
    fn is_left_open(&self) -> bool {
        false
    }

    /// Fetches the metadata of a group and of what is below it in few rounds of requests, if the source has latency.
    fn prefetch(&self, _group: &dyn StoredObject, _wanted: &Prefetch) {}

    /// Drops metadata if much of it is kept. To be called between look-ups, never inside one.
    fn trim(&self) {}

    /// Who owns the bytes of a file of this length, if the header says it. HDF5 files are searched for it.
    fn census(&self, _file_bytes: u64) -> Option<Census> {
        None
    }

    /// The dimensions that the format names itself, if it does.
    fn dimensions(&self) -> Option<&NamedDimensions> {
        None
    }
}

/// An object of a file: its parts are read when they are asked for. Errors need not name the object.
pub(crate) trait StoredObject: Any + Send + Sync {
    /// The number by which links and references lead to it.
    fn number(&self) -> Address;

    /// What it is.
    fn kind(&self) -> ObjectKind;

    /// The structure that describes it, for errors.
    fn structure(&self) -> &'static str;

    /// All links of a group, sorted by the bytes of their names; links that cannot be parsed come last, as errors.
    fn links(&self) -> Result<Vec<Result<Link>>> {
        Ok(Vec::new())
    }

    /// The number of links. Where the file stores it, they are not read.
    fn link_count(&self) -> Result<u64> {
        Ok(0)
    }

    /// The link of this name. The group is not listed.
    fn link(&self, _name: &[u8]) -> Result<Option<Link>> {
        Ok(None)
    }

    /// True if the order in which links were created is stored. Older formats list objects in the order of the file.
    fn tracks_link_order(&self) -> bool {
        true
    }

    /// All attributes as the file stores them or, with a name, at least those of this name.
    fn attributes(&self, name: Option<&str>) -> Result<Vec<AttributeEntry>>;

    /// True if the order in which attributes were created is stored.
    fn tracks_attribute_order(&self) -> bool {
        true
    }

    /// The dataset. `node` is this object, and `operation` the call that led to it, which bounds its cost.
    fn dataset(&self, node: &Node, operation: &Operation) -> Result<StoredDataset>;

    /// The datatype of a named datatype.
    fn datatype(&self) -> Result<Datatype> {
        Err(Error::invalid("is not a named datatype, which HDF5 alone has"))
    }

    /// How the values of a dataset are stored, where HDF5 has no word for it.
    fn form(&self) -> Result<Option<Form>> {
        Ok(None)
    }
}

/// The state of the file in which an object was read, and the number of the object.
type ObjectKey = (Epoch, Address);

/// The state of an open file, which all of its objects share.
pub(crate) struct FileInner {
    pub(crate) source: Arc<dyn Source>,
    /// The same bytes, with the cache and the threads that reads of arrays use.
    pub(crate) data: Arc<DataSource>,
    pub(crate) format: Box<dyn Format>,
    /// True for a file that may be truncated: what only some objects need may be missing.
    pub(crate) is_lenient: bool,
    /// The other files that this one refers to, and how they are opened.
    linked: LinkedFiles<FileInner>,
    open_linked: OpenLinked,
    /// By the state of the file and the number of a dataset: its chunk index stays parsed when the dataset is opened again.
    chunk_states: Mutex<HashMap<ObjectKey, Arc<ChunkState>>>,
    /// By the same key: the attributes of a few objects that were asked for some, the newest at the end.
    attributes: Mutex<VecDeque<(ObjectKey, Arc<KnownAttributes>)>>,
    /// By the same number: chunk maps that are used instead of the chunk indexes of the file.
    chunk_maps: OnceLock<HashMap<Address, Arc<ChunkMap>>>,
}

/// Opens a file that another one refers to.
pub(crate) type OpenLinked = fn(LinkedFiles<FileInner>, Runtime) -> Result<Arc<FileInner>>;

/// Parsed chunk indexes of datasets that are not open are dropped above this many chunks in total ...
const IDLE_CHUNKS_MAX: usize = 1 << 20;
/// ... or above this many datasets.
const IDLE_DATASETS_MAX: usize = 1 << 12;
/// These limits are checked once in so many newly opened datasets.
const IDLE_CHECKED_EACH: usize = 64;
/// The attributes of so many objects are kept for a program that opens an object anew for each attribute.
const ATTRIBUTES_OF_MAX: usize = 4;

impl FileInner {
    /// The file that `format` has read the beginning of.
    pub(crate) fn new(
        data: Arc<DataSource>,
        format: Box<dyn Format>,
        linked: LinkedFiles<FileInner>,
        open_linked: OpenLinked,
        is_lenient: bool,
    ) -> Self {
        Self {
            source: data.source.clone(),
            data,
            format,
            is_lenient,
            linked,
            open_linked,
            chunk_states: Mutex::default(),
            attributes: Mutex::default(),
            chunk_maps: OnceLock::new(),
        }
    }

    /// The same file with other objects.
    pub(crate) fn seen_as(&self, format: Box<dyn Format>) -> Self {
        let data = Arc::new(DataSource::new(self.source.clone(), self.data.runtime.clone()));
        Self::new(data, format, self.linked.again(), self.open_linked, self.is_lenient)
    }

    /// Opens a file that this one refers to.
    pub(crate) fn linked_file(self: &Arc<Self>, name: &str, purpose: Purpose) -> Result<Arc<FileInner>> {
        let location = self.find_linked(name, purpose)?;
        let known_as = location.absolute();
        let own = self.linked.own_absolute().cloned();
        if own.as_ref() == Some(&known_as) {
            return Ok(self.clone());
        }
        if let Some(inner) = self.linked.get(&known_as) {
            return Ok(inner);
        }
        if let Some(own) = own {
            self.linked.add(own, self.clone());
        }
        let opened = (self.open_linked)(self.linked.of(location), self.data.runtime.clone())?;
        Ok(self.linked.add(known_as, opened))
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

    /// The offset of an address in the source.
    pub(crate) fn absolute(&self, address: Address) -> u64 {
        self.format.absolute(address)
    }

    /// The chunk state of the dataset with this number.
    pub(crate) fn chunk_state(&self, dataset: Address) -> Arc<ChunkState> {
        let key = (self.source.epoch(), dataset);
        let mut states = self.chunk_states.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = states.get(&key) {
            return known.clone();
        }
        // Not counted every time: a file may have many thousands of datasets.
        if states.len() % IDLE_CHECKED_EACH == IDLE_CHECKED_EACH - 1 {
            let chunks: usize = states.values().map(|state| state.known_chunks()).sum();
            if chunks > IDLE_CHUNKS_MAX || states.len() > IDLE_DATASETS_MAX {
                states.retain(|_, state| Arc::strong_count(state) > 1);
            }
        }
        let new = || Arc::new(self.chunk_map(dataset).map_or_else(ChunkState::default, ChunkState::known));
        states.entry(key).or_insert_with(new).clone()
    }

    /// What is known of the attributes of the object with this number.
    fn attributes(&self, object: Address) -> Arc<KnownAttributes> {
        let key = (self.source.epoch(), object);
        let mut recent = self.attributes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = recent.iter().find(|(of, _)| *of == key) {
            return known.clone();
        }
        if recent.len() == ATTRIBUTES_OF_MAX {
            recent.pop_front();
        }
        let new = Arc::<KnownAttributes>::default();
        recent.push_back((key, new.clone()));
        new
    }

    /// Uses these chunk maps from now on, by the numbers of their datasets. Only the first call has an effect.
    pub(crate) fn use_chunk_maps(&self, maps: HashMap<Address, Arc<ChunkMap>>) {
        let _ = self.chunk_maps.set(maps);
    }

    /// The chunk map to use instead of the chunk index of the dataset with this number.
    pub(crate) fn chunk_map(&self, dataset: Address) -> Option<Arc<ChunkMap>> {
        self.chunk_maps.get()?.get(&dataset).cloned()
    }
}

/// An object, its file, and the path by which it was opened.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) file: Arc<FileInner>,
    pub(crate) path: String,
    pub(crate) object: Arc<dyn StoredObject>,
    pub(crate) known: Arc<OnceLock<Arc<KnownAttributes>>>,
}

impl Node {
    pub(crate) fn open(file: &Arc<FileInner>, number: Address, path: String) -> Result<Self> {
        file.format.trim();
        let object = file.format.object(number).map_err(|error| error.at_object(path.clone()))?;
        Ok(Self { file: file.clone(), path, object, known: Arc::default() })
    }

    /// The group from which every path of a file starts.
    pub(crate) fn root(file: &Arc<FileInner>) -> Result<Self> {
        Node::open(file, file.format.root(), "/".into())
    }

    /// What is known of its attributes.
    pub(crate) fn known_attributes(&self) -> &KnownAttributes {
        self.known.get_or_init(|| self.file.attributes(self.object.number()))
    }

    /// The link of this name.
    pub(crate) fn link(&self, name: &str) -> Result<Option<Link>> {
        let found = self.object.link(name.as_bytes()).map_err(|error| self.named(error))?;
        if found.is_some() {
            return Ok(found);
        }
        let Some(other) = Name::in_latin1(name) else { return Ok(None) };
        self.object.link(other.as_bytes()).map_err(|error| self.named(error))
    }

    /// The path of a member of this group.
    pub(crate) fn path_of(&self, name: &Name) -> String {
        let path = &self.path;
        if path.ends_with('/') { format!("{path}{name}") } else { format!("{path}/{name}") }
    }

    /// The file, the path and the place of the object, for errors.
    pub(crate) fn origin(&self) -> Origin {
        Origin {
            file: self.file.source.clone(),
            path: self.path.clone(),
            structure: self.object.structure(),
            at: self.file.absolute(self.object.number()),
        }
    }

    /// Adds this object and its file to an error.
    pub(crate) fn named(&self, error: Error) -> Error {
        self.origin().named(error)
    }

    /// Adds this object and its file to an error, and the offset of its header unless the error has an offset.
    pub(crate) fn located(&self, error: Error) -> Error {
        self.origin().located(error)
    }
}
