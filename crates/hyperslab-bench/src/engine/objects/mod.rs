//! Files of many objects: how an engine makes one, and how it visits all that is in one.

pub(super) mod hdf4;
pub(super) mod hyperslab;
pub(super) mod libhdf5;
pub(super) mod netcdf;

use super::EngineError;
use crate::study::{Attribute, Wanted};
use serde::{Deserialize, Serialize};

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
fn refuse_places(wanted: Wanted, library: &str) -> Result<(), EngineError> {
    if wanted != Wanted::Places {
        return Ok(());
    }
    Err(EngineError::Unsupported(format!(
        "{library} does not tell where chunks lie; libhdf5 and hyperslab do"
    )))
}
