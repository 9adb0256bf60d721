//! New version 1 B-trees of chunks: see [`btree_v1`](super::super::btree_v1) for the keys. All nodes but the last of a
//! level are full.

use super::super::columns::{Chunk, ChunkColumns};
use crate::btree::v1::NodeType;
use crate::btree::v1_layout::TreeLayout;
use crate::message::ChunkedLayout;
use crate::{Address, Allocate, EncodeError, Encoder, PlacedBlock, Widths};

#[derive(Debug, Clone)]
pub(super) struct BTreeV1Layout {
    /// The sizes of a chunk, with the element size.
    sizes: Vec<u64>,
    tree: TreeLayout,
}

impl BTreeV1Layout {
    /// Places a tree of at least one chunk.
    pub(super) fn place(
        layout: &ChunkedLayout,
        chunks: usize,
        chunk_k: u16,
        widths: Widths,
        allocate: &mut Allocate<'_>,
    ) -> Self {
        let kind = NodeType::Chunk { rank: layout.chunk_dims.len() };
        let tree = TreeLayout::place(kind, chunks, 2 * usize::from(chunk_k.max(1)), widths, allocate);
        let sizes = layout.chunk_dims.iter().copied().chain([layout.element_bytes.into()]).collect();
        Self { sizes, tree }
    }

    pub(super) fn address(&self) -> Address {
        self.tree.root()
    }

    pub(super) fn encode(&self, chunks: &ChunkColumns) -> Result<Vec<PlacedBlock>, EncodeError> {
        let leaves: Vec<Address> = chunks.addresses.iter().map(|&address| Address(address)).collect();
        self.tree.encode(&leaves, 1, |row, out| match row < chunks.len() {
            true => self.key(chunks.get(row), out),
            false => self.last_key(chunks.get(chunks.len() - 1), out),
        })
    }

    fn key(&self, chunk: Chunk<'_>, out: &mut Encoder) {
        out.uint("size of chunk", chunk.stored_bytes, 4);
        out.u32(chunk.filter_mask);
        for (&coord, &size) in chunk.coords.iter().zip(&self.sizes) {
            out.u64(coord.saturating_mul(size));
        }
        out.u64(0);
    }

    /// The key after the last chunk: one further along every dimension, as libhdf5 writes it.
    fn last_key(&self, last: Chunk<'_>, out: &mut Encoder) {
        out.u32(0);
        out.u32(0);
        for (&coord, &size) in last.coords.iter().chain([&0]).zip(&self.sizes) {
            out.u64((coord + 1).saturating_mul(size));
        }
    }
}
