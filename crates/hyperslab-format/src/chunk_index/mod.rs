//! Chunk indexes: finding the chunks of a dataset, for all kinds of index (specification III.A.1, IV.A.2.i, VII).
//!
//! A [`ChunkWalk`] traverses the index for all chunks or for those of a region, and returns them in batches of
//! [`ChunkColumns`]. The coordinates of regions and chunks are in chunks, not elements: if chunks are c0 × c1, the
//! chunk `(1, 2)` begins at the element `(1 * c0, 2 * c1)`. The traversal reads only the nodes that may contain chunks
//! of the region, and ends at the first error. A chunk that is in no batch was never written, and reads as the fill
//! value.
//!
//! Sizes and filter masks are those in the index. The layout may exempt the chunks at the edge from filtering
//! ([`ChunkedLayout::edge_chunks_unfiltered`]), which the caller must take into account.

mod batch;
mod btree_v1;
mod btree_v2;
mod columns;
mod context;
mod element;
mod extensible_array;
mod fixed_array;
mod grid;
mod implicit;
mod layout;
mod order;
mod single;

use crate::message::{ChunkIndex, ChunkedLayout};
use crate::{FormatError, Parse, Stop, View};
pub use columns::{Chunk, ChunkColumns};
use context::WalkContext;
pub use layout::ChunkIndexLayout;

/// The properties of a dataset that its chunk index depends on.
#[derive(Debug, Clone, Copy)]
pub struct Extent<'a> {
    /// The current sizes in elements.
    pub dims: &'a [u64],
    /// The maximum sizes in elements; `None` if unlimited.
    pub max_dims: &'a [Option<u64>],
    /// The layout message.
    pub layout: &'a ChunkedLayout,
    /// True if the dataset has filters.
    pub filtered: bool,
}

impl ChunkIndex {
    /// The name of the kind of index, for display.
    pub fn kind_name(&self) -> &'static str {
        match self {
            ChunkIndex::BTreeV1 => "btree v1",
            ChunkIndex::Single { .. } => "single chunk",
            ChunkIndex::Implicit => "implicit",
            ChunkIndex::FixedArray { .. } => "fixed array",
            ChunkIndex::ExtensibleArray { .. } => "extensible array",
            ChunkIndex::BTreeV2 { .. } => "btree v2",
        }
    }
}

/// A traversal of the chunk index of a dataset.
#[derive(Debug)]
pub struct ChunkWalk {
    state: State,
    is_row_major: bool,
}

#[derive(Debug)]
enum State {
    Failed(FormatError),
    /// No chunk was written, or none of the region exists.
    Empty,
    BTreeV1(btree_v1::BTreeV1Walk),
    Single(single::SingleChunkWalk),
    Implicit(implicit::ImplicitWalk),
    FixedArray(fixed_array::FixedArrayWalk),
    ExtensibleArray(extensible_array::ExtensibleArrayWalk),
    BTreeV2(btree_v2::BTreeV2Walk),
}

impl ChunkWalk {
    /// A traversal of the chunks in `region`, or of all chunks. A region has the first chunk and the end (exclusive) in
    /// each dimension, in chunks. Chunks beyond the current size of the dataset are never returned.
    pub fn new(extent: &Extent, region: Option<&[(u64, u64)]>) -> Self {
        let state = State::new(extent, region).unwrap_or_else(State::Failed);
        Self { state, is_row_major: is_row_major(extent) }
    }

    /// Returns the next chunks, or `None` after the last. Each chunk is returned once.
    ///
    /// # Errors
    /// The part of the index that is damaged or not supported, after the chunks before it. The traversal ends there:
    /// every further call returns the same error.
    pub fn advance(&mut self, view: &View) -> Parse<Option<ChunkColumns>> {
        let found = match &mut self.state {
            State::Failed(error) => Err(Stop::Bad(error.clone())),
            State::Empty => Ok(None),
            State::BTreeV1(walk) => walk.advance(view),
            State::Single(walk) => walk.advance(view),
            State::Implicit(walk) => walk.advance(view),
            State::FixedArray(walk) => walk.advance(view),
            State::ExtensibleArray(walk) => walk.advance(view),
            State::BTreeV2(walk) => walk.advance(view),
        };
        if let Err(Stop::Bad(error)) = &found {
            self.state = State::Failed(error.clone());
        }
        found
    }

    /// True if the chunks are returned in row-major order.
    pub fn is_row_major(&self) -> bool {
        self.is_row_major
    }
}

/// Only extensible arrays may have a different order, because the unlimited dimension varies slowest.
fn is_row_major(extent: &Extent) -> bool {
    let is_array = matches!(extent.layout.index, ChunkIndex::ExtensibleArray { .. });
    !is_array || extent.max_dims.first().is_none_or(Option::is_none)
}

impl State {
    fn new(extent: &Extent, region: Option<&[(u64, u64)]>) -> Result<Self, FormatError> {
        let Some(context) = WalkContext::new(extent, region)? else { return Ok(Self::Empty) };
        Ok(match &extent.layout.index {
            ChunkIndex::BTreeV1 => Self::BTreeV1(btree_v1::BTreeV1Walk::new(context)),
            ChunkIndex::Single { filtered } => {
                Self::Single(single::SingleChunkWalk::new(context, *filtered)?)
            }
            ChunkIndex::Implicit => Self::Implicit(implicit::ImplicitWalk::new(context)?),
            ChunkIndex::FixedArray { .. } => Self::FixedArray(fixed_array::FixedArrayWalk::new(context)?),
            ChunkIndex::ExtensibleArray { .. } => {
                Self::ExtensibleArray(extensible_array::ExtensibleArrayWalk::new(context)?)
            }
            ChunkIndex::BTreeV2 { .. } => Self::BTreeV2(btree_v2::BTreeV2Walk::new(context)),
        })
    }
}

#[cfg(test)]
mod tests;
