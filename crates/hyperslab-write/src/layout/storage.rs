//! The places of the data of datasets, and of the indexes of their chunks.

use crate::allocator::Allocator;
use crate::encode::contiguous_bytes;
use crate::index_choice::{IndexNeeds, choose_index};
use crate::options::WIDTHS;
use crate::placed::{PlacedChunks, PlacedNames, PlacedObject, PlacedStorage};
use crate::tree::{ChunkedSpec, DatasetSpec, ExternalSegment, Object, ObjectSpec, StorageSpec};
use crate::versions::Versions;
use hyperslab_format::chunk_index::{ChunkIndexLayout, Extent};
use hyperslab_format::heap::{HeapPlaces, HeapTextBuilder};
use hyperslab_format::message::fill_value::AllocationTime;
use hyperslab_format::message::{ChunkIndex, Dataspace};
use hyperslab_format::{Address, Allocate, EncodeError};

/// The storage of a dataset, whose addresses are not known yet.
pub(super) fn without_addresses(
    dataset: &DatasetSpec,
    versions: &Versions,
) -> Result<PlacedStorage, EncodeError> {
    Ok(match &dataset.storage {
        StorageSpec::Compact(_) | StorageSpec::Virtual(_) => PlacedStorage::InHeader,
        StorageSpec::Contiguous { .. } => {
            PlacedStorage::Contiguous { address: None, bytes: contiguous_bytes(dataset)? }
        }
        StorageSpec::External(segments) => {
            let heap = HeapPlaces { header: Address(0), segment: Address(0) };
            PlacedStorage::External(Box::new(PlacedNames { heap, names: external_names(segments).1 }))
        }
        StorageSpec::Chunked(chunked) => {
            let (dims, max_dims) = sizes(dataset);
            let version = versions.layout(dataset);
            let index = choose_index(&IndexNeeds {
                dims: &dims,
                max_dims: &max_dims,
                chunk_dims: &chunked.chunk_dims,
                is_filtered: !dataset.filters.filters.is_empty(),
                is_allocated_early: dataset.fill.value.allocation == AllocationTime::Early,
                existing: chunked.count() as u64,
                layout_version: version,
            });
            let (address, blocks, places) = Default::default();
            PlacedStorage::Chunked(Box::new(PlacedChunks { index, address, version, blocks, places }))
        }
    })
}

/// Places the index of the chunks of an object that has any. A node of a version 1 B-tree has `2 * chunk_k` children.
pub(super) fn place_index(
    object: &Object,
    placed: &mut PlacedObject,
    chunk_k: u16,
    space: &mut Allocator,
) -> Result<(), EncodeError> {
    if let ObjectSpec::Dataset(dataset) = &object.spec
        && let StorageSpec::Chunked(chunked) = &dataset.storage
        && let PlacedStorage::Chunked(chunks) = &mut placed.storage
    {
        let (dims, max_dims) = sizes(dataset);
        let layout = &chunks.layout(dataset, chunked);
        let extent = Extent {
            dims: &dims,
            max_dims: &max_dims,
            layout,
            filtered: !dataset.filters.filters.is_empty(),
        };
        let allocate = &mut |bytes| space.metadata(bytes);
        let placed = ChunkIndexLayout::place(&extent, &chunked.coords, chunk_k, WIDTHS, allocate)?;
        chunks.address = placed.as_ref().map(ChunkIndexLayout::address);
        chunks.blocks = placed.map(Box::new);
    }
    Ok(())
}

/// Places data whose size is known: contiguous data, and all chunks of an implicit index.
pub(super) fn place_data(object: &Object, placed: &mut PlacedObject, space: &mut Allocator) {
    let ObjectSpec::Dataset(dataset) = &object.spec else { return };
    match (&dataset.storage, &mut placed.storage) {
        (StorageSpec::Contiguous { allocated: true }, PlacedStorage::Contiguous { address, bytes })
            if *bytes > 0 =>
        {
            *address = Some(space.data(*bytes));
        }
        (StorageSpec::Chunked(chunked), PlacedStorage::Chunked(placed))
            if placed.index == ChunkIndex::Implicit && !chunked.coords.is_empty() =>
        {
            let chunks = chunked.count() as u64;
            placed.address = Some(space.data(chunks.saturating_mul(chunk_bytes(dataset, chunked))));
        }
        _ => {}
    }
}

/// The bytes of a chunk that is stored without filters.
pub(crate) fn chunk_bytes(dataset: &DatasetSpec, chunked: &ChunkedSpec) -> u64 {
    let element_bytes = dataset.datatype.datatype.size.into();
    chunked.chunk_dims.iter().fold(element_bytes, |bytes, &dim| bytes.saturating_mul(dim))
}

/// Places the local heap of the names of external files, if the dataset has any.
pub(super) fn place_external_names(
    dataset: &DatasetSpec,
    storage: &mut PlacedStorage,
    allocate: &mut Allocate<'_>,
) {
    if let (PlacedStorage::External(names), StorageSpec::External(segments)) = (storage, &dataset.storage) {
        let (text, _) = external_names(segments);
        names.heap = text.place(WIDTHS, allocate);
    }
}

/// The local heap of the names of external files, and the offset of each name.
pub(crate) fn external_names(segments: &[ExternalSegment]) -> (HeapTextBuilder, Vec<u64>) {
    let mut text = HeapTextBuilder::default();
    let names = segments.iter().map(|segment| text.push(segment.file.as_bytes())).collect();
    (text, names)
}

fn sizes(dataset: &DatasetSpec) -> (Vec<u64>, Vec<Option<u64>>) {
    match dataset.dataspace.to_dataspace() {
        Dataspace::Simple { dims, max_dims } => (dims, max_dims),
        Dataspace::Null | Dataspace::Scalar => Default::default(),
    }
}
