//! What every engine offers: datasets that are read and written, files of many objects that are created and visited.

use crate::block::Block;
use crate::buffer::reserve;
use crate::error::{EngineError, unsupported};
use crate::object::{Attribute, Wanted};
use crate::storage::{CreationProperties, RecordLayout, Records};
use hyperslab_storage::CacheSettings;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How a file is opened for reading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OpenOptions {
    /// The chunk cache; the library's own default where none is set. hyperslab has none to set.
    pub cache: Option<CacheSettings>,
    /// What the library buffers of the file beside its chunks.
    #[serde(flatten)]
    pub buffers: FileBuffers,
    /// What is read of records, and how. hyperslab always gives them as they are stored.
    #[serde(default)]
    pub records: Records,
}

/// What a library buffers of a file beside its chunks, in bytes; none stands for the library's default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileBuffers {
    /// The page buffer; none by default, and none unless the file is paged.
    pub page_buffer: Option<u64>,
    /// The metadata cache, of this size from the beginning to the end; by default it adapts its size.
    #[serde(default)]
    pub metadata_cache: Option<u64>,
}

/// A dataset or a file of an engine, or why there is none.
pub type Opened<T> = Result<Box<T>, EngineError>;

/// Chunks that passed a pipeline of filters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// On their way out of the file.
    pub decodes: u64,
    /// On their way into the file.
    pub encodes: u64,
}

/// Tells how many chunks have passed since it was made.
pub type Counter = Box<dyn Fn() -> Counts>;

/// An engine that is loaded.
pub trait PreparedEngine {
    /// The engine's own version.
    fn version(&self) -> String;

    /// The version of the libhdf5 that reads and writes HDF5 for it.
    fn hdf5_version(&self) -> Option<String> {
        None
    }

    /// The chunk cache that a dataset gets where none is set; none where there is nothing to set.
    fn default_cache(&self) -> Option<CacheSettings> {
        None
    }

    /// Counts the chunks that pass a pipeline of these filters from now on, where the library allows it. Once a process.
    fn count(&self, _filters: &[u16]) -> Option<Counter> {
        None
    }

    /// Opens a dataset for reading.
    fn open(&self, file: &Path, dataset: &str, options: &OpenOptions) -> Opened<dyn OpenDataset>;

    /// Creates a file with one dataset, open for writing.
    fn create(
        &self,
        _file: &Path,
        _dataset: &str,
        _storage: &CreationProperties,
        _options: &OpenOptions,
    ) -> Opened<dyn OpenDataset> {
        unsupported("this engine does not write such files")
    }

    /// Creates a file for many objects, each dataset stored so.
    fn make(&self, _file: &Path, _storage: &CreationProperties) -> Opened<dyn Creator> {
        unsupported("this engine does not write such files")
    }

    /// Opens a file to visit all its objects.
    fn visit(&self, file: &Path, options: &OpenOptions) -> Opened<dyn Visitor>;
}

/// A dataset, open for reading or writing. Numbers have the machine's byte order in memory.
pub trait OpenDataset {
    /// Bytes of one element in memory.
    fn element_bytes(&self) -> usize;

    /// Where the fields of records lie in memory; none for elements that are not records.
    fn layout(&self) -> Result<Option<&RecordLayout>, EngineError> {
        Ok(None)
    }

    /// Reads a block into `out`, which has as many bytes as its elements.
    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError>;

    /// Writes a block from `values`, which has as many bytes as its elements.
    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError>;

    /// Chunks decoded since it was opened, by an engine that counts them itself.
    fn decodes(&self) -> Option<u64> {
        None
    }

    /// The chunk cache that the dataset got, where the library tells; else it is the library's default.
    fn cache(&self) -> Result<Option<CacheSettings>, EngineError> {
        Ok(None)
    }

    /// What passed the page buffer since the file was opened, where there is one that counts.
    fn page_buffer(&self) -> Option<PageBuffer> {
        None
    }

    /// Closes the dataset, and the file if nothing else of it is open: then everything is in the file.
    fn close(self: Box<Self>) -> Result<(), EngineError>;
}

/// A new file into which objects are put.
pub trait Creator {
    /// Creates a group with attributes. The group that it lies in was created before.
    fn group(&mut self, path: &str, attributes: &[(String, Attribute)]) -> Result<(), EngineError>;

    /// Creates a dataset with attributes, open for its values.
    fn dataset(&mut self, path: &str, attributes: &[(String, Attribute)]) -> Opened<dyn OpenDataset>;

    /// Opens a dataset that was created before.
    fn reopen(&mut self, path: &str) -> Opened<dyn OpenDataset>;

    /// Closes the file.
    fn close(self: Box<Self>) -> Result<(), EngineError>;
}

/// An open file of which all objects are visited.
pub trait Visitor {
    /// Visits all groups and datasets, each once, and tells of each.
    fn visit(&mut self, wanted: Wanted, seen: &mut dyn FnMut(Event<'_>)) -> Result<(), EngineError>;

    /// What passed the page buffer since the file was opened, where there is one that counts.
    fn page_buffer(&self) -> Option<PageBuffer> {
        None
    }

    /// Closes the file.
    fn close(self: Box<Self>) -> Result<(), EngineError>;
}

/// Something that was visited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'a> {
    /// A group; the root has an empty path.
    Group {
        /// Its path, without a slash before it.
        path: &'a str,
    },
    /// A dataset.
    Dataset {
        /// Its path.
        path: &'a str,
        /// Its extent; none where it has no elements at all.
        shape: Option<&'a [u64]>,
        /// The values that were wanted: numbers as the machine has them, all else as in the file. None of types whose
        /// elements lead to what lies elsewhere: those of variable length, references.
        values: &'a [u8],
    },
    /// An attribute of the object that was told of last.
    Attribute {
        /// Its name.
        name: &'a str,
        /// Its value as it is in the file, if its type is fixed likewise.
        value: &'a [u8],
    },
}

/// What passed a page buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageBuffer {
    /// Of metadata.
    pub metadata: PageCounts,
    /// Of raw data.
    pub raw: PageCounts,
}

/// Requests to a page buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageCounts {
    /// All requests that it served.
    pub accesses: u64,
    /// Those whose page it had.
    pub hits: u64,
    /// Those whose page it had to read.
    pub misses: u64,
    /// Pages that made room for others.
    pub evictions: u64,
    /// Requests that went past it.
    pub bypasses: u64,
}

/// Reads what is wanted of a dataset of this extent into a buffer that is used again.
pub(crate) fn read_wanted<'a>(
    dataset: &mut dyn OpenDataset,
    shape: Option<&[u64]>,
    wanted: Wanted,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], EngineError> {
    let Some(block) = shape.and_then(|shape| wanted.block(shape)) else { return Ok(&[]) };
    let values = reserve(buffer, block.bytes(dataset.element_bytes()))?;
    dataset.read(&block, values)?;
    Ok(values)
}

/// Fails where the places of chunks are wanted of a library that does not tell them.
pub(crate) fn refuse_places(wanted: Wanted, library: &str) -> Result<(), EngineError> {
    if wanted != Wanted::Places {
        return Ok(());
    }
    unsupported(format!("{library} does not tell where chunks lie; libhdf5 and hyperslab do"))
}

/// Fails where a buffer does not have as many bytes as the elements of a block: C functions only see where it begins.
pub(crate) fn check_buffer(block: &Block, element_bytes: usize, buffer: &[u8]) -> Result<(), EngineError> {
    let (needed, bytes) = (block.bytes(element_bytes), buffer.len());
    if needed == bytes as u64 {
        return Ok(());
    }
    unsupported(format!("a block of {needed} bytes in a buffer of {bytes}"))
}
