//! One line of a listing, with all details that are shown.

use super::attribute::ShownAttribute;
use super::value::Values;
use hyperslab::storage::{Fill, FillValue, Filter};
use hyperslab::{Dataset, Dataspace, File, LinkTarget, Object, Result, hdf5};
use hyperslab_format::message::ChunkIndex;
use hyperslab_listing::dtype;
use hyperslab_listing::traversal::Item;

/// One line of a listing.
pub(super) struct Entry {
    pub path: Vec<u8>,
    pub kind: EntryKind,
    /// Of objects, where they are.
    pub place: Option<Place>,
    /// Looked up only if they are shown.
    pub attributes: Option<Vec<ShownAttribute>>,
}

/// Where an object is, and how many hard links lead to it.
pub(super) struct Place {
    pub address: u64,
    pub references: u32,
}

/// The kind of the object or link.
pub(super) enum EntryKind {
    Group {
        links: Option<u64>,
    },
    Dataset(Box<DatasetEntry>),
    Datatype {
        dtype: String,
    },
    Alias {
        target: Vec<u8>,
    },
    Link(LinkTarget),
    /// It cannot be read, for this reason.
    Damaged(String),
}

/// The details of a dataset.
pub(super) struct DatasetEntry {
    /// `None` for a null dataspace; empty for a scalar.
    pub shape: Option<Vec<u64>>,
    pub max_shape: Vec<Option<u64>>,
    pub dtype: String,
    pub layout: &'static str,
    pub chunks: Option<Chunks>,
    pub filters: Vec<Filter>,
    pub logical_bytes: u64,
    /// The stored bytes, or the reason why they cannot be determined.
    pub stored_bytes: std::result::Result<u64, String>,
    pub fill_value: Option<hyperslab_listing::json::Json>,
    /// When space is allocated, and fill values are written.
    pub fill: FillValue,
    /// Where contiguous data begins.
    pub data_address: Option<u64>,
    /// The type of the elements in the file, in formats with one byte order for all numbers.
    pub stored_dtype: Option<String>,
    /// Where the first record begins, and the bytes from one to the next, of variables that take turns.
    pub records: Option<(u64, u64)>,
}

/// The details of chunked storage.
pub(super) struct Chunks {
    pub dims: Vec<u64>,
    pub bytes: u64,
    pub index: ChunkIndex,
}

impl Entry {
    /// Looks up the details of an item.
    pub fn look_up(item: Item, file: &File, verbose: bool) -> Self {
        let (path, kind) = match item {
            Item::Object { path, object, links } => {
                return Self::of_object(path, &object, links, file, verbose);
            }
            Item::Alias { path, target } => (path, EntryKind::Alias { target }),
            Item::Link { path, target } => (path, EntryKind::Link(target)),
            Item::Unopened { path, error } | Item::BrokenLink { path, error } => {
                (path, EntryKind::Damaged(error.message().to_string()))
            }
        };
        Self { path, kind, place: None, attributes: None }
    }

    fn of_object(path: Vec<u8>, object: &Object, links: Option<u64>, file: &File, verbose: bool) -> Self {
        let kind = match object {
            Object::Group(_) => EntryKind::Group { links },
            Object::Dataset(dataset) => EntryKind::Dataset(Box::new(DatasetEntry::of(dataset, file))),
            Object::Datatype(named) => EntryKind::Datatype { dtype: dtype::short(named.datatype()) },
        };
        let attributes = verbose.then(|| ShownAttribute::all(&object.attributes(), file));
        let place = hdf5::header(object)
            .ok()
            .map(|header| Place { address: object.address().0, references: header.reference_count });
        Self { path, kind, place, attributes }
    }

    /// True if part of it could not be read.
    pub fn is_damaged(&self) -> bool {
        let damaged = match &self.kind {
            EntryKind::Damaged(_) => true,
            EntryKind::Dataset(dataset) => dataset.stored_bytes.is_err(),
            _ => false,
        };
        damaged || self.attributes.iter().flatten().any(|attribute| attribute.value.is_err())
    }
}

impl DatasetEntry {
    fn of(dataset: &Dataset, file: &File) -> Self {
        let chunks = hdf5::chunked_layout(dataset).map(|layout| Chunks {
            dims: layout.chunk_dims.clone(),
            bytes: dataset.chunk_bytes().unwrap_or(0),
            index: layout.index.clone(),
        });
        let fill_value = match &dataset.fill_value().value {
            Fill::User(bytes) => Values::new(&mut file.heap()).json(dataset.datatype(), bytes).ok(),
            _ => None,
        };
        Self {
            shape: (*dataset.dataspace() != Dataspace::Null).then(|| dataset.shape().to_vec()),
            max_shape: dataset.max_shape().to_vec(),
            dtype: dtype::short(dataset.datatype()),
            layout: dataset.layout_name(),
            chunks,
            filters: dataset.filters().to_vec(),
            logical_bytes: dataset.logical_bytes(),
            stored_bytes: stored_bytes(dataset).map_err(|error| error.message().to_string()),
            fill_value,
            fill: dataset.fill_value().clone(),
            data_address: dataset.data_offset(),
            stored_dtype: file.named_dimensions().map(|_| dtype::short(dataset.stored_datatype())),
            records: dataset.records(),
        }
    }
}

fn stored_bytes(dataset: &Dataset) -> Result<u64> {
    dataset.stored_bytes()
}
