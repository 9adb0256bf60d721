//! Where the chunks of a dataset are: one walk for all kinds of index (specification III.A.1, IV.A.2.i, VII).
//!
//! A [`Walk`] is asked for all chunks or for those of a region, and ends with a [`ChunkTable`]. Region and table are
//! in chunks, not elements: the chunk `(1, 2)` begins at element `(1 * c0, 2 * c1)` where chunks are c0 × c1. A walk
//! goes down only to what may hold chunks of the region, and ends at the first error: a chunk that is missing from
//! the table was never written, and reads as fill value.
//!
//! Not done here: whether the chunk at the edge is filtered ([`ChunkedLayout::edge_chunks_unfiltered`]). Size and
//! filter mask are those of the index.

mod btree_v1;
mod btree_v2;
mod element;
mod extensible_array;
mod fixed_array;
mod grid;
mod implicit;
mod plan;
mod single;
mod table;

use crate::message::{ChunkIndex, ChunkedLayout};
use crate::{FormatError, Parse, Stop, View};
use plan::Plan;
pub use table::{Chunk, ChunkTable};

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
pub struct Walk(State);

#[derive(Debug)]
enum State {
    Failed(FormatError),
    /// Nothing was written, or nothing of the region exists.
    Empty(usize),
    BTreeV1(btree_v1::Walk),
    Single(single::Walk),
    Implicit(implicit::Walk),
    FixedArray(fixed_array::Walk),
    ExtensibleArray(extensible_array::Walk),
    BTreeV2(btree_v2::Walk),
}

impl Walk {
    /// A walk over the chunks in `region`, in chunks from (included) and to (not included) for each dimension, or
    /// over all of them. Those beyond the current size of the dataset are left out in any case.
    pub fn new(extent: &Extent, region: Option<&[(u64, u64)]>) -> Self {
        Self(State::new(extent, region).unwrap_or_else(State::Failed))
    }

    /// Goes on, until it is `Ok` with all chunks, in the order of their places (last dimension fastest).
    pub fn advance(&mut self, view: &View) -> Parse<ChunkTable> {
        match &mut self.0 {
            State::Failed(error) => Err(Stop::Bad(error.clone())),
            State::Empty(rank) => Ok(ChunkTable::new(*rank)),
            State::BTreeV1(walk) => walk.advance(view),
            State::Single(walk) => walk.advance(view),
            State::Implicit(walk) => walk.advance(view),
            State::FixedArray(walk) => walk.advance(view),
            State::ExtensibleArray(walk) => walk.advance(view),
            State::BTreeV2(walk) => walk.advance(view),
        }
    }
}

impl State {
    fn new(extent: &Extent, region: Option<&[(u64, u64)]>) -> Result<Self, FormatError> {
        let Some(plan) = Plan::new(extent, region)? else { return Ok(Self::Empty(extent.dims.len())) };
        Ok(match &extent.layout.index {
            ChunkIndex::BTreeV1 => Self::BTreeV1(btree_v1::Walk::new(plan)),
            ChunkIndex::Single { filtered } => Self::Single(single::Walk::new(plan, *filtered)?),
            ChunkIndex::Implicit => Self::Implicit(implicit::Walk::new(plan)?),
            ChunkIndex::FixedArray { .. } => Self::FixedArray(fixed_array::Walk::new(plan)?),
            ChunkIndex::ExtensibleArray { .. } => Self::ExtensibleArray(extensible_array::Walk::new(plan)?),
            ChunkIndex::BTreeV2 { .. } => Self::BTreeV2(btree_v2::Walk::new(plan)),
        })
    }
}

#[cfg(test)]
mod tests;
