//! Who owns the bytes of a file: a kind of metadata, the raw data of a dataset, free space that the file records, or nobody.
//!
//! Each format takes the census in its own way. The parts never overlap and add up to the length of the file.

mod extents;

use extents::sum;
pub(crate) use extents::{Claims, gaps};

use crate::Error;
use std::collections::BTreeMap;

/// Who owns the bytes of a file.
#[derive(Debug)]
pub struct Census {
    /// Bytes of the file: the sum of all others.
    pub file_bytes: u64,
    /// Each kind of metadata, by the specification's name of the structure.
    pub metadata: BTreeMap<&'static str, KindOfMetadata>,
    /// The raw data of each dataset that has any in this file, by path.
    pub raw_data: Vec<(String, u64)>,
    /// The bytes of a decoded chunk, and of all chunks that are stored once they are decoded, of each chunked dataset among
    /// those.
    pub chunked: Vec<(u64, u64)>,
    /// Bytes that the file's own free-space managers list.
    pub free_bytes: u64,
    /// Bytes that are unaccounted for: lost, or padding.
    pub unaccounted_bytes: u64,
    /// Groups, datasets and named datatypes.
    pub objects: u64,
    /// The tree of groups and datasets.
    pub tree: Tree,
    /// Size of a page, if the file is allocated in pages.
    pub page_bytes: Option<u64>,
    /// Where what is owned lies: disjoint, in ascending order. What is in none of them is unaccounted for.
    pub extents: Vec<Extent>,
    /// Parts that could not be read; their bytes count as nobody's.
    pub errors: Vec<Error>,
}

impl Census {
    /// The owners of disjoint extents in ascending order, where `datasets` are the paths of those whose raw data is among
    /// them. Objects, the tree, chunks, pages and errors are for the format to add.
    pub(crate) fn of(extents: Vec<Extent>, datasets: Vec<String>, file_bytes: u64) -> Self {
        let owned = sum(&extents);
        let bytes_of = |owner: Owner| owned.get(&owner).map_or(0, |sum| sum.bytes);
        let metadata = owned.iter().filter_map(|(owner, sum)| match owner {
            Owner::Metadata(kind) => Some((*kind, *sum)),
            Owner::RawData(_) | Owner::Free => None,
        });
        let accounted: u64 = owned.values().map(|sum| sum.bytes).sum();
        let numbered = datasets.into_iter().enumerate();
        Self {
            file_bytes,
            metadata: metadata.collect(),
            raw_data: numbered.map(|(number, path)| (path, bytes_of(Owner::RawData(number)))).collect(),
            chunked: Vec::new(),
            free_bytes: bytes_of(Owner::Free),
            unaccounted_bytes: file_bytes.saturating_sub(accounted),
            objects: 0,
            tree: Tree::default(),
            page_bytes: None,
            extents,
            errors: Vec::new(),
        }
    }
}

/// How the groups and datasets of a file are arranged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tree {
    /// Groups, the root group not counted.
    pub groups: u64,
    /// Datasets.
    pub datasets: u64,
    /// Groups above the deepest dataset, the root group not counted.
    pub depth: u64,
    /// Objects with at most [`FEW`] attributes, in dense storage.
    pub dense_attributes: u64,
    /// Groups with at most [`FEW`] links, in dense storage.
    pub dense_links: u64,
}

/// So many attributes or links would also fit into an object header.
pub const FEW: usize = 64;

/// Bytes with one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Offset of the first byte in the file.
    pub start: u64,
    /// Offset behind the last.
    pub end: u64,
    /// What they belong to.
    pub owner: Owner,
}

/// Who owns an extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// A structure of this name.
    Metadata(&'static str),
    /// The dataset at this place in [`Census::raw_data`].
    RawData(usize),
    /// Nobody, and the file knows.
    Free,
}

/// The structures of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindOfMetadata {
    /// How many there are: libhdf5 reads each by itself.
    pub structures: u64,
    /// Their bytes.
    pub bytes: u64,
}
