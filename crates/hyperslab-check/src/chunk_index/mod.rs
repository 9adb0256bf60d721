//! Chunk indexes (specification III.A.1, VII): every node, and the chunk that each entry describes.

mod btree_v1;
mod btree_v2;
mod extensible_array;
mod fixed_array;

use crate::checker::{Checked, Checker};
use crate::data::{CHUNK, ChunkReader};
use crate::dataset::{CHUNK_LARGER, CHUNK_SHAPE, DatasetParts, INDEX_KIND};
use crate::references::References;
use crate::rule::rules;
use hyperslab_format::message::{ChunkIndex, ChunkedLayout, Dataspace};
use hyperslab_format::{Address, Cursor};

rules! { RULES:
    /// The entries of a chunk index are in the order of the chunks, and no chunk has two entries.
    CHUNK_ORDER = Error "chunk-order", "III.A.1, III.A.2.l";
    /// The offset of a chunk is a multiple of the size of a chunk.
    CHUNK_OFFSET = Error "chunk-offset", "III.A.1";
    /// The index has only chunks that are inside the dataset: the library removes others when a dataset shrinks.
    CHUNK_OUTSIDE = Note "chunk-outside", "VII; H5Dchunk.c";
    /// An unfiltered chunk has the bytes of its elements; a filtered chunk has at least one byte.
    CHUNK_SIZE = Error "chunk-size", "III.A.1, VII";
    /// The filter mask of a chunk has only bits of filters that the dataset has.
    FILTER_MASK = Error "filter-mask", "III.A.1, VII";
    /// Only optional filters were skipped.
    MANDATORY_FILTER = Note "mandatory-filter-skipped", "IV.A.2.l";
    /// The parameters and numbers in the header of an array are those of the layout message and of its blocks.
    ARRAY_HEADER = Error "array-header", "VII.C, VII.D";
    /// The blocks of an array repeat its client ID and its address.
    ARRAY_BLOCK = Error "array-block", "VII.C, VII.D";
    /// The parameters of the B-tree of chunks are those of the layout message.
    TREE_PARAMETERS = Error "tree-parameters", "IV.A.2.i, VII.E";
}

const INDEX: &str = "chunk index";

/// A dataset whose chunk index is being checked.
pub(crate) struct Chunked<'d> {
    pub layout: &'d ChunkedLayout,
    /// The address of the index.
    pub address: Address,
    /// The sizes of a chunk, with the element size.
    pub sizes: Vec<u64>,
    /// The number of chunks in each dimension.
    pub chunks: Vec<u64>,
    /// The maximum number of chunks in each dimension.
    pub max_chunks: Vec<Option<u64>>,
    pub chunk_bytes: u64,
    /// The bits of all filters, and of those that are optional.
    filters: u32,
    optional: u32,
    /// The current sizes of the dataset, in elements.
    dims: Vec<u64>,
    /// The last chunk of a B-tree so far: its entries ascend.
    last: Option<Vec<u64>>,
    reader: ChunkReader,
}

/// A chunk, as an index describes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// The absolute offset of the entry.
    pub at: u64,
    pub address: Address,
    pub stored_bytes: u64,
    pub mask: u32,
}

impl Chunked<'_> {
    pub(crate) fn rank(&self) -> usize {
        self.chunks.len()
    }

    pub(crate) fn is_filtered(&self) -> bool {
        self.filters != 0
    }

    /// The width in bytes of the size of a filtered chunk in arrays and version 2 B-trees.
    fn size_bytes(&self, length: u8) -> usize {
        if self.layout.version >= 5 {
            return length.into();
        }
        (1 + (self.chunk_bytes.max(1).ilog2() as usize + 8) / 8).min(8)
    }

    /// True for a chunk that is partly outside of the dataset.
    fn is_partial(&self, coords: &[u64]) -> bool {
        let dims = self.dims.iter().zip(&self.layout.chunk_dims);
        coords
            .iter()
            .zip(dims)
            .any(|(coord, (dim, chunk))| coord.saturating_add(1).saturating_mul(*chunk) > *dim)
    }
}

impl Checker<'_> {
    /// Checks the shape of chunks, the chunk index, and all chunks.
    pub(crate) fn check_chunked(
        &mut self,
        parts: &DatasetParts,
        layout: &ChunkedLayout,
        references: &mut References,
    ) -> Checked {
        const LAYOUT: &str = "data layout message";
        let at = parts.layout_at;
        let (dims, max_dims) = match &parts.dataspace {
            Dataspace::Simple { dims, max_dims } => (dims.clone(), max_dims.clone()),
            Dataspace::Scalar | Dataspace::Null => (Vec::new(), Vec::new()),
        };
        let element_bytes = u64::from(layout.element_bytes);
        let is_same = layout.chunk_dims.len() == dims.len() && layout.element_bytes == parts.datatype.size;
        if !is_same || dims.is_empty() {
            let what = format!(
                "chunks of {:?} elements of {element_bytes} bytes, but the dataset has {dims:?} of {}",
                layout.chunk_dims, parts.datatype.size
            );
            self.report(&CHUNK_SHAPE, LAYOUT, at, what);
            return Ok(());
        }
        for ((chunk, dim), max) in layout.chunk_dims.iter().zip(&dims).zip(&max_dims) {
            let fits = *dim == 0 || *max != Some(*dim) || chunk <= dim;
            self.demand(fits, &CHUNK_LARGER, LAYOUT, at, || {
                format!("chunks of {chunk} along a dimension of {dim}")
            });
        }
        self.check_index_kind(parts, layout, &dims, &max_dims);
        let Some(address) = layout.address else { return Ok(()) };
        let in_chunks = |(dim, chunk): (&u64, &u64)| dim.div_ceil(*chunk);
        let sizes: Vec<u64> = layout.chunk_dims.iter().copied().chain([element_bytes]).collect();
        // The parser of the message has checked that this does not overflow.
        let chunk_bytes = sizes.iter().fold(1u64, |bytes, &size| bytes.saturating_mul(size));
        let bits = |wanted: &dyn Fn(usize) -> bool| {
            (0..parts.filters.filters.len().min(32))
                .filter(|&i| wanted(i))
                .fold(0u32, |bits, i| bits | 1 << i)
        };
        let chunked = Chunked {
            layout,
            address,
            chunks: dims.iter().zip(&layout.chunk_dims).map(in_chunks).collect(),
            max_chunks: max_dims
                .iter()
                .zip(&layout.chunk_dims)
                .map(|(max, chunk)| max.map(|max| max.div_ceil(*chunk)))
                .collect(),
            sizes,
            chunk_bytes,
            filters: bits(&|_| true),
            optional: bits(&|i| parts.filters.filters[i].is_optional()),
            dims,
            last: None,
            reader: ChunkReader::new(parts, chunk_bytes),
        };
        self.check_chunk_index(chunked, references)
    }

    fn check_chunk_index(&mut self, mut chunked: Chunked<'_>, references: &mut References) -> Checked {
        let checked = match &chunked.layout.index {
            ChunkIndex::Single { filtered } => {
                let (stored_bytes, mask) = filtered.unwrap_or((chunked.chunk_bytes, 0));
                let (address, coords) = (chunked.address, vec![0; chunked.rank()]);
                let at = self.view.absolute(address);
                self.check_chunk(&mut chunked, &coords, Entry { at, address, stored_bytes, mask }, references)
            }
            ChunkIndex::Implicit => self.check_implicit(&mut chunked, references),
            ChunkIndex::BTreeV1 => self.check_chunk_btree_v1(&mut chunked, references),
            ChunkIndex::BTreeV2 { .. } => self.check_chunk_btree_v2(&mut chunked, references),
            ChunkIndex::FixedArray { .. } => self.check_fixed_array(&mut chunked, references),
            ChunkIndex::ExtensibleArray { .. } => self.check_extensible_array(&mut chunked, references),
        };
        self.finish(checked);
        self.read_chunks(&mut chunked.reader, references);
        Ok(())
    }

    fn check_index_kind(
        &mut self,
        parts: &DatasetParts,
        layout: &ChunkedLayout,
        dims: &[u64],
        max_dims: &[Option<u64>],
    ) {
        let unlimited = max_dims.iter().filter(|max| max.is_none()).count();
        let filtered = !parts.filters.filters.is_empty();
        let is_one_chunk = dims.iter().zip(&layout.chunk_dims).all(|(dim, chunk)| dim <= chunk);
        let is_allowed = match &layout.index {
            ChunkIndex::BTreeV1 => true,
            ChunkIndex::Single { filtered: has_filter } => {
                // The size is stored for filtered chunks only; a partial chunk may be exempted from filters.
                unlimited == 0 && is_one_chunk && (has_filter.is_none() || filtered)
            }
            ChunkIndex::Implicit => unlimited == 0 && !filtered,
            ChunkIndex::FixedArray { .. } => unlimited == 0,
            ChunkIndex::ExtensibleArray { .. } => unlimited == 1,
            // The library uses it for several unlimited dimensions only, but reads it for any.
            ChunkIndex::BTreeV2 { .. } => true,
        };
        self.demand(is_allowed, &INDEX_KIND, "data layout message", parts.layout_at, || {
            let kind = layout.index.kind_name();
            format!(
                "an index of kind {kind} with {unlimited} unlimited dimensions, {} filters",
                if filtered { "with" } else { "without" }
            )
        });
    }

    /// Checks that a chunk of a B-tree comes after the one before it, and what its entry says.
    pub(crate) fn check_next_chunk(
        &mut self,
        chunked: &mut Chunked<'_>,
        coords: Vec<u64>,
        entry: Entry,
        references: &mut References,
    ) -> Checked {
        if let Some(last) = chunked.last.as_ref().filter(|last| **last >= coords) {
            self.report(&CHUNK_ORDER, INDEX, entry.at, format!("chunk {coords:?} comes after {last:?}"));
        }
        self.check_chunk(chunked, &coords, entry, references)?;
        chunked.last = Some(coords);
        Ok(())
    }

    /// Checks what an index says about a chunk, and notes its bytes.
    pub(crate) fn check_chunk(
        &mut self,
        chunked: &mut Chunked<'_>,
        coords: &[u64],
        entry: Entry,
        references: &mut References,
    ) -> Checked {
        let Entry { at, address, stored_bytes, mask } = entry;
        self.report.chunks += 1;
        let is_inside = coords.iter().zip(&chunked.chunks).all(|(coord, chunks)| coord < chunks);
        self.demand(is_inside, &CHUNK_OUTSIDE, INDEX, at, || {
            format!("chunk {coords:?} of a dataset of {:?} chunks", chunked.chunks)
        });
        let is_exempt = chunked.layout.edge_chunks_unfiltered && chunked.is_partial(coords);
        let is_sized = if chunked.is_filtered() && !is_exempt {
            stored_bytes > 0
        } else {
            stored_bytes == chunked.chunk_bytes
        };
        self.demand(is_sized, &CHUNK_SIZE, INDEX, at, || {
            format!("chunk {coords:?} has {stored_bytes} bytes, its elements {}", chunked.chunk_bytes)
        });
        self.demand(mask & !chunked.filters == 0, &FILTER_MASK, INDEX, at, || {
            format!("chunk {coords:?} has the filter mask {mask:#x}; the filters are {:#x}", chunked.filters)
        });
        let skipped = mask & chunked.filters & !chunked.optional;
        self.demand(skipped == 0, &MANDATORY_FILTER, INDEX, at, || {
            format!("chunk {coords:?} was stored without mandatory filters {skipped:#x}")
        });
        let start = self.view.absolute(address);
        let claimed = self.claim_at(CHUNK, start, stored_bytes);
        if self.finish(claimed).is_some() && self.options.data {
            chunked.reader.add(start, stored_bytes, if is_exempt { u32::MAX } else { mask });
            if chunked.reader.is_full() {
                self.read_chunks(&mut chunked.reader, references);
            }
        }
        Ok(())
    }

    /// All chunks of the maximum size, one after the other.
    fn check_implicit(&mut self, chunked: &mut Chunked<'_>, references: &mut References) -> Checked {
        let total = chunked.max_chunks.iter().try_fold(1u64, |total, max| total.checked_mul((*max)?));
        let bytes = total.and_then(|total| total.checked_mul(chunked.chunk_bytes));
        let start = self.view.absolute(chunked.address);
        let Some((total, bytes)) = total.zip(bytes).filter(|(_, bytes)| self.view.holds(start, *bytes))
        else {
            let what = format!("chunks of {:?} × {} bytes", chunked.max_chunks, chunked.chunk_bytes);
            self.report(&crate::general::PAST_END, INDEX, start, what);
            return Ok(());
        };
        self.claim_at(CHUNK, start, bytes)?;
        self.report.chunks += total;
        if self.options.data {
            for number in 0..total {
                chunked.reader.add(start + number * chunked.chunk_bytes, chunked.chunk_bytes, u32::MAX);
                if chunked.reader.is_full() {
                    self.read_chunks(&mut chunked.reader, references);
                }
            }
        }
        Ok(())
    }

    /// Reads the element of an array: the chunk with this number, if it exists.
    fn check_array_element(
        &mut self,
        chunked: &mut Chunked<'_>,
        element: &mut Cursor,
        number: u64,
        references: &mut References,
    ) -> Checked {
        let at = element.at();
        let address = element.address("chunk address")?;
        let (stored_bytes, mask) = if chunked.is_filtered() {
            let size_bytes = chunked.size_bytes(self.view.widths.length);
            (element.uint("chunk size", size_bytes)?, element.u32("filter mask")?)
        } else {
            (chunked.chunk_bytes, 0)
        };
        let Some(address) = address else { return Ok(()) };
        let coords = coords_of(number, &chunked.max_chunks);
        self.check_chunk(chunked, &coords, Entry { at, address, stored_bytes, mask }, references)
    }

    /// The size of an element of an array in bytes.
    fn element_bytes(&self, chunked: &Chunked<'_>) -> u64 {
        let widths = self.view.widths;
        let of_filters = if chunked.is_filtered() { chunked.size_bytes(widths.length) as u64 + 4 } else { 0 };
        u64::from(widths.offset) + of_filters
    }

    /// Checks the fields that all blocks of an array have in common.
    fn check_array_block(
        &mut self,
        chunked: &Chunked<'_>,
        block: &mut Cursor,
        signature: &[u8; 4],
    ) -> Checked {
        block.signature(signature)?;
        block.version(0..=0)?;
        let at = block.at();
        let client = block.u8("client ID")?;
        let owner = block.address("header address")?;
        self.demand(client == u8::from(chunked.is_filtered()), &ARRAY_BLOCK, block.structure(), at, || {
            format!("client ID {client}")
        });
        self.demand(owner == Some(chunked.address), &ARRAY_BLOCK, block.structure(), at, || {
            format!("the block belongs to the array at {owner:?}, not to that at {}", chunked.address)
        });
        Ok(())
    }
}

/// The coordinates of the chunk with a number: row-major over the maximum size, the unlimited dimension first.
fn coords_of(number: u64, max_chunks: &[Option<u64>]) -> Vec<u64> {
    let unlimited = max_chunks.iter().position(Option::is_none);
    let mut coords = vec![0; max_chunks.len()];
    let mut rest = number;
    for d in (0..max_chunks.len()).rev() {
        if let Some(max) = max_chunks[d].filter(|_| Some(d) != unlimited) {
            if d == 0 && unlimited.is_none() {
                break;
            }
            coords[d] = rest % max.max(1);
            rest /= max.max(1);
        }
    }
    coords[unlimited.unwrap_or(0)] = rest;
    coords
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_numbered_with_the_unlimited_dimension_first() {
        assert_eq!(coords_of(7, &[Some(3), Some(4)]), [1, 3]);
        assert_eq!(coords_of(7, &[Some(3), None]), [1, 2]);
        assert_eq!(coords_of(30, &[Some(3), None, Some(4)]), [1, 2, 2]);
        assert_eq!(coords_of(5, &[None]), [5]);
        assert_eq!(coords_of(5, &[Some(6)]), [5]);
    }
}
