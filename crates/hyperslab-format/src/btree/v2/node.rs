//! Nodes of version 2 B-trees (specification III.A.2).
//!
//! ```text
//! leaf:      "BTLF" | version 0 | type | records | checksum 4
//! internal:  "BTIN" | version 0 | type | records | pointer 0 | ... | pointer n | checksum 4
//! pointer:   address | records in the child | records in the child and below it (not for leaves)
//! ```
//!
//! The checksum follows the last used byte; anything after it is never read.

use super::{BTreeV2, NODE_OVERHEAD};
use crate::node_traversal::VisitedRanges;
use crate::{Address, Cursor, FormatError, Parse, View};

/// The location of a node, from its parent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pointer {
    pub(super) address: Address,
    pub(super) records: u64,
    /// 0 for leaves.
    pub(super) level: u16,
}

/// A parsed node.
#[derive(Debug)]
pub(super) struct Node {
    /// All its records.
    pub(super) records: Cursor,
    /// The pointers to its children: one more than there are records, or none for a leaf.
    pub(super) children: Vec<Pointer>,
}

const LEAF: &str = "version 2 B-tree leaf node";
const INTERNAL: &str = "version 2 B-tree internal node";

impl BTreeV2 {
    /// The root node, if the tree has any records.
    pub(super) fn root_pointer(&self) -> Option<Pointer> {
        let address = self.root?;
        Some(Pointer { address, records: self.root_records.into(), level: self.depth })
    }

    pub(super) fn node(&self, view: &View, pointer: Pointer, visited: &mut VisitedRanges) -> Parse<Node> {
        let structure = if pointer.level == 0 { LEAF } else { INTERNAL };
        let shape = self.levels[usize::from(pointer.level)];
        let at = view.absolute(pointer.address);
        if pointer.records > shape.max_records {
            let what = format!("{} records, but only {} fit", pointer.records, shape.max_records);
            return Err(FormatError::invalid(structure, "number of records", at, what).into());
        }
        let pointers = if pointer.level == 0 { 0 } else { pointer.records + 1 };
        let record_bytes = pointer.records * u64::from(self.record_bytes);
        let bytes = NODE_OVERHEAD + record_bytes + pointers * shape.pointer_bytes;
        visited.claim(structure, view, at, bytes)?;
        let mut cursor = view.cursor(structure, pointer.address, bytes)?;
        cursor.signature(if pointer.level == 0 { b"BTLF" } else { b"BTIN" })?;
        cursor.version(0..=0)?;
        let field = cursor.clone();
        let kind = cursor.u8("type")?;
        if kind != self.kind {
            return Err(field.invalid("type", format!("type {kind} in a tree of type {}", self.kind)).into());
        }
        let records = cursor.sub("records", record_bytes as usize)?;
        let mut children = Vec::with_capacity(pointers as usize);
        for _ in 0..pointers {
            children.push(self.pointer(&mut cursor, pointer.level - 1)?);
        }
        cursor.checksum()?;
        Ok(Node { records, children })
    }

    fn pointer(&self, cursor: &mut Cursor, level: u16) -> Result<Pointer, FormatError> {
        let address = cursor.address_defined("child node pointer")?;
        let records = cursor.uint("number of records in child", self.count_bytes() as usize)?;
        cursor.uint("total number of records in child", self.total_bytes(level) as usize)?;
        Ok(Pointer { address, records, level })
    }
}
