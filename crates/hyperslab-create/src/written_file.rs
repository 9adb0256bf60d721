//! What came of writing a file.

use crate::write_data::WrittenData;
use hyperslab_format::Address;
use hyperslab_write::{FileTree, ObjectId};

/// A file that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Created {
    /// The length of the file in bytes.
    pub bytes: u64,
    /// The number of its objects.
    pub objects: usize,
    /// The bytes from its start to the end of all metadata.
    pub metadata_bytes: u64,
}

/// A file in a sink, and what is needed to verify it.
pub(crate) struct WrittenFile {
    pub created: Created,
    pub tree: FileTree,
    pub paths: Vec<String>,
    pub addresses: Vec<Address>,
    pub datasets: Vec<(ObjectId, WrittenData)>,
}
