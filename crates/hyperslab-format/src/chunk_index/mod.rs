//! Where the chunks of a dataset are: one walk for all kinds of index (specification III.A.1, IV.A.2.i, VII).
//!
//! A [`ChunkWalk`] is asked for all chunks or for those of a region, and hands over what it finds in batches of
//! [`ChunkColumns`] while it goes on. Region and places are in chunks, not elements: the chunk `(1, 2)` begins at
//! element `(1 * c0, 2 * c1)` where chunks are c0 × c1. A walk goes down only to what may hold chunks of the region,
//! and ends at the first error: a chunk that no batch has was never written, and reads as fill value.
//!
//! Not done here: whether the chunk at the edge is filtered ([`ChunkedLayout::edge_chunks_unfiltered`]). Size and
//! filter mask are those of the index.

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

/// The dataset whose chunks are sought.
#[derive(Debug, Clone, Copy)]
pub struct Extent<'a> {
    /// Current sizes in elements.
    pub dims: &'a [u64],
    /// Largest sizes; `None` is unlimited.
    pub max_dims: &'a [Option<u64>],
    /// The layout message.
    pub layout: &'a ChunkedLayout,
    /// The dataset has a filter pipeline that is not empty.
    pub filtered: bool,
}

impl ChunkIndex {
    /// Its name, for people.
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

/// A walk under way over the index of a dataset.
#[derive(Debug)]
pub struct ChunkWalk {
    state: State,
    is_row_major: bool,
}

#[derive(Debug)]
enum State {
    Failed(FormatError),
    /// Nothing was written, or nothing of the region exists.
    Empty,
    BTreeV1(btree_v1::BTreeV1Walk),
    Single(single::SingleChunkWalk),
    Implicit(implicit::ImplicitWalk),
    FixedArray(fixed_array::FixedArrayWalk),
    ExtensibleArray(extensible_array::ExtensibleArrayWalk),
    BTreeV2(btree_v2::BTreeV2Walk),
}

impl ChunkWalk {
    /// A walk over the chunks in `region`, in chunks from (included) and to (not included) for each dimension, or
    /// over all of them. Those beyond the current size of the dataset are left out in any case.
    pub fn new(extent: &Extent, region: Option<&[(u64, u64)]>) -> Self {
        let state = State::new(extent, region).unwrap_or_else(State::Failed);
        Self { state, is_row_major: is_row_major(extent) }
    }

    /// Returns the next chunks that were found, or `None` after the last. Each chunk comes once.
    ///
    /// # Errors
    /// What of the index is damaged or not supported, after the chunks that come before it. The walk ends there:
    /// every further call gives the same error.
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

    /// True where the chunks come in the order of their places, last dimension fastest.
    pub fn is_row_major(&self) -> bool {
        self.is_row_major
    }
}

/// Only extensible arrays may have an order of their own: the unlimited dimension varies slowest.
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
