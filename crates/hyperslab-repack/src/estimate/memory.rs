//! The memory of a repack: what it knows about all objects and chunks, and what it works with at a time.
//!
//! ```text
//! always                         the tree, the objects by address and path, their places, the places and checksums of chunks
//! while a dataset is written     its elements and chunks, and the map of the source's chunks
//! when the metadata is written   the largest structure of any object, encoded
//! while a dataset is verified    the map of its chunks, and what is read of them
//! ```

use crate::plan::RepackPlan;
use hyperslab_encode::RepackError;
use hyperslab_tree::relocate::contains_addresses;
use hyperslab_write::{
    AttributeSpec, DatasetSpec, DataspaceSpec, GroupSpec, Object, ObjectSpec, StorageSpec, Value,
};

/// Bytes of an object beside those of the tree: its place, its entries by address, and those for verification.
const OBJECT_BYTES: u64 = 320;
/// Bytes of a link beside those of the tree: its entry in the structures of its group.
const LINK_BYTES: u64 = 64;
/// Bytes of a chunk beside its coordinates: its place and its checksum.
const CHUNK_BYTES: u64 = 28;
/// Bytes of a chunk, beside two times its coordinates, in the map of a file or in the index that is encoded.
const MAPPED_CHUNK_BYTES: u64 = 96;
/// Buffers of the reader, of the sink and of open heap collections, and the metadata of the source that is kept.
const BUFFER_BYTES: u64 = 16 << 20;
/// Bytes of an element with an address while it is rewritten, beside what it refers to.
const ADDRESS_BYTES: u64 = 136;
/// Elements with addresses are rewritten in pieces of so many bytes.
const PIECE_BYTES: u64 = 8 << 20;

impl RepackPlan {
    /// The most bytes of memory at a time, without the program itself.
    pub(super) fn memory_bytes(&self) -> Result<u64, RepackError> {
        let tree = &self.source.tree;
        let heap = tree.heap.iter().map(|value| value_bytes(value) + 16).sum::<u64>();
        let mut always = heap;
        let (mut working, mut largest) = (0, 0);
        let mut planned = self.datasets.iter();
        for ((number, object), (_, path)) in (0..).zip(&tree.objects).zip(&self.source.sources.objects) {
            always += OBJECT_BYTES + path.len() as u64 + object_bytes(object);
            let id = hyperslab_write::ObjectId(number);
            let plan = self.recodings.get(&id).and_then(|_| planned.next());
            working = working.max(plan.map_or(0, |plan| plan.memory_bytes));
            match &object.spec {
                ObjectSpec::Group(group) => {
                    let links = group.links.len() as u64;
                    always += links * LINK_BYTES;
                    largest = largest.max(links * 2 * LINK_BYTES);
                }
                ObjectSpec::Dataset(dataset) => {
                    if let StorageSpec::Chunked(chunked) = &dataset.storage {
                        let (count, rank) = (chunked.count() as u64, chunked.chunk_dims.len() as u64);
                        always += count * CHUNK_BYTES;
                        largest = largest.max(count * (16 * rank + MAPPED_CHUNK_BYTES));
                    }
                    if plan.is_none() {
                        working = working.max(self.copied_bytes(id, dataset)?);
                    }
                }
                ObjectSpec::Datatype(_) => {}
            }
        }
        Ok(always.saturating_add(working).saturating_add(largest).saturating_add(BUFFER_BYTES))
    }

    /// The most bytes of data in memory while a dataset is copied.
    fn copied_bytes(&self, id: hyperslab_write::ObjectId, spec: &DatasetSpec) -> Result<u64, RepackError> {
        let datatype = &spec.datatype.datatype;
        let is_here =
            matches!(spec.storage, StorageSpec::Chunked(_) | StorageSpec::Contiguous { allocated: true });
        if !is_here {
            return Ok(0);
        }
        let size = u64::from(datatype.size);
        let elements = spec.dataspace.elements().unwrap_or(0);
        let chunk = match &spec.storage {
            StorageSpec::Chunked(chunked) => {
                chunked.chunk_dims.iter().fold(size, |n, &dim| n.saturating_mul(dim))
            }
            _ => 0,
        };
        if !contains_addresses(datatype) {
            // A chunk is hardly larger than its elements.
            return Ok(2 * chunk.min(self.file.len()));
        }
        let dataset = self.dataset(id)?;
        let piece = if chunk > 0 { chunk } else { elements.saturating_mul(size).min(PIECE_BYTES) };
        let stored = dataset.stored_bytes()?;
        let share = piece as f64 / (elements.saturating_mul(size)).max(1) as f64;
        // What elements refer to is somewhere in the file.
        let referents = self.file.len().saturating_sub(stored) as f64 * share.min(1.0);
        Ok((4 * piece).saturating_add(piece / size.max(1) * ADDRESS_BYTES).saturating_add(referents as u64))
    }
}

fn object_bytes(object: &Object) -> u64 {
    let own = size_of::<Object>() as u64;
    let spec = match &object.spec {
        ObjectSpec::Group(group) => {
            let names = group.links.iter().map(|link| 24 + link.name.as_bytes().len() as u64);
            size_of::<GroupSpec>() as u64
                + names.sum::<u64>()
                + (group.links.len() * size_of::<hyperslab_write::LinkSpec>()) as u64
        }
        ObjectSpec::Dataset(dataset) => size_of::<DatasetSpec>() as u64 + dataset_bytes(dataset),
        ObjectSpec::Datatype(_) => 256,
    };
    let attributes = object.attributes.iter().map(|attribute| {
        size_of::<AttributeSpec>() as u64
            + value_bytes(&attribute.value)
            + dataspace_bytes(&attribute.dataspace)
    });
    own + spec
        + attributes.sum::<u64>()
        + object.comment.as_ref().map_or(0, |name| 24 + name.as_bytes().len() as u64)
}

fn dataset_bytes(dataset: &DatasetSpec) -> u64 {
    let storage = match &dataset.storage {
        StorageSpec::Compact(value) => value_bytes(value),
        StorageSpec::Chunked(chunked) => 8 * (chunked.coords.len() + chunked.chunk_dims.len()) as u64 + 64,
        StorageSpec::External(segments) => 64 * segments.len() as u64,
        StorageSpec::Contiguous { .. } | StorageSpec::Virtual(_) => 0,
    };
    storage + dataspace_bytes(&dataset.dataspace)
}

fn dataspace_bytes(dataspace: &DataspaceSpec) -> u64 {
    match dataspace {
        DataspaceSpec::Null | DataspaceSpec::Scalar => 0,
        DataspaceSpec::Fixed(dims) => 8 * dims.len() as u64,
        DataspaceSpec::Growable(dims) => 24 * dims.len() as u64,
    }
}

fn value_bytes(value: &Value) -> u64 {
    (value.bytes.len() + value.patches.len() * size_of::<hyperslab_write::Patch>()) as u64
}
