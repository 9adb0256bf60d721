//! Version 1 B-tree nodes (specification III.A.1).
//!
//! ```text
//! "TREE" | node type | level | entries used 2 | left sibling | right sibling
//! key 0 | child 0 | key 1 | child 1 | ... | child n-1 | key n
//! ```
//!
//! A node of type 0 points to symbol table nodes (its keys are offsets of names in a local heap), one of type 1 to
//! chunks (its keys are size, filter mask and offset of the chunk). Child i contains everything between key i and key i
//! + 1. Nodes have room for more entries than are in use; the unused entries are never read.
//!
//! The sibling addresses are not read: levels and children are sufficient, and old libraries wrote wrong siblings.

use crate::{Address, Bytes, Cursor, Encoder, FormatError, Parse, View, Widths};

/// What a tree indexes, which determines the format of its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeType {
    /// Type 0: the links of an old-style group.
    Group,
    /// Type 1: the chunks of a dataset with this many dimensions.
    Chunk {
        /// Dimensions of the dataset.
        rank: usize,
    },
}

impl NodeType {
    /// The number of this node type in the file.
    fn number(self) -> u8 {
        match self {
            NodeType::Group => 0,
            NodeType::Chunk { .. } => 1,
        }
    }

    /// What the bytes of a node are.
    fn structure(self) -> &'static str {
        match self {
            NodeType::Group => "group B-tree node",
            NodeType::Chunk { .. } => "chunk B-tree node",
        }
    }

    /// The size of a key in bytes. The key of a chunk contains an offset for each dimension, and one more within the
    /// element.
    fn key_bytes(self, widths: Widths) -> usize {
        match self {
            NodeType::Group => widths.length as usize,
            NodeType::Chunk { rank } => 8 + 8 * (rank + 1),
        }
    }

    /// The usual capacity of a node, used only to choose how many bytes to request at first.
    fn usual_entries(self) -> u64 {
        match self {
            NodeType::Group => 32,
            NodeType::Chunk { .. } => 64,
        }
    }
}

/// A node. Keys and children are parsed on access.
#[derive(Debug, Clone)]
pub struct Node {
    /// The level; 0 if the children are not nodes of this tree.
    pub level: u8,
    /// Number of children.
    pub entries: usize,
    /// The absolute offset of the node.
    pub at: u64,
    /// The size in bytes of the node up to its last key.
    pub bytes: u64,
    body: Bytes,
    key_bytes: usize,
    widths: Widths,
}

const STRUCTURE: &str = "version 1 B-tree node";

impl Node {
    /// Parses the node at `address`. `level` is the expected level, which is known for all nodes except the root.
    pub fn parse(view: &View, address: Address, kind: NodeType, level: Option<u8>) -> Parse<Self> {
        let widths = view.widths;
        let (key, child) = (kind.key_bytes(widths) as u64, u64::from(widths.offset));
        let prefix = 8 + 2 * child;
        let with_entries = |entries: u64| prefix + entries * (key + child) + key;
        let mut cursor = view.cursor_up_to(STRUCTURE, address, with_entries(kind.usual_entries()))?;
        let at = cursor.at();
        cursor.signature(b"TREE")?;
        let what = cursor.invalid("node type", format!("expected node type {}", kind.number()));
        if cursor.u8("node type")? != kind.number() {
            return Err(what.into());
        }
        let field = cursor.clone();
        let found = cursor.u8("node level")?;
        if let Some(expected) = level.filter(|&expected| expected != found) {
            let what = format!("level {found}, but the parent is at level {}", u16::from(expected) + 1);
            return Err(field.invalid("node level", what).into());
        }
        let entries = cursor.u16("entries used")? as usize;
        cursor.skip("siblings", 2 * widths.offset as usize)?;
        // A node without entries has no keys.
        let bytes = if entries == 0 { prefix } else { with_entries(entries as u64) };
        let body_bytes = (bytes - prefix) as usize;
        if body_bytes > cursor.left() {
            cursor = view.cursor(STRUCTURE, address, bytes)?;
            cursor.skip("header", prefix as usize)?;
        }
        // Space is allocated for all entries that a node may have.
        view.parsed(kind.structure(), address, bytes.max(with_entries(kind.usual_entries())));
        let body = cursor.bytes("keys and children", body_bytes)?;
        Ok(Self { level: found, entries, at, bytes, body, key_bytes: key as usize, widths })
    }

    /// Key `i`, from 0 to `entries` (inclusive).
    pub fn key(&self, i: usize) -> Result<Cursor, FormatError> {
        self.part(i, 0, "key", self.key_bytes)
    }

    /// Child `i`, from 0 to `entries - 1`.
    pub fn child(&self, i: usize) -> Result<Address, FormatError> {
        self.part(i, self.key_bytes, "child", self.widths.offset as usize)?.address_defined("child")
    }

    /// A cursor over all keys and children, alternating, starting with key 0.
    pub fn keys_and_children(&self) -> Cursor {
        let start = self.at + self.bytes - self.body.len() as u64;
        Cursor::new(STRUCTURE, start, self.body.clone(), self.widths)
    }

    fn part(&self, i: usize, skip: usize, field: &'static str, len: usize) -> Result<Cursor, FormatError> {
        let entry = self.key_bytes + self.widths.offset as usize;
        let mut cursor = self.keys_and_children();
        cursor.skip(field, i.saturating_mul(entry).saturating_add(skip))?;
        cursor.sub(field, len)
    }

    /// The size in bytes of a node with room for `entries` entries.
    pub fn full_bytes(kind: NodeType, entries: u64, widths: Widths) -> u64 {
        let (key, child) = (kind.key_bytes(widths) as u64, u64::from(widths.offset));
        8 + 2 * child + entries * (key + child) + key
    }

    /// Encodes a node with these siblings and children, and with room for `room` entries. `key` writes key i, from 0 to
    /// the number of children (inclusive).
    pub fn encode(
        kind: NodeType,
        level: u8,
        siblings: (Option<Address>, Option<Address>),
        (children, room): (&[Address], usize),
        mut key: impl FnMut(usize, &mut Encoder),
        out: &mut Encoder,
    ) {
        let end = out.position() + Self::full_bytes(kind, room as u64, out.widths()) as usize;
        if children.len() > room {
            return out.refuse("entries used", format!("{} children for {room} places", children.len()));
        }
        out.bytes(b"TREE");
        out.u8(kind.number());
        out.u8(level);
        out.count("entries used", children.len(), 2);
        out.address("left sibling", siblings.0);
        out.address("right sibling", siblings.1);
        for (i, &child) in children.iter().enumerate() {
            key(i, out);
            out.address("child", Some(child));
        }
        if !children.is_empty() {
            key(children.len(), out);
        }
        out.zeros(end.saturating_sub(out.position()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;
    use crate::testing::{Build, every_prefix_fails};

    fn group_node(level: u8, children: &[u64]) -> Build {
        let mut image = Build::default().text("TREE").u8(0).u8(level).u16(children.len() as u16);
        image = image.undefined().undefined().u64(0);
        for (i, &child) in children.iter().enumerate() {
            image = image.u64(child).u64(8 * (i as u64 + 1));
        }
        image
    }

    #[test]
    fn reads_keys_and_children() {
        let image = group_node(1, &[1000, 2000]);
        let view = image.view();
        let node = Node::parse(&view, Address(0), NodeType::Group, None).unwrap();
        assert_eq!((node.level, node.entries, node.bytes), (1, 2, image.here().0));
        assert_eq!(node.child(1).unwrap(), Address(2000));
        assert_eq!(node.key(2).unwrap().length("key").unwrap(), 16);
        node.child(2).unwrap_err();
        node.key(usize::MAX).unwrap_err();
        every_prefix_fails(&image, |view| Node::parse(view, Address(0), NodeType::Group, None));
    }

    #[test]
    fn asks_again_for_a_node_larger_than_usual() {
        let children: Vec<u64> = (1..=1000).collect();
        let image = group_node(0, &children);
        let view = image.view();
        let node = Node::parse(&view, Address(0), NodeType::Group, Some(0)).unwrap();
        assert_eq!(node.child(999).unwrap(), Address(1000));
    }

    #[test]
    fn refuses_other_types_and_levels() {
        let image = group_node(1, &[1000]);
        let view = image.view();
        for (kind, level) in [(NodeType::Chunk { rank: 1 }, None), (NodeType::Group, Some(0))] {
            let stop = Node::parse(&view, Address(0), kind, level).unwrap_err();
            assert!(matches!(stop, Stop::Bad(_)), "{stop:?}");
        }
    }
}
