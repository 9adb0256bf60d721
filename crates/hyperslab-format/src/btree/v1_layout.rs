//! A version 1 B-tree (specification III.A.1) that is written at once: its nodes are full but for the last of each level.

use super::v1::{Node, NodeType};
use crate::{Address, Allocate, EncodeError, Encoder, PlacedBlock, Widths};

/// The places of the nodes.
#[derive(Debug, Clone)]
pub(crate) struct TreeLayout {
    kind: NodeType,
    widths: Widths,
    /// Children of a full node.
    room: usize,
    /// The addresses of the nodes of each level, from the leaves to the root.
    levels: Vec<Vec<Address>>,
}

impl TreeLayout {
    /// Places the nodes above so many children; a tree without children has one node.
    pub(crate) fn place(
        kind: NodeType,
        children: usize,
        room: usize,
        widths: Widths,
        allocate: &mut Allocate<'_>,
    ) -> Self {
        let mut counts = vec![children.div_ceil(room).max(1)];
        while counts[counts.len() - 1] > 1 {
            counts.push(counts[counts.len() - 1].div_ceil(room));
        }
        let bytes = Node::full_bytes(kind, room as u64, widths);
        // The root first: a reader goes from it to the leaves.
        let mut levels: Vec<Vec<Address>> =
            counts.iter().rev().map(|&count| (0..count).map(|_| allocate(bytes)).collect()).collect();
        levels.reverse();
        Self { kind, widths, room, levels }
    }

    /// The address of the root.
    pub(crate) fn root(&self) -> Address {
        self.levels[self.levels.len() - 1][0]
    }

    /// All nodes. Each of the leaves' children, but the last, has `each` entries below it; `key` writes the key that precedes the
    /// entry with a number.
    pub(crate) fn encode<'a>(
        &'a self,
        mut children: &'a [Address],
        each: usize,
        mut key: impl FnMut(usize, &mut Encoder),
    ) -> Result<Vec<PlacedBlock>, EncodeError> {
        let mut blocks = Vec::new();
        // The number of entries below each child but the last.
        let mut below = each;
        for (level, nodes) in (0..).zip(&self.levels) {
            for (i, &address) in nodes.iter().enumerate() {
                let first = i * self.room;
                let part = &children[first..(first + self.room).min(children.len())];
                let siblings = (i.checked_sub(1).map(|left| nodes[left]), nodes.get(i + 1).copied());
                let mut out = Encoder::new("version 1 B-tree node", self.widths);
                let of_node = |k: usize, out: &mut Encoder| key((first + k) * below, out);
                Node::encode(self.kind, level, siblings, (part, self.room), of_node, &mut out);
                blocks.push(PlacedBlock { address, bytes: out.finish()? });
            }
            children = nodes;
            below *= self.room;
        }
        Ok(blocks)
    }
}
