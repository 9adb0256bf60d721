//! The first pass: the size and address of every metadata block, and of contiguous data.
//!
//! ```text
//! superblock | extension | headers, links and attributes | chunk indexes | collections | contiguous data | …
//! ```

mod collections;
mod object;
mod references;
mod storage;

pub(crate) use collections::PlacedCollection;
pub(crate) use storage::{chunk_bytes, external_names};

use crate::allocator::Allocator;
use crate::encode::{self, Addresses};
use crate::error::WriteError;
use crate::options::{WIDTHS, WriteOptions};
use crate::placed::PlacedObject;
use crate::tree::FileTree;
use crate::value::{HeapItem, ObjectId};
use crate::versions::{SUPERBLOCK_WITH_CHUNK_K, SUPERBLOCK_WITH_EXTENSION, Versions};
use hyperslab_format::message::{BtreeK, FileSpaceInfo, FileSpaceStrategy};
use hyperslab_format::object_header::MessageKind;
use hyperslab_format::superblock::Superblock;
use hyperslab_format::{Address, EncodeError};

/// The addresses of a file's metadata.
#[derive(Debug)]
pub(crate) struct FileLayout {
    pub versions: Versions,
    pub superblock: Address,
    pub superblock_version: u8,
    pub extension: Option<(Address, Extension)>,
    pub objects: Vec<PlacedObject>,
    pub collections: Vec<PlacedCollection>,
    /// The collection (by number) and index of each heap object of the tree.
    heap: Vec<(u32, u32)>,
    /// The first address after all metadata.
    pub metadata_end: u64,
}

impl Addresses for FileLayout {
    fn object(&self, object: ObjectId) -> Address {
        self.objects[object.0 as usize].header
    }

    fn heap(&self, item: HeapItem) -> (Address, u32) {
        let (collection, index) = self.heap[item.0 as usize];
        (self.collections[collection as usize].address, index)
    }
}

/// What the superblock extension contains.
#[derive(Debug)]
pub(crate) struct Extension {
    file_space: Option<FileSpaceInfo>,
    btree_k: Option<BtreeK>,
}

/// Lays out a file.
pub(crate) fn lay_out(
    tree: &FileTree,
    options: WriteOptions,
    space: &mut Allocator,
) -> Result<FileLayout, WriteError> {
    let versions = options.low.versions();
    let k = options.btree_k;
    let superblock_version = match (options.page_bytes, versions.superblock) {
        (Some(_), version) => version.max(SUPERBLOCK_WITH_EXTENSION),
        (None, 0) if k.chunk_internal != BtreeK::default().chunk_internal => SUPERBLOCK_WITH_CHUNK_K,
        (None, version) => version,
    };
    let superblock = space.metadata(Superblock::bytes(superblock_version, WIDTHS));
    let own_k = superblock_version >= SUPERBLOCK_WITH_EXTENSION && k != BtreeK::default();
    let extension =
        Extension { file_space: options.page_bytes.map(paged), btree_k: own_k.then_some(k) }.place(space)?;
    let references = references::count(tree)?;
    let mut layout = FileLayout {
        versions,
        superblock,
        superblock_version,
        extension,
        objects: Vec::with_capacity(tree.objects.len()),
        collections: Vec::new(),
        heap: Vec::with_capacity(tree.heap.len()),
        metadata_end: 0,
    };
    let in_object = |object| move |error| WriteError::Object { object, error };
    for (number, (object, references)) in tree.objects.iter().zip(references).enumerate() {
        let placed = object::place(object, references, versions, &k, space);
        layout.objects.push(placed.map_err(in_object(number))?);
    }
    for (number, (object, placed)) in tree.objects.iter().zip(&mut layout.objects).enumerate() {
        storage::place_index(object, placed, k.chunk_internal, space).map_err(in_object(number))?;
    }
    // libhdf5 takes collections for data, which must not share pages with metadata.
    if !tree.heap.is_empty() {
        space.begin_page();
    }
    layout.place_heap(&tree.heap, space)?;
    layout.metadata_end = space.end();
    space.begin_page();
    for (object, placed) in tree.objects.iter().zip(&mut layout.objects) {
        storage::place_data(object, placed, space);
    }
    Ok(layout)
}

/// The file space of a paged file.
fn paged(page_size: u64) -> FileSpaceInfo {
    FileSpaceInfo {
        strategy: FileSpaceStrategy::Page,
        persist: false,
        threshold: 1,
        page_size,
        managers: Vec::new(),
    }
}

impl Extension {
    /// Places it, if it contains anything.
    fn place(self, space: &mut Allocator) -> Result<Option<(Address, Self)>, EncodeError> {
        if self.file_space.is_none() && self.btree_k.is_none() {
            return Ok(None);
        }
        let bytes = self.encode(Address(0))?.len();
        Ok(Some((space.metadata(bytes as u64), self)))
    }

    /// Its object header.
    pub fn encode(&self, address: Address) -> Result<Vec<u8>, EncodeError> {
        /// As libhdf5 writes them: not to be shared, and to be marked by libraries that do not know it.
        const FILE_SPACE_FLAGS: u8 = 0x14;
        /// Constant, and not to be shared.
        const BTREE_K_FLAGS: u8 = 0x05;
        let mut messages = Vec::new();
        if let Some(k) = &self.btree_k {
            let body = encode::body(MessageKind::BTREE_K, |out| k.encode(out))?;
            messages.push((MessageKind::BTREE_K, BTREE_K_FLAGS, body));
        }
        if let Some(info) = &self.file_space {
            let body = encode::body(MessageKind::FILE_SPACE_INFO, |out| info.encode(out))?;
            messages.push((MessageKind::FILE_SPACE_INFO, FILE_SPACE_FLAGS, body));
        }
        encode::plain_header(address, messages)
    }
}
