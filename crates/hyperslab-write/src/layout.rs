//! The first pass: the size and address of every metadata block, and of contiguous data.
//!
//! ```text
//! superblock | extension | headers, dense links and attributes | chunk indexes | collections | contiguous data | …
//! ```

use crate::allocator::Allocator;
use crate::encode::{
    self, Addresses, NotPlaced, attribute_message, contiguous_bytes, has_dense_attributes, has_dense_links,
    link_message, plain_header,
};
use crate::error::WriteError;
use crate::index_choice::choose_index;
use crate::options::{WIDTHS, WriteOptions, versions};
use crate::tree::{
    ChunkedSpec, DatasetSpec, FileTree, LinkTargetSpec, Object, ObjectId, ObjectSpec, StorageSpec,
};
use crate::value::{HeapItem, Value};
use hyperslab_format::chunk_index::{ChunkIndexLayout, Extent};
use hyperslab_format::group::dense_layout::{DenseKind, DenseLayout};
use hyperslab_format::heap::{CollectionBuilder, HeapTextBuilder};
use hyperslab_format::message::{ChunkedLayout, Dataspace, FileSpaceInfo, FileSpaceStrategy};
use hyperslab_format::object_header::MessageKind;
use hyperslab_format::superblock::Superblock;
use hyperslab_format::{Address, Bytes, EncodeError};

/// The addresses of a file's metadata.
#[derive(Debug)]
pub(crate) struct FileLayout {
    pub superblock: Address,
    pub extension: Option<(Address, FileSpaceInfo)>,
    pub objects: Vec<PlacedObject>,
    pub collections: Vec<PlacedCollection>,
    /// The collection (by number) and index of each heap object of the tree.
    heap: Vec<(u32, u32)>,
    /// The first address after all metadata.
    pub metadata_end: u64,
}

/// The addresses of what belongs to an object.
#[derive(Debug)]
pub(crate) struct PlacedObject {
    pub header: Address,
    /// Hard links and, for a committed datatype, uses.
    pub references: u32,
    pub links: Option<DenseLayout>,
    pub attributes: Option<DenseLayout>,
    pub storage: PlacedStorage,
}

/// Where the data of an object is, apart from single chunks.
#[derive(Debug)]
pub(crate) enum PlacedStorage {
    /// In the header, or nowhere.
    InHeader,
    Contiguous {
        address: Option<Address>,
        bytes: u64,
    },
    /// The layout message, and the index if it has blocks of its own.
    Chunked {
        layout: ChunkedLayout,
        index: Option<Box<ChunkIndexLayout>>,
    },
    /// The local heap of the names of external files, and the offset of each name in it.
    External {
        heap: Address,
        names: Vec<u64>,
    },
}

/// A collection of the global heap that is part of the metadata.
#[derive(Debug)]
pub(crate) struct PlacedCollection {
    pub address: Address,
    /// The heap objects of the tree in it.
    pub items: std::ops::Range<usize>,
}

/// Collections of metadata are not grown beyond this by small objects.
const COLLECTION_BYTES: u64 = 64 << 10;
/// Half the number of children of a version 1 B-tree node of chunks, if the superblock does not say otherwise.
const CHUNK_K: u16 = 32;

impl Addresses for FileLayout {
    fn object(&self, object: ObjectId) -> Address {
        self.objects[object.0 as usize].header
    }

    fn heap(&self, item: HeapItem) -> (Address, u32) {
        let (collection, index) = self.heap[item.0 as usize];
        (self.collections[collection as usize].address, index)
    }
}

/// Lays out a file.
pub(crate) fn lay_out(
    tree: &FileTree,
    options: WriteOptions,
    space: &mut Allocator,
) -> Result<FileLayout, WriteError> {
    let superblock = space.metadata(Superblock::bytes(versions::SUPERBLOCK, WIDTHS));
    let extension = match options.page_bytes {
        Some(page) => Some(place_extension(page, space)?),
        None => None,
    };
    let references = count_references(tree)?;
    let mut layout = FileLayout {
        superblock,
        extension,
        objects: Vec::with_capacity(tree.objects.len()),
        collections: Vec::new(),
        heap: Vec::with_capacity(tree.heap.len()),
        metadata_end: 0,
    };
    let in_object = |object| move |error| WriteError::Object { object, error };
    for (number, (object, references)) in tree.objects.iter().zip(references).enumerate() {
        layout.objects.push(place_object(object, references, space).map_err(in_object(number))?);
    }
    for (number, object) in tree.objects.iter().enumerate() {
        if let ObjectSpec::Dataset(dataset) = &object.spec
            && let StorageSpec::Chunked(chunked) = &dataset.storage
            && let PlacedStorage::Chunked { layout, index } = &mut layout.objects[number].storage
        {
            let placed = place_index(dataset, chunked, layout, space).map_err(in_object(number))?;
            layout.address = placed.as_ref().map(ChunkIndexLayout::address);
            *index = placed.map(Box::new);
        }
    }
    // libhdf5 takes collections for data, which must not share pages with metadata.
    if !tree.heap.is_empty() {
        space.begin_page();
    }
    layout.place_heap(&tree.heap, space)?;
    layout.metadata_end = space.end();
    space.begin_page();
    for (object, placed) in tree.objects.iter().zip(&mut layout.objects) {
        if let ObjectSpec::Dataset(dataset) = &object.spec
            && let StorageSpec::Contiguous { allocated: true } = dataset.storage
            && let PlacedStorage::Contiguous { address, bytes } = &mut placed.storage
            && *bytes > 0
        {
            *address = Some(space.data(*bytes));
        }
    }
    Ok(layout)
}

fn place_extension(page_size: u64, space: &mut Allocator) -> Result<(Address, FileSpaceInfo), EncodeError> {
    let info = FileSpaceInfo {
        strategy: FileSpaceStrategy::Page,
        persist: false,
        threshold: 1,
        page_size,
        managers: Vec::new(),
    };
    let bytes = extension_bytes(Address(0), &info)?.len();
    Ok((space.metadata(bytes as u64), info))
}

/// The header of the superblock extension.
pub(crate) fn extension_bytes(address: Address, info: &FileSpaceInfo) -> Result<Vec<u8>, EncodeError> {
    /// As libhdf5 writes it: not to be shared, and to be marked by libraries that do not know it.
    const FLAGS: u8 = 0x14;
    let body = encode::body(MessageKind::FILE_SPACE_INFO, |out| info.encode(out))?;
    plain_header(address, vec![(MessageKind::FILE_SPACE_INFO, FLAGS, body)])
}

/// The number of hard links to each object and, for committed datatypes, of datasets and attributes that use it.
fn count_references(tree: &FileTree) -> Result<Vec<u32>, WriteError> {
    let mut counts = vec![0u32; tree.objects.len()];
    let mut add = |object: ObjectId| match counts.get_mut(object.0 as usize) {
        Some(count) => {
            *count += 1;
            Ok(())
        }
        None => Err(WriteError::Invalid(format!("the tree has no object {}", object.0))),
    };
    if !matches!(tree.objects.first(), Some(Object { spec: ObjectSpec::Group(_), .. })) {
        return Err(WriteError::Invalid("the first object of the tree is not a group".into()));
    }
    add(FileTree::ROOT)?;
    for object in &tree.objects {
        for attribute in &object.attributes {
            attribute.datatype.committed.map_or(Ok(()), &mut add)?;
        }
        match &object.spec {
            ObjectSpec::Group(group) => {
                for link in &group.links {
                    if let LinkTargetSpec::Hard(target) = link.target {
                        add(target)?;
                    }
                }
            }
            ObjectSpec::Dataset(dataset) => dataset.datatype.committed.map_or(Ok(()), &mut add)?,
            ObjectSpec::Datatype(_) => {}
        }
    }
    Ok(counts)
}

fn place_object(
    object: &Object,
    references: u32,
    space: &mut Allocator,
) -> Result<PlacedObject, EncodeError> {
    let mut placed = PlacedObject {
        header: Address(0),
        references,
        links: None,
        attributes: None,
        storage: PlacedStorage::InHeader,
    };
    // Dense storage changes the size of the header, so it is decided first and placed after the header.
    let mut sizes_of_links = None;
    match &object.spec {
        ObjectSpec::Group(group) if has_dense_links(group)? => {
            let size = |(number, link)| Ok(link_message(group, number, link, &NotPlaced)?.len() as u64);
            sizes_of_links =
                Some((group.links.iter().enumerate().map(size).collect::<Result<Vec<_>, _>>()?, group.order));
        }
        ObjectSpec::Dataset(dataset) => placed.storage = storage(dataset)?,
        _ => {}
    }
    let mut sizes_of_attributes = None;
    if has_dense_attributes(object)? {
        let size = |attribute| Ok(attribute_message(attribute, &NotPlaced)?.len() as u64);
        sizes_of_attributes =
            Some(object.attributes.iter().map(size).collect::<Result<Vec<_>, EncodeError>>()?);
    }
    // A header with dense storage has no messages of links or attributes: any placed storage gives its size.
    let scratch = &mut |_| Address(0);
    if let Some((sizes, order)) = &sizes_of_links {
        placed.links = Some(DenseLayout::place(DenseKind::Links, sizes, order.indexed, WIDTHS, scratch)?);
    }
    let indexed = object.attribute_order.indexed;
    if let Some(sizes) = &sizes_of_attributes {
        placed.attributes = Some(DenseLayout::place(DenseKind::Attributes, sizes, indexed, WIDTHS, scratch)?);
    }
    let bytes = encode::header(object, references, &placed, &NotPlaced)?.len();
    placed.header = space.metadata(bytes as u64);
    let allocate = &mut |bytes| space.metadata(bytes);
    if let Some((sizes, order)) = &sizes_of_links {
        placed.links = Some(DenseLayout::place(DenseKind::Links, sizes, order.indexed, WIDTHS, allocate)?);
    }
    if let Some(sizes) = &sizes_of_attributes {
        placed.attributes =
            Some(DenseLayout::place(DenseKind::Attributes, sizes, indexed, WIDTHS, allocate)?);
    }
    if let (PlacedStorage::External { heap, .. }, ObjectSpec::Dataset(dataset)) =
        (&mut placed.storage, &object.spec)
        && let StorageSpec::External(segments) = &dataset.storage
    {
        let (text, _) = external_names(segments);
        *heap = allocate(text.bytes(WIDTHS));
    }
    Ok(placed)
}

/// The local heap of the names of external files, and the offset of each name.
pub(crate) fn external_names(segments: &[crate::tree::ExternalSegment]) -> (HeapTextBuilder, Vec<u64>) {
    let mut text = HeapTextBuilder::default();
    let names = segments.iter().map(|segment| text.push(segment.file.as_bytes())).collect();
    (text, names)
}

/// The storage of a dataset, without addresses.
fn storage(dataset: &DatasetSpec) -> Result<PlacedStorage, EncodeError> {
    Ok(match &dataset.storage {
        StorageSpec::Compact(_) | StorageSpec::Virtual(_) => PlacedStorage::InHeader,
        StorageSpec::Contiguous { .. } => {
            PlacedStorage::Contiguous { address: None, bytes: contiguous_bytes(dataset)? }
        }
        StorageSpec::External(segments) => {
            PlacedStorage::External { heap: Address(0), names: external_names(segments).1 }
        }
        StorageSpec::Chunked(chunked) => {
            let (dims, max_dims) = sizes(&dataset.dataspace);
            let filtered = !dataset.filters.filters.is_empty();
            let existing = chunked.coords.len() / chunked.chunk_dims.len().max(1);
            let index = choose_index(dims, max_dims, &chunked.chunk_dims, filtered, existing as u64);
            let layout = ChunkedLayout {
                chunk_dims: chunked.chunk_dims.clone(),
                element_bytes: dataset.datatype.datatype.size,
                index,
                address: None,
                edge_chunks_unfiltered: chunked.edge_chunks_unfiltered,
                version: versions::LAYOUT,
            };
            PlacedStorage::Chunked { layout, index: None }
        }
    })
}

fn place_index(
    dataset: &DatasetSpec,
    chunked: &ChunkedSpec,
    layout: &ChunkedLayout,
    space: &mut Allocator,
) -> Result<Option<ChunkIndexLayout>, EncodeError> {
    let (dims, max_dims) = sizes(&dataset.dataspace);
    let filtered = !dataset.filters.filters.is_empty();
    let extent = Extent { dims, max_dims, layout, filtered };
    ChunkIndexLayout::place(&extent, &chunked.coords, CHUNK_K, WIDTHS, &mut |bytes| space.metadata(bytes))
}

fn sizes(dataspace: &Dataspace) -> (&[u64], &[Option<u64>]) {
    match dataspace {
        Dataspace::Simple { dims, max_dims } => (dims, max_dims),
        Dataspace::Null | Dataspace::Scalar => (&[], &[]),
    }
}

impl FileLayout {
    /// Distributes the heap objects over collections, in their order.
    fn place_heap(&mut self, heap: &[Value], space: &mut Allocator) -> Result<(), WriteError> {
        let mut first = 0;
        let mut open = CollectionBuilder::new(WIDTHS);
        for (number, value) in heap.iter().enumerate() {
            let len = value.bytes.len() as u64;
            let fits = open.bytes_with(len).is_some_and(|bytes| bytes <= COLLECTION_BYTES);
            if !fits && !open.is_empty() {
                self.place_collection(&open, first..number, space);
                (open, first) = (CollectionBuilder::new(WIDTHS), number);
            }
            let collection = u32::try_from(self.collections.len())
                .map_err(|_| WriteError::Invalid("too many heap collections".into()))?;
            // Only the size counts here; the bytes have no addresses yet.
            self.heap.push((collection, open.push(Bytes::clone(&value.bytes))));
        }
        if !open.is_empty() {
            self.place_collection(&open, first..heap.len(), space);
        }
        Ok(())
    }

    fn place_collection(
        &mut self,
        collection: &CollectionBuilder,
        items: std::ops::Range<usize>,
        space: &mut Allocator,
    ) {
        let address = space.data(collection.bytes());
        self.collections.push(PlacedCollection { address, items });
    }
}
