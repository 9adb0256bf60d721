//! New version 1 B-trees of chunks: see [`btree_v1`](super::super::btree_v1) for the keys. All nodes but the last of a
//! level are full.

use super::super::columns::{Chunk, ChunkColumns};
use crate::btree::v1::{Node, NodeType};
use crate::message::ChunkedLayout;
use crate::{Address, Allocate, EncodeError, Encoder, PlacedBlock, Widths};

#[derive(Debug, Clone)]
pub(super) struct BTreeV1Layout {
    kind: NodeType,
    widths: Widths,
    /// The sizes of a chunk, with the element size.
    sizes: Vec<u64>,
    /// Children of a full node.
    room: usize,
    /// The addresses of the nodes of each level, from the leaves to the root.
    levels: Vec<Vec<Address>>,
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
        let room = 2 * usize::from(chunk_k.max(1));
        let kind = NodeType::Chunk { rank: layout.chunk_dims.len() };
        let mut counts = vec![chunks.div_ceil(room).max(1)];
        while counts[counts.len() - 1] > 1 {
            counts.push(counts[counts.len() - 1].div_ceil(room));
        }
        let bytes = Node::full_bytes(kind, room as u64, widths);
        // The root first: a reader goes from it to the leaves.
        let mut levels: Vec<Vec<Address>> =
            counts.iter().rev().map(|&count| (0..count).map(|_| allocate(bytes)).collect()).collect();
        levels.reverse();
        let sizes = layout.chunk_dims.iter().copied().chain([layout.element_bytes.into()]).collect();
        Self { kind, widths, sizes, room, levels }
    }

    pub(super) fn address(&self) -> Address {
        self.levels[self.levels.len() - 1][0]
    }

    pub(super) fn encode(&self, chunks: &ChunkColumns) -> Result<Vec<PlacedBlock>, EncodeError> {
        let mut blocks = Vec::new();
        let leaves: Vec<Address> = chunks.addresses.iter().map(|&address| Address(address)).collect();
        let mut children = &leaves;
        // The number of chunks below each child but the last.
        let mut below = 1;
        for (level, nodes) in (0..).zip(&self.levels) {
            for (i, &address) in nodes.iter().enumerate() {
                let part = &children[i * self.room..((i + 1) * self.room).min(children.len())];
                let siblings = (i.checked_sub(1).map(|left| nodes[left]), nodes.get(i + 1).copied());
                let mut out = Encoder::new("version 1 B-tree node", self.widths);
                let key = |k: usize, out: &mut Encoder| {
                    let row = (i * self.room + k) * below;
                    match row < chunks.len() {
                        true => self.key(chunks.get(row), out),
                        false => self.last_key(chunks.get(chunks.len() - 1), out),
                    }
                };
                Node::encode(self.kind, level, siblings, (part, self.room), key, &mut out);
                blocks.push(PlacedBlock { address, bytes: out.finish()? });
            }
            children = nodes;
            below *= self.room;
        }
        Ok(blocks)
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
