//! The properties of a dataset that a traversal of its chunk index needs, checked once.

use super::Extent;
use super::columns::{Chunk, ChunkColumns};
use super::grid::Region;
use crate::message::ChunkIndex;
use crate::{Address, FormatError, View, Widths, limits};

/// A checked extent and region.
#[derive(Debug, Clone)]
pub(super) struct WalkContext {
    pub(super) rank: usize,
    /// The address of the index.
    pub(super) address: Address,
    /// The sizes of a chunk in elements.
    pub(super) chunk_dims: Vec<u64>,
    /// The present number of chunks in each dimension.
    pub(super) chunks: Vec<u64>,
    /// The maximum number of chunks in each dimension; `None` if unlimited.
    pub(super) max_chunks: Vec<Option<u64>>,
    /// The bytes of an unfiltered chunk.
    pub(super) chunk_bytes: u64,
    /// The bytes of an element.
    pub(super) element_bytes: u64,
    pub(super) filtered: bool,
    /// True for layout message 5 and later, which store sizes in the width of lengths.
    pub(super) wide_sizes: bool,
    /// The wanted chunks, all of them within `chunks`.
    pub(super) region: Region,
}

/// An error in the messages of a dataset, whose offset in the file is not known here.
pub(super) fn invalid(field: &'static str, what: impl Into<String>) -> FormatError {
    FormatError::invalid("chunk index", field, 0, what)
}

/// The width in bytes of the stored size of a filtered chunk of `chunk_bytes` unfiltered bytes.
pub(super) fn stored_size_bytes(chunk_bytes: u64, wide_sizes: bool, widths: Widths) -> usize {
    if wide_sizes {
        return widths.length.into();
    }
    // One byte more than the size of an unfiltered chunk needs, because filters may enlarge it.
    (1 + (chunk_bytes.max(1).ilog2() as usize + 8) / 8).min(8)
}

impl WalkContext {
    /// Checks the properties; `None` if there are no chunks to find.
    pub(super) fn new(extent: &Extent, region: Option<&[(u64, u64)]>) -> Result<Option<Self>, FormatError> {
        let layout = extent.layout;
        let rank = extent.dims.len();
        if rank == 0 || rank as u64 > limits::RANK_MAX {
            return Err(invalid("dimensionality", format!("{rank} is not a valid number of dimensions")));
        }
        if layout.chunk_dims.len() != rank || extent.max_dims.len() != rank {
            let (chunks, max) = (layout.chunk_dims.len(), extent.max_dims.len());
            let what =
                format!("chunks have {chunks} dimensions, the dataset has {rank} and {max} maximum sizes");
            return Err(invalid("dimensionality", what));
        }
        let Some(chunk_bytes) = (layout.chunk_dims.iter())
            .try_fold(u64::from(layout.element_bytes), |bytes, &dim| bytes.checked_mul(dim))
            .filter(|&bytes| bytes > 0)
        else {
            let (dims, bytes) = (&layout.chunk_dims, layout.element_bytes);
            return Err(invalid("chunk size", format!("chunks of {dims:?} elements of {bytes} bytes")));
        };
        let in_chunks = |(dim, chunk): (&u64, &u64)| dim.div_ceil(*chunk);
        let mut chunks: Vec<u64> = extent.dims.iter().zip(&layout.chunk_dims).map(in_chunks).collect();
        if matches!(layout.index, ChunkIndex::Single { .. }) && region.is_none() {
            // Unlike the chunks of other indexes, it remains when the extent shrinks to nothing.
            chunks.iter_mut().for_each(|count| *count = (*count).max(1));
        }
        let max_chunks: Vec<Option<u64>> = (extent.max_dims.iter().zip(&layout.chunk_dims))
            .map(|(max, chunk)| max.as_ref().map(|max| in_chunks((max, chunk))))
            .collect();
        if chunks.iter().zip(&max_chunks).any(|(now, max)| max.is_some_and(|max| *now > max)) {
            let what = format!("the size {:?} exceeds the maximum size {:?}", extent.dims, extent.max_dims);
            return Err(invalid("dimension sizes", what));
        }
        if region.is_some_and(|region| region.len() != rank) {
            return Err(invalid("region", format!("the region does not have {rank} dimensions")));
        }
        let Some(region) = Region::new(&chunks, region) else { return Ok(None) };
        let Some(address) = layout.address else { return Ok(None) };
        Ok(Some(Self {
            rank,
            address,
            chunk_dims: layout.chunk_dims.clone(),
            chunks,
            max_chunks,
            chunk_bytes,
            element_bytes: layout.element_bytes.into(),
            filtered: extent.filtered,
            wide_sizes: layout.version >= 5,
            region,
        }))
    }

    /// The width in bytes of the stored size of a filtered chunk in arrays and version 2 B-trees.
    pub(super) fn size_bytes(&self, view: &View) -> usize {
        stored_size_bytes(self.chunk_bytes, self.wide_sizes, view.widths)
    }

    /// Adds a chunk to those found, if it is wanted. Its bytes must be in the file.
    pub(super) fn add(
        &self,
        view: &View,
        found: &mut ChunkColumns,
        coords: &[u64],
        (address, stored_bytes, filter_mask): (Address, u64, u32),
    ) -> Result<(), FormatError> {
        if !self.region.contains(coords) {
            return Ok(());
        }
        let at = view.absolute(address);
        let error = |field, what: String| {
            Err(FormatError::invalid("chunk index", field, at, format!("chunk {coords:?}: {what}")))
        };
        if stored_bytes == 0 {
            return error("chunk size", "no bytes are stored".into());
        }
        if !view.holds(at, stored_bytes) {
            let file_len = view.file_len();
            let what = format!("{stored_bytes} bytes extend beyond the end of the file ({file_len} bytes)");
            return error("chunk address", what);
        }
        if !self.filtered && stored_bytes != self.chunk_bytes {
            let what = format!("{stored_bytes} bytes instead of {} in an unfiltered chunk", self.chunk_bytes);
            return error("chunk size", what);
        }
        found.push(Chunk { coords, address: at, stored_bytes, filter_mask });
        Ok(())
    }

    /// The most chunks that fit into the file, to bound allocations.
    pub(super) fn room(&self, view: &View) -> u64 {
        view.stored_bytes() / if self.filtered { 1 } else { self.chunk_bytes }
    }
}
