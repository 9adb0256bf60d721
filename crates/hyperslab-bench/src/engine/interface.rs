//! What every engine offers: datasets that are read and written, files of many objects that are made and visited.

use crate::NoMemory;
use crate::library::{Counts, LibraryError};
use crate::study::{Attribute, Block, Layout, Records, Wanted};
use hyperslab_doctor::simulate::CacheSettings;
use serde::{Deserialize, Serialize};

/// What an engine cannot do, or failed to do.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A library of the user's.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// There is too little of it.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// hyperslab.
    #[error(transparent)]
    Hyperslab(#[from] ::hyperslab::Error),
    /// The engine has no such feature.
    #[error("{0}")]
    Unsupported(String),
}

/// How a file is opened for reading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OpenOptions {
    /// The chunk cache; the library's own default where none is set. hyperslab has none to set.
    pub cache: Option<CacheSettings>,
    /// Bytes of the page buffer; none unless the file is paged.
    pub page_buffer: Option<u64>,
    /// What is read of records, and how. hyperslab always gives them as they are stored.
    #[serde(default)]
    pub records: Records,
}

/// A dataset, open for reading or writing.
pub trait OpenDataset {
    /// Bytes of one element in memory.
    fn element_bytes(&self) -> usize;

    /// Where the fields of records lie in memory; none for elements that are not records.
    fn layout(&self) -> Result<Option<&Layout>, EngineError> {
        Ok(None)
    }

    /// Reads a block, numbers in the machine's byte order.
    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError>;

    /// Writes a block, numbers in the machine's byte order.
    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError>;

    /// Chunks that passed the filters since it was opened, where that can be counted.
    fn counts(&self) -> Option<Counts> {
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

    /// Closes dataset and file, so that everything is in the file. What passed the filters till then, where that can be
    /// counted.
    fn close(self: Box<Self>) -> Result<Option<Counts>, EngineError>;
}

/// A new file into which objects are put.
pub trait Creator {
    /// Makes a group with attributes. The group that it lies in was made before.
    fn group(&mut self, path: &str, attributes: &[(String, Attribute)]) -> Result<(), EngineError>;

    /// Makes a dataset with attributes, and writes all its values, if they are given.
    fn dataset(
        &mut self,
        path: &str,
        attributes: &[(String, Attribute)],
        values: Option<&[u8]>,
    ) -> Result<(), EngineError>;

    /// Writes all values of a dataset that was made without.
    fn values(&mut self, path: &str, values: &[u8]) -> Result<(), EngineError>;

    /// Closes the file.
    fn close(self: Box<Self>) -> Result<(), EngineError>;
}

/// An open file of which all objects are visited.
pub trait Visitor {
    /// Goes over all objects, each once, and tells of each.
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

/// Fails where the places of chunks are wanted of a library that does not tell them.
pub(super) fn refuse_places(wanted: Wanted, library: &str) -> Result<(), EngineError> {
    if wanted != Wanted::Places {
        return Ok(());
    }
    Err(EngineError::Unsupported(format!(
        "{library} does not tell where chunks lie; libhdf5 and hyperslab do"
    )))
}
