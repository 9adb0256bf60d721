//! New chunk indexes: their blocks are placed when it is known which chunks will exist, and encoded when it is known
//! where these lie.
//!
//! A single chunk and an implicit index have no structures of their own, and therefore no layout.

mod btree_v1;
mod extensible_array;
mod fixed_array;

use super::Extent;
use super::columns::{Chunk, ChunkColumns};
use super::context::stored_size_bytes;
use super::element::ElementFormat;
use super::grid::{Grid, Region};
use crate::btree::v2::{BTreeV2Layout, NodeShape};
use crate::message::ChunkIndex;
use crate::{Address, Allocate, EncodeError, Encoder, PlacedBlock, Widths};
use btree_v1::BTreeV1Layout;
use extensible_array::ExtensibleArrayLayout;
use fixed_array::FixedArrayLayout;

/// A new index whose blocks have addresses.
#[derive(Debug, Clone)]
pub struct ChunkIndexLayout {
    elements: ElementFormat,
    widths: Widths,
    chunks: usize,
    index: IndexLayout,
}

#[derive(Debug, Clone)]
enum IndexLayout {
    BTreeV1(BTreeV1Layout),
    FixedArray(FixedArrayLayout, Grid),
    ExtensibleArray(ExtensibleArrayLayout, Grid),
    BTreeV2(BTreeV2Layout),
}

const STRUCTURE: &str = "chunk index";

impl ChunkIndexLayout {
    /// Places the index of a dataset (kind and parameters are those of the layout message) in which the chunks at
    /// `coords` will exist: as many numbers for each chunk as the dataset has dimensions, counted in chunks, in
    /// row-major order. `chunk_k` is half the number of children of a version 1 B-tree node.
    ///
    /// Returns `None` if there are no chunks, and for kinds of index without structures.
    ///
    /// # Errors
    ///
    /// If the dataset has too many dimensions or chunks for this kind of index.
    pub fn place(
        extent: &Extent,
        coords: &[u64],
        chunk_k: u16,
        widths: Widths,
        allocate: &mut Allocate<'_>,
    ) -> Result<Option<Self>, EncodeError> {
        let (layout, rank) = (extent.layout, extent.dims.len());
        let is_consistent = layout.chunk_dims.len() == rank && extent.max_dims.len() == rank;
        if rank == 0 || !is_consistent || !coords.len().is_multiple_of(rank) {
            return Err(refuse("dimensionality", "chunks and dataset have different dimensions"));
        }
        if coords.is_empty() {
            return Ok(None);
        }
        let chunks = coords.len() / rank;
        let chunk_bytes = layout
            .chunk_dims
            .iter()
            .try_fold(u64::from(layout.element_bytes), |bytes, &dim| bytes.checked_mul(dim))
            .filter(|&bytes| bytes > 0)
            .ok_or_else(|| refuse("chunk size", "the size of a chunk in bytes is 0 or overflows 64 bits"))?;
        let size_bytes = stored_size_bytes(chunk_bytes, layout.version >= 5, widths);
        let elements = ElementFormat::new(extent.filtered, size_bytes, widths);
        let index = match &layout.index {
            ChunkIndex::Single { .. } | ChunkIndex::Implicit => return Ok(None),
            ChunkIndex::BTreeV1 => {
                IndexLayout::BTreeV1(BTreeV1Layout::place(layout, chunks, chunk_k, widths, allocate))
            }
            ChunkIndex::FixedArray { page_bits } => {
                let grid = grid(extent)?;
                let array = FixedArrayLayout::place(extent, *page_bits, elements, widths, allocate)?;
                IndexLayout::FixedArray(array, grid)
            }
            ChunkIndex::ExtensibleArray { .. } => {
                let grid = grid(extent)?;
                let numbers = numbers(&grid, coords, rank)?;
                let numbers: Vec<u64> = numbers.into_iter().map(|(number, _)| number).collect();
                let array =
                    ExtensibleArrayLayout::place(&layout.index, &numbers, elements, widths, allocate)?;
                IndexLayout::ExtensibleArray(array, grid)
            }
            ChunkIndex::BTreeV2 { node_bytes, .. } => {
                let kind = if extent.filtered { 11 } else { 10 };
                let record_bytes = (elements.bytes + 8 * rank as u64) as u16;
                let shape = NodeShape { kind, node_bytes: *node_bytes, record_bytes };
                IndexLayout::BTreeV2(BTreeV2Layout::place(shape, chunks as u64, widths, allocate)?)
            }
        };
        Ok(Some(Self { elements, widths, chunks, index }))
    }

    /// The address of the index, for the layout message.
    pub fn address(&self) -> Address {
        match &self.index {
            IndexLayout::BTreeV1(tree) => tree.address(),
            IndexLayout::FixedArray(array, _) => array.address(),
            IndexLayout::ExtensibleArray(array, _) => array.address(),
            IndexLayout::BTreeV2(tree) => tree.address(),
        }
    }

    /// All blocks of the index. `chunks` are those for which it was placed, in row-major order; their addresses are
    /// relative to the base address of the file.
    ///
    /// # Errors
    ///
    /// If they are other chunks, or one is larger than the index can say.
    pub fn encode(&self, chunks: &ChunkColumns) -> Result<Vec<PlacedBlock>, EncodeError> {
        if chunks.len() != self.chunks {
            let what = format!("{} chunks, but places for {}", chunks.len(), self.chunks);
            return Err(refuse("number of chunks", what));
        }
        match &self.index {
            IndexLayout::BTreeV1(tree) => tree.encode(chunks),
            IndexLayout::FixedArray(array, grid) => {
                array.encode(&numbers(grid, &chunks.coords, chunks.rank)?, chunks)
            }
            IndexLayout::ExtensibleArray(array, grid) => {
                array.encode(&numbers(grid, &chunks.coords, chunks.rank)?, chunks)
            }
            IndexLayout::BTreeV2(tree) => {
                let mut records = Encoder::new("version 2 B-tree record", self.widths);
                for chunk in chunks.iter() {
                    self.elements.encode(Some(chunk), &mut records);
                    chunk.coords.iter().for_each(|&coord| records.u64(coord));
                }
                tree.encode(&records.finish()?)
            }
        }
    }
}

/// The order of the chunks in an array.
fn grid(extent: &Extent) -> Result<Grid, EncodeError> {
    let chunk_dims = &extent.layout.chunk_dims;
    let in_chunks = |(dim, chunk): (&u64, &u64)| dim.div_ceil(*chunk);
    let chunks: Vec<u64> = extent.dims.iter().zip(chunk_dims).map(in_chunks).collect();
    let max_chunks: Vec<Option<u64>> = extent
        .max_dims
        .iter()
        .zip(chunk_dims)
        .map(|(max, chunk)| max.map(|max| max.div_ceil(*chunk)))
        .collect();
    Region::new(&chunks, None)
        .and_then(|region| Grid::new(&max_chunks, &region))
        .ok_or_else(|| refuse("dimension sizes", "the chunks of this extent have no order in an array"))
}

/// The index in an array of each chunk, with the chunk's number in `coords`, by ascending index.
fn numbers(grid: &Grid, coords: &[u64], rank: usize) -> Result<Vec<(u64, usize)>, EncodeError> {
    let mut numbers = Vec::with_capacity(coords.len() / rank);
    for (i, place) in coords.chunks_exact(rank).enumerate() {
        let number = grid.number(place);
        numbers.push((number.ok_or_else(|| refuse("chunk offset", format!("chunk {place:?}")))?, i));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

impl ElementFormat {
    /// Encodes an element: a chunk, or that there is none.
    fn encode(&self, chunk: Option<Chunk<'_>>, out: &mut Encoder) {
        out.address("chunk address", chunk.map(|chunk| Address(chunk.address)));
        if self.filtered {
            let (bytes, mask) = chunk.map_or((0, 0), |chunk| (chunk.stored_bytes, chunk.filter_mask));
            out.uint("chunk size", bytes, self.size_bytes);
            out.u32(mask);
        }
    }
}

fn refuse(field: &'static str, what: impl Into<String>) -> EncodeError {
    EncodeError { structure: STRUCTURE, field, what: what.into() }
}

#[cfg(test)]
mod tests;
