//! The objects of the global heap that elements of variable length and region references need in the new file.
//!
//! Where an element itself says how long its object is, the heap of the source is not read.

use super::SampleSize;
use crate::chunk_shape;
use crate::plan::RepackPlan;
use hyperslab::datatypes::{Class, Reference};
use hyperslab::{ChunkGrid, Dataset, Datatype, Endianness, Heap, Selection};
use hyperslab_encode::RepackError;
use hyperslab_encode::block::Block;
use hyperslab_tree::pieces::{Piece, each_piece};
use hyperslab_tree::relocate::{HeapContent, Relocatable, contains_addresses};
use hyperslab_tree::source_dataset::layout;
use hyperslab_tree::source_tree::Sources;
use hyperslab_write::DataSpace;

/// The heap objects of a dataset.
pub(super) struct HeapObjects<'a> {
    plan: &'a RepackPlan,
    dataset: &'a Dataset,
    bytes_max: u64,
}

/// Blocks that are read of a dataset that is not read as a whole.
const SAMPLES: u64 = 16;
/// Objects of which only the sum is known are taken for many of so many bytes.
const USUAL_BYTES: u64 = 1000;
/// The header of an object in a collection; its bytes are padded to a multiple of it.
const HEADER_BYTES: u64 = 16;
const PADDING: u64 = 8;
/// Bytes of the number of elements at the start of an element of variable length.
const COUNT: usize = 4;

impl<'a> HeapObjects<'a> {
    pub fn new(plan: &'a RepackPlan, dataset: &'a Dataset, size: SampleSize) -> Self {
        Self { plan, dataset, bytes_max: size.encoded_bytes }
    }

    /// Takes space for all objects and, after those of each chunk of the source, for the chunk: what `chunk` makes of its stored
    /// bytes. Returns true if only a part of the elements was read.
    pub fn take_space(&self, space: &mut DataSpace, chunk: impl Fn(u64) -> u64) -> Result<bool, RepackError> {
        let (plan, dataset) = (self.plan, self.dataset);
        let mut heap = plan.file.heap();
        if dataset.logical_bytes() > self.bytes_max {
            self.sample(space, &mut heap)?;
            space.chunks(chunk(dataset.stored_bytes()?));
            return Ok(true);
        }
        let is_chunked = dataset.chunk_shape().is_some() && !dataset.shape().contains(&0);
        let map = if is_chunked { Some(dataset.chunk_map()?) } else { None };
        let mut locations = map.iter().flat_map(|map| map.iter()).map(|(_, location)| location);
        let layout = layout(&plan.file, dataset)?;
        each_piece(&plan.file, dataset, &layout, &mut heap, |piece, elements, heap| {
            // What cannot be read is reported when it is copied.
            if let Ok(elements) = elements {
                each_object(dataset.datatype(), &elements, heap, &plan.source.sources, &mut |bytes| {
                    space.heap_object(bytes);
                });
            }
            if let (Piece::Chunk(_), Some(location)) = (piece, locations.next()) {
                space.chunks(chunk(location.stored_bytes));
            }
            Ok(())
        })?;
        Ok(false)
    }

    /// Reads some blocks, and takes space for as many times the bytes of their objects as there are elements.
    fn sample(&self, space: &mut DataSpace, heap: &mut Heap) -> Result<(), RepackError> {
        let dataset = self.dataset;
        let (mut elements, mut bytes) = (0, 0u64);
        for block in blocks(dataset, self.bytes_max / SAMPLES)? {
            let selection = Selection::block(&block.start, &block.count);
            let Ok(read) = dataset.read_bytes(&selection, Endianness::File) else { continue };
            each_object(dataset.datatype(), &read, heap, &self.plan.source.sources, &mut |object| {
                bytes += HEADER_BYTES + object.next_multiple_of(PADDING);
            });
            elements += block.elements();
        }
        let all = dataset.logical_bytes() / u64::from(dataset.datatype().size).max(1);
        let bytes = bytes as f64 * all as f64 / elements.max(1) as f64;
        (0..(bytes / (HEADER_BYTES + USUAL_BYTES) as f64) as u64)
            .for_each(|_| space.heap_object(USUAL_BYTES));
        Ok(())
    }
}

/// Some blocks of about so many bytes, spread over the dataset.
fn blocks(dataset: &Dataset, bytes: u64) -> Result<Vec<Block>, RepackError> {
    let shape = match dataset.chunk_shape() {
        Some(chunk) => chunk.to_vec(),
        None => chunk_shape::rows(dataset.shape(), dataset.datatype().size.into(), bytes),
    };
    let grid = ChunkGrid::new(dataset.shape(), &shape)?;
    let count = grid.len().min(SAMPLES.into());
    let numbers = (0..count).map(|sample| (2 * sample + 1) * grid.len() / (2 * count));
    let block = |number| Block::of_chunk(&grid.coordinates(number), &shape).within(dataset.shape());
    Ok(numbers.map(block).collect())
}

/// Calls `each` with the bytes of every object, in the order in which they are written.
fn each_object(
    datatype: &Datatype,
    elements: &[u8],
    heap: &mut Heap,
    mut sources: &Sources,
    each: &mut dyn FnMut(u64),
) {
    if says_lengths(datatype) {
        return each_length(datatype, elements, heap, each);
    }
    let (found, ..) = Relocatable::read_undamaged(datatype, elements, heap, &mut sources);
    each_child(&found, each);
}

fn each_child(elements: &Relocatable, each: &mut dyn FnMut(u64)) {
    for (_, child) in &elements.heap {
        if let HeapContent::Nested(content) = child {
            each_child(content, each);
        }
        each(child.bytes().len() as u64);
    }
}

/// True if the elements themselves say how long the objects are.
fn says_lengths(datatype: &Datatype) -> bool {
    match &datatype.class {
        Class::VlenSequence { base } => !contains_addresses(base),
        Class::Reference(reference) => *reference == Reference::Object,
        Class::Compound { members } => members.iter().all(|member| says_lengths(&member.datatype)),
        Class::Array { base, .. } => says_lengths(base),
        _ => true,
    }
}

fn each_length(datatype: &Datatype, elements: &[u8], heap: &Heap, each: &mut dyn FnMut(u64)) {
    let size = (datatype.size as usize).max(1);
    match &datatype.class {
        Class::VlenString { .. } => variable(elements, size, 1, heap, each),
        Class::VlenSequence { base } => variable(elements, size, base.size.into(), heap, each),
        Class::Compound { members } => {
            for element in elements.chunks_exact(size) {
                for member in members.iter().filter(|member| contains_addresses(&member.datatype)) {
                    let start = member.offset as usize;
                    let value = element.get(start..start + member.datatype.size as usize);
                    each_length(&member.datatype, value.unwrap_or_default(), heap, each);
                }
            }
        }
        Class::Array { base, .. } => each_length(base, elements, heap, each),
        _ => {}
    }
}

fn variable(elements: &[u8], size: usize, base: u64, heap: &Heap, each: &mut dyn FnMut(u64)) {
    for element in elements.chunks_exact(size) {
        let Some((count, reference)) = element.split_first_chunk::<COUNT>() else { continue };
        let bytes = u64::from(u32::from_le_bytes(*count)).saturating_mul(base);
        // An empty one that refers to nothing stays so.
        if bytes > 0 || heap.collection_of(reference).is_some() {
            each(bytes);
        }
    }
}
