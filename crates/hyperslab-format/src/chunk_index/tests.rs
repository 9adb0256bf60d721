//! What the tests of all kinds of index share.

use super::Extent;
use super::plan::Plan;
use crate::Address;
use crate::message::{ChunkIndex, ChunkedLayout};

/// A layout of chunks with elements of 4 bytes.
pub(super) fn layout(chunk_dims: &[u64], index: ChunkIndex, address: Option<Address>) -> ChunkedLayout {
    ChunkedLayout {
        chunk_dims: chunk_dims.to_vec(),
        element_bytes: 4,
        index,
        address,
        edge_chunks_unfiltered: false,
        version: 4,
    }
}

/// The plan for all chunks of an unfiltered dataset whose index lies at address 0.
pub(super) fn plan(dims: &[u64], max_dims: &[Option<u64>], chunk_dims: &[u64]) -> Plan {
    let layout = layout(chunk_dims, ChunkIndex::Implicit, Some(Address(0)));
    let extent = Extent { dims, max_dims, layout: &layout, filtered: false };
    Plan::new(&extent, None).unwrap().unwrap()
}
