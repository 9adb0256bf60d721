//! New version 2 B-trees: how many nodes a number of records needs, and the bytes of the nodes once records and
//! addresses are known.
//!
//! The records are distributed evenly over the fewest levels that hold them, so that all nodes of a level are about
//! equally full.

use super::{BTreeV2, Level, STRUCTURE, levels};
use crate::{Address, Allocate, EncodeError, Encoder, PlacedBlock, Widths};

/// The properties of the nodes of a new tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeShape {
    /// The type of the records: 1 to 11.
    pub kind: u8,
    /// The size of a node in bytes.
    pub node_bytes: u32,
    /// The size of a record in bytes.
    pub record_bytes: u16,
}

/// A new tree whose header and nodes have addresses.
#[derive(Debug, Clone)]
pub struct BTreeV2Layout {
    shape: NodeShape,
    widths: Widths,
    levels: Vec<Level>,
    records: u64,
    header: Address,
    /// The addresses of the nodes, in the order in which [`Self::encode`] visits them: a node before its children.
    nodes: Vec<Address>,
}

/// `H5G_NAME_BT2_SPLIT_PERC` and the others, which are all alike.
pub const SPLIT_PERCENT: u8 = 100;
/// `H5G_NAME_BT2_MERGE_PERC` and the others.
pub const MERGE_PERCENT: u8 = 40;

impl BTreeV2Layout {
    /// Places a tree for this number of records.
    ///
    /// # Errors
    ///
    /// If a node has no room for records.
    pub fn place(
        shape: NodeShape,
        records: u64,
        widths: Widths,
        allocate: &mut Allocate<'_>,
    ) -> Result<Self, EncodeError> {
        let refuse = || EncodeError {
            structure: STRUCTURE,
            field: "node size",
            what: format!("nodes of {} bytes for records of {}", shape.node_bytes, shape.record_bytes),
        };
        let mut depth = 0;
        let levels = loop {
            let levels = levels(shape.node_bytes.into(), shape.record_bytes.into(), depth, widths);
            let levels =
                levels.filter(|levels| levels[usize::from(depth)].max_records > 0).ok_or_else(refuse)?;
            if levels[usize::from(depth)].max_total >= records {
                break levels;
            }
            depth += 1;
        };
        let header = allocate(22 + u64::from(widths.offset) + u64::from(widths.length));
        let mut tree = Self { shape, widths, levels, records, header, nodes: Vec::new() };
        if records > 0 {
            tree.place_node(depth, records, allocate);
        }
        Ok(tree)
    }

    /// The address of the header.
    pub fn address(&self) -> Address {
        self.header
    }

    fn place_node(&mut self, level: u16, records: u64, allocate: &mut Allocate<'_>) {
        self.nodes.push(allocate(self.shape.node_bytes.into()));
        if level > 0 {
            for below in self.children(level, records) {
                self.place_node(level - 1, below, allocate);
            }
        }
    }

    /// How many records each subtree of a node gets. The node itself keeps one between two of them.
    fn children(&self, level: u16, records: u64) -> impl Iterator<Item = u64> + use<> {
        let below = self.levels[usize::from(level) - 1].max_total;
        // c children hold c * below records, and the node itself c - 1.
        let count = (records + 1).div_ceil(below.saturating_add(1)).max(2);
        let spread = records - (count - 1);
        (0..count).map(move |i| spread / count + u64::from(i < spread % count))
    }

    /// The header and all nodes. `records` has all records in the order of their keys, one after the other.
    ///
    /// # Errors
    ///
    /// If the number of records is not that for which the tree was placed.
    pub fn encode(&self, records: &[u8]) -> Result<Vec<PlacedBlock>, EncodeError> {
        let record_bytes = usize::from(self.shape.record_bytes);
        if records.len() as u64 != self.records * record_bytes as u64 {
            let what = format!("{} bytes of records, but places for {}", records.len(), self.records);
            return Err(EncodeError {
                structure: STRUCTURE,
                field: "total number of records in B-tree",
                what,
            });
        }
        let mut writer = NodeWriter { tree: self, records, next: 0, blocks: Vec::new() };
        let depth = (self.levels.len() - 1) as u16;
        let root = if self.records > 0 { Some(writer.node(depth, self.records)?) } else { None };
        let mut out = Encoder::new(STRUCTURE, self.widths);
        out.bytes(b"BTHD");
        out.u8(0);
        out.u8(self.shape.kind);
        out.u32(self.shape.node_bytes);
        out.u16(self.shape.record_bytes);
        out.u16(if root.is_some() { depth } else { 0 });
        out.u8(SPLIT_PERCENT);
        out.u8(MERGE_PERCENT);
        out.address("root node address", root.map(|root| root.address));
        out.uint("number of records in root node", root.map_or(0, |root| root.records), 2);
        out.length("total number of records in B-tree", self.records);
        out.checksum();
        let mut blocks = vec![PlacedBlock { address: self.header, bytes: out.finish()? }];
        blocks.append(&mut writer.blocks);
        Ok(blocks)
    }
}

/// A node that has been written.
#[derive(Debug, Clone, Copy)]
struct Written {
    address: Address,
    /// The number of records in the node itself.
    records: u64,
}

/// The nodes written so far, and the records not written yet.
struct NodeWriter<'a> {
    tree: &'a BTreeV2Layout,
    records: &'a [u8],
    next: usize,
    blocks: Vec<PlacedBlock>,
}

impl<'a> NodeWriter<'a> {
    fn take(&mut self, records: u64) -> &'a [u8] {
        let (taken, rest) =
            self.records.split_at(records as usize * usize::from(self.tree.shape.record_bytes));
        self.records = rest;
        taken
    }

    /// Writes a node with `records` records in it and below it.
    fn node(&mut self, level: u16, records: u64) -> Result<Written, EncodeError> {
        let tree = self.tree;
        let address = tree.nodes[self.next];
        self.next += 1;
        let number = self.blocks.len();
        self.blocks.push(PlacedBlock { address, bytes: Vec::new() });
        let mut out = Encoder::new("version 2 B-tree node", tree.widths);
        out.bytes(if level == 0 { b"BTLF" } else { b"BTIN" });
        out.u8(0);
        out.u8(tree.shape.kind);
        let own = if level == 0 {
            out.bytes(self.take(records));
            records
        } else {
            let mut pointers = Encoder::new("version 2 B-tree node", tree.widths);
            let (below, mut own) = (level - 1, 0);
            for (i, total) in tree.children(level, records).enumerate() {
                if i > 0 {
                    out.bytes(self.take(1));
                    own += 1;
                }
                let child = self.node(below, total)?;
                pointers.address("child node pointer", Some(child.address));
                pointers.uint("number of records in child", child.records, tree.count_bytes());
                if below > 0 {
                    pointers.uint("total number of records in child", total, tree.total_bytes(below));
                }
            }
            out.nested(pointers);
            own
        };
        out.checksum();
        let used = out.position();
        out.zeros((tree.shape.node_bytes as usize).saturating_sub(used));
        self.blocks[number].bytes = out.finish()?;
        Ok(Written { address, records: own })
    }
}

impl BTreeV2Layout {
    fn count_bytes(&self) -> usize {
        BTreeV2::count_bytes_of(&self.levels) as usize
    }

    fn total_bytes(&self, level: u16) -> usize {
        BTreeV2::total_bytes_of(&self.levels, level) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::super::Records;
    use super::*;
    use crate::{Bytes, View};

    /// Writes a tree of `count` records that count up, and reads them back.
    fn round_trip(shape: NodeShape, count: u64) -> usize {
        let mut end = 0;
        let mut allocate = |bytes| {
            end += bytes;
            Address(end - bytes)
        };
        let widths = Widths::default();
        let tree = BTreeV2Layout::place(shape, count, widths, &mut allocate).unwrap();
        let record = |i: u64| {
            let mut record = vec![0; usize::from(shape.record_bytes)];
            record[..8].copy_from_slice(&i.to_le_bytes());
            record
        };
        let records: Vec<u8> = (0..count).flat_map(record).collect();
        let mut file = vec![0; end as usize];
        let blocks = tree.encode(&records).unwrap();
        for block in &blocks {
            file[block.address.0 as usize..][..block.bytes.len()].copy_from_slice(&block.bytes);
        }
        let file = Bytes::from(file);
        let view = View::new(&file);
        let mut all = Records::all(tree.address(), shape.kind).of_bytes(shape.record_bytes.into());
        let runs = all.advance(&view).unwrap();
        let found: Vec<u8> = runs.iter().flat_map(|run| run.bytes.to_vec()).collect();
        assert_eq!(found, records, "{count} records");
        blocks.len()
    }

    #[test]
    fn trees_of_any_size_have_all_records_in_order() {
        let shape = NodeShape { kind: 10, node_bytes: 512, record_bytes: 24 };
        assert_eq!(round_trip(shape, 0), 1);
        assert_eq!(round_trip(shape, 20), 2);
        // 20 records fit in a leaf: 21 need two leaves below a root.
        assert_eq!(round_trip(shape, 21), 4);
        for count in [41, 42, 250, 251, 252, 253, 2_000, 5_000, 30_000] {
            round_trip(shape, count);
        }
        for count in 1..200 {
            round_trip(NodeShape { kind: 5, node_bytes: 128, record_bytes: 11 }, count);
        }
    }

    #[test]
    fn nodes_without_room_are_refused() {
        let shape = NodeShape { kind: 10, node_bytes: 40, record_bytes: 24 };
        let mut allocate = |_| Address(0);
        BTreeV2Layout::place(shape, 1, Widths::default(), &mut allocate).unwrap();
        // An internal node has no room for a record and two pointers.
        let error = BTreeV2Layout::place(shape, 2, Widths::default(), &mut allocate).unwrap_err();
        assert_eq!(error.field, "node size");
        let tree = BTreeV2Layout::place(shape, 1, Widths::default(), &mut allocate).unwrap();
        assert!(tree.encode(&[0; 23]).is_err());
    }
}
