//! Writes HDF5 files, with all metadata together at the front.
//!
//! ```text
//! FileTree ──► FileWriter::create (lays out all metadata) ──► write_chunk, write_contiguous ──► finish
//! ```
//!
//! A [`FileTree`] describes every object before the first byte is written, including which chunks will exist. Creating
//! the [`FileWriter`] assigns the addresses of all metadata, so that data with references to objects can be written at
//! once; metadata is encoded and written when all addresses of chunks are known. `docs/design/005-writer.md` says why.
//!
//! Deliberately absent: filters (chunks come as they will be stored), reading, selections, conversion of values.

mod allocator;
mod chunk_places;
mod data_heap;
mod data_space;
mod dataspace;
mod dense_order;
mod encode;
mod error;
mod file_writer;
mod heap_order;
mod index_choice;
mod layout;
mod metadata_runs;
mod options;
mod placed;
mod raised;
mod tree;
mod value;
mod versions;

pub use data_space::DataSpace;
pub use dataspace::DataspaceSpec;
pub use error::WriteError;
pub use file_writer::{FileWriter, WrittenFile};
pub use options::WriteOptions;
pub use raised::{Release, VersionRequirement, raised};
pub use tree::{
    AttributeSpec, ChunkedSpec, CreationOrder, DatasetSpec, DatatypeUse, ExternalSegment, ExternalTarget,
    FileTree, FillSpec, GroupSpec, LinkSpec, LinkTargetSpec, Object, ObjectSpec, StorageSpec,
    UserDefinedTarget,
};
pub use value::{HeapItem, ObjectId, Patch, PatchTarget, Value};
pub use versions::LowBound;
