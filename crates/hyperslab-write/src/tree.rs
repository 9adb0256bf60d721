//! The objects of a new file: everything but the data of datasets.
//!
//! Objects refer to each other by number. The order of the objects is that of their headers in the file.
//!
//! There may be millions of them: what few objects have is boxed, lists have no spare capacity, and what many objects have in
//! common (names of attributes, datatypes, fill values, filters) may be shared.

use crate::dataspace::DataspaceSpec;
use crate::value::{HeapItem, ObjectId, Patch, Value};
use hyperslab_format::message::datatype::Charset;
use hyperslab_format::message::{Datatype, FillValue, FilterPipeline, GroupInfo};
use hyperslab_format::object_header::Times;
use hyperslab_format::{Bytes, Name};
use std::sync::Arc;

/// All objects of a file. The first is the root group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileTree {
    /// The objects.
    pub objects: Vec<Object>,
    /// Objects of the global heap that attributes, fill values and virtual layouts refer to.
    pub heap: Vec<Value>,
}

impl FileTree {
    /// The root group.
    pub const ROOT: ObjectId = ObjectId(0);

    /// Appends a heap object.
    pub fn push_heap(&mut self, value: Value) -> HeapItem {
        self.heap.push(value);
        HeapItem((self.heap.len() - 1) as u32)
    }
}

/// An object.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// What it is.
    pub spec: ObjectSpec,
    /// Its attributes, in creation order.
    pub attributes: Vec<AttributeSpec>,
    /// Whether the creation order of attributes is recorded.
    pub attribute_order: CreationOrder,
    /// The maximum number of compact attributes and the minimum number of dense ones, if not the defaults.
    pub attribute_phase_change: Option<(u16, u16)>,
    /// Its times, if it has any.
    pub times: Option<Times>,
    /// Its comment, if it has one.
    pub comment: Option<Box<Name>>,
}

impl Object {
    /// An object without attributes, times and comment.
    pub fn new(spec: ObjectSpec) -> Self {
        Self {
            spec,
            attributes: Vec::new(),
            attribute_order: CreationOrder::default(),
            attribute_phase_change: None,
            times: None,
            comment: None,
        }
    }
}

/// Whether creation order is recorded, and whether there is an index of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CreationOrder {
    /// True if it is recorded.
    pub tracked: bool,
    /// True if there is an index of it; requires `tracked`.
    pub indexed: bool,
}

/// The kinds of objects.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectSpec {
    /// A group.
    Group(Box<GroupSpec>),
    /// A dataset.
    Dataset(Box<DatasetSpec>),
    /// A committed datatype.
    Datatype(Box<Datatype>),
}

/// A group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupSpec {
    /// The links, in creation order.
    pub links: Vec<LinkSpec>,
    /// Whether the creation order of links is recorded.
    pub order: CreationOrder,
    /// Thresholds and estimates.
    pub info: GroupInfo,
}

/// A link of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSpec {
    /// Its name.
    pub name: Name,
    /// The character set of the name.
    pub charset: Charset,
    /// Its target.
    pub target: LinkTargetSpec,
}

/// The target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTargetSpec {
    /// An object of the tree.
    Hard(ObjectId),
    /// A path in this file.
    Soft(Box<Name>),
    /// A path in another file.
    External(Box<ExternalTarget>),
    /// A link class registered by an application.
    UserDefined(Box<UserDefinedTarget>),
}

/// The target of an external link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalTarget {
    /// The other file.
    pub file: Name,
    /// The path in it.
    pub path: Name,
}

/// The target of a link of a class that an application registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDefinedTarget {
    /// The class, 65 to 255.
    pub class: u8,
    /// Its data.
    pub data: Bytes,
}

/// The datatype of a dataset or attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct DatatypeUse {
    /// The datatype. Its own field `committed` is not used.
    pub datatype: Arc<Datatype>,
    /// The committed datatype that it is, if it is one.
    pub committed: Option<ObjectId>,
}

/// An attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeSpec {
    /// Its name.
    pub name: Arc<Name>,
    /// The character set of the name.
    pub charset: Charset,
    /// Its datatype.
    pub datatype: DatatypeUse,
    /// Its extent.
    pub dataspace: DataspaceSpec,
    /// Its elements.
    pub value: Value,
}

/// A dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetSpec {
    /// Its datatype.
    pub datatype: DatatypeUse,
    /// Its extent.
    pub dataspace: DataspaceSpec,
    /// Its fill value.
    pub fill: Arc<FillSpec>,
    /// Its filters.
    pub filters: Arc<FilterPipeline>,
    /// How its data is stored.
    pub storage: StorageSpec,
}

/// The fill value of a dataset.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FillSpec {
    /// The value, and when it is written.
    pub value: FillValue,
    /// The addresses in it, if its datatype contains any.
    pub patches: Box<[Patch]>,
}

/// How the data of a dataset is stored.
#[derive(Debug, Clone, PartialEq)]
pub enum StorageSpec {
    /// In the object header.
    Compact(Value),
    /// In one block, which is given to [`FileWriter::write_contiguous`](crate::FileWriter::write_contiguous). Not
    /// `allocated`: nothing was ever written.
    Contiguous {
        /// True if there is data.
        allocated: bool,
    },
    /// In parts of other files.
    External(Vec<ExternalSegment>),
    /// In chunks, each given to [`FileWriter::write_chunk`](crate::FileWriter::write_chunk).
    Chunked(ChunkedSpec),
    /// In other datasets: the encoded mappings, in the global heap.
    Virtual(HeapItem),
}

/// A part of an external file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalSegment {
    /// The file.
    pub file: Name,
    /// The offset in it, in bytes.
    pub offset: u64,
    /// The size in bytes; `None` is unlimited (only the last segment).
    pub bytes: Option<u64>,
}

/// A chunked layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkedSpec {
    /// The shape of a chunk in elements.
    pub chunk_dims: Box<[u64]>,
    /// True if partial edge chunks are stored without filters.
    pub edge_chunks_unfiltered: bool,
    /// The chunks that will exist, in row-major order: as many numbers for each as the dataset has dimensions, counted
    /// in chunks.
    pub coords: Box<[u64]>,
}

impl ChunkedSpec {
    /// The number of chunks that will exist.
    pub fn count(&self) -> usize {
        self.coords.len() / self.chunk_dims.len().max(1)
    }
}
