//! Version 2 B-trees (specification III.A.2): the header, the numbers of records in every node, the checksums.

use crate::attributes::TREE_COUNT;
use crate::checker::{Checked, Checker};
use hyperslab_format::btree::v2::BTreeV2;
use hyperslab_format::{Address, Cursor, Widths};

const HEADER: &str = "version 2 B-tree header";
const LEAF: &str = "version 2 B-tree leaf node";
const INTERNAL: &str = "version 2 B-tree internal node";
/// The size of a node's signature, version, type and checksum, in bytes.
const NODE_OVERHEAD: u64 = 10;

/// The nodes of a level: 0 for the leaves.
#[derive(Debug, Clone, Copy)]
struct Level {
    max_records: u64,
    /// The maximum number of records in a node and below it.
    max_total: u64,
}

/// A tree whose nodes are being checked.
struct Tree {
    kind: u8,
    node_bytes: u64,
    record_bytes: u64,
    levels: Vec<Level>,
}

/// A pointer to a node.
#[derive(Debug, Clone, Copy)]
struct Pointer {
    address: Address,
    records: u64,
    /// The records in it and below it, where the pointer says so.
    total: Option<u64>,
}

/// Called with each record, in the order of the tree.
pub(crate) type EachRecord<'e, 'a> = dyn FnMut(&mut Checker<'a>, Cursor) -> Checked + 'e;

impl<'a> Checker<'a> {
    /// Checks a tree with records of a type and size, and calls `each` with every record.
    pub(crate) fn check_btree_v2(
        &mut self,
        address: Address,
        (kind, record_bytes): (u8, usize),
        each: &mut EachRecord<'_, 'a>,
    ) -> Checked {
        let widths = self.view.widths;
        self.claim(HEADER, address, 22 + u64::from(widths.offset) + u64::from(widths.length))?;
        let header = BTreeV2::parse(&self.view, address, kind)?;
        let at = self.view.absolute(address);
        header.expect_record_bytes(at, record_bytes)?;
        for (name, percent) in [("split", header.split_percent), ("merge", header.merge_percent)] {
            self.demand((1..=100).contains(&percent), &crate::general::INVALID, HEADER, at, || {
                format!("{name} percent: {percent}")
            });
        }
        let tree = Tree {
            kind,
            node_bytes: header.node_bytes.into(),
            record_bytes: header.record_bytes.into(),
            levels: levels(header.node_bytes.into(), header.record_bytes.into(), header.depth, widths),
        };
        let found = match header.root {
            None => 0,
            Some(address) => {
                let root = Pointer { address, records: header.root_records.into(), total: None };
                self.visit_btree_v2(&tree, root, header.depth, each)?
            }
        };
        let stored = header.total_records;
        self.demand(found == stored, &TREE_COUNT, HEADER, at, || {
            format!("{stored} records according to the header, {found} in the nodes")
        });
        Ok(())
    }

    /// Checks a node and what is below it. Returns the number of records.
    fn visit_btree_v2(
        &mut self,
        tree: &Tree,
        pointer: Pointer,
        level: u16,
        each: &mut EachRecord<'_, 'a>,
    ) -> Checked<u64> {
        let (structure, signature) = if level == 0 { (LEAF, b"BTLF") } else { (INTERNAL, b"BTIN") };
        let shape = tree.levels[usize::from(level)];
        let at = self.view.absolute(pointer.address);
        self.demand(pointer.records > 0, &TREE_COUNT, structure, at, || "a node without records".to_owned());
        if pointer.records > shape.max_records {
            let what = format!("{} records, but only {} fit", pointer.records, shape.max_records);
            self.report(&TREE_COUNT, structure, at, what);
            return Err(crate::checker::Interrupt::Reported);
        }
        // The node has all its bytes; those after the checksum are not used.
        let mut node = self.cursor(structure, pointer.address, tree.node_bytes)?;
        node.signature(signature)?;
        node.version(0..=0)?;
        let kind_at = node.at();
        let kind = node.u8("type")?;
        if kind != tree.kind {
            return Err(node
                .invalid_at(kind_at, "type", format!("type {kind} in a tree of type {}", tree.kind))
                .into());
        }
        let mut records = Vec::with_capacity(pointer.records as usize);
        for _ in 0..pointer.records {
            records.push(node.sub("record", tree.record_bytes as usize)?.renamed("version 2 B-tree record"));
        }
        let mut children = Vec::new();
        if level > 0 {
            let count_bytes = bytes_for(tree.levels[0].max_records);
            let total_bytes =
                if level == 1 { 0 } else { bytes_for(tree.levels[usize::from(level) - 1].max_total) };
            for _ in 0..=pointer.records {
                let address = node.address_defined("child node pointer")?;
                let records = node.uint("number of records in child", count_bytes as usize)?;
                let total = node.uint("total number of records in child", total_bytes as usize)?;
                children.push(Pointer { address, records, total: (level > 1).then_some(total) });
            }
        }
        node.checksum()?;
        let mut found = 0;
        let mut records = records.into_iter();
        if children.is_empty() {
            found += pointer.records;
            for record in records {
                each(self, record)?;
            }
        } else {
            for child in children {
                let checked = self.visit_btree_v2(tree, child, level - 1, each);
                found += self.finish(checked).unwrap_or(child.total.unwrap_or(child.records));
                if let Some(record) = records.next() {
                    found += 1;
                    each(self, record)?;
                }
            }
        }
        self.demand(pointer.total.is_none_or(|total| total == found), &TREE_COUNT, structure, at, || {
            format!("{found} records in and below the node, but its parent says {:?}", pointer.total)
        });
        Ok(found)
    }
}

/// The number of bytes needed for a number of up to `limit`.
fn bytes_for(limit: u64) -> u64 {
    u64::from(limit.max(1).ilog2()) / 8 + 1
}

/// The nodes of all levels, from the leaves to the root. The header was parsed before, so that a record fits in a node.
fn levels(node: u64, record: u64, depth: u16, widths: Widths) -> Vec<Level> {
    let max_records = node.saturating_sub(NODE_OVERHEAD) / record.max(1);
    let mut levels = vec![Level { max_records, max_total: max_records }];
    for level in 1..=depth {
        let below = levels[usize::from(level) - 1];
        let total_bytes = if level == 1 { 0 } else { bytes_for(below.max_total) };
        let pointer_bytes = u64::from(widths.offset) + bytes_for(levels[0].max_records) + total_bytes;
        let max_records = node.saturating_sub(NODE_OVERHEAD + pointer_bytes) / (record + pointer_bytes);
        let max_total = (max_records + 1).saturating_mul(below.max_total).saturating_add(max_records);
        levels.push(Level { max_records, max_total });
    }
    levels
}
