//! Version 2 B-trees (specification III.A.2): the header, and the node sizes computed from it.
//!
//! ```text
//! "BTHD" | version 0 | type | node size 4 | record size 2 | depth 2 | split % | merge %
//!        | root node | records in root 2 | records in tree | checksum 4
//! ```
//!
//! The widths of the record counts in a node are not stored: they are computed from how many records fit in a node
//! (`H5B2hdr.c`). [`node`] parses nodes, [`records`] iterates over records and [`super::record`] parses their contents. [`layout`] makes
//! new trees.

pub mod layout;
pub mod node;
pub mod records;

use crate::{Address, FormatError, Parse, View, Widths, limits};
pub use layout::{BTreeV2Layout, NodeShape};
pub use records::{RecordRun, Records, SubtreeFilter};

/// The header of a B-tree.
#[derive(Debug, Clone)]
pub struct BTreeV2 {
    /// The type of the records: 1 to 11.
    pub kind: u8,
    /// The size of a node in bytes.
    pub node_bytes: u32,
    /// The size of a record in bytes.
    pub record_bytes: u16,
    /// The number of levels above the leaves.
    pub depth: u16,
    /// The fill level in percent at which a node is split.
    pub split_percent: u8,
    /// The fill level in percent at which nodes are merged.
    pub merge_percent: u8,
    /// The root node; `None` for a tree without records.
    pub root: Option<Address>,
    /// The number of records in the root node itself.
    pub root_records: u16,
    /// The number of records in the whole tree.
    pub total_records: u64,
    /// The node layouts of all levels, from the leaves (0) to the root (`depth`).
    levels: Vec<Level>,
}

/// The layout of the nodes of one level.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// The maximum number of records in a node.
    max_records: u64,
    /// The maximum number of records in a node and all nodes below it.
    max_total: u64,
    /// The size in bytes of a pointer to a child: its address, its number of records and, above the second level, the
    /// total number of records below it.
    pointer_bytes: u64,
}

const STRUCTURE: &str = "version 2 B-tree header";
/// The size of a node's signature, version, type and checksum, in bytes.
const NODE_OVERHEAD: u64 = 10;

/// The number of bytes needed for a number of up to `limit`.
fn bytes_for(limit: u64) -> u64 {
    u64::from(limit.max(1).ilog2()) / 8 + 1
}

impl BTreeV2 {
    /// Parses the header at `address` of a tree with records of type `kind`.
    pub fn parse(view: &View, address: Address, kind: u8) -> Parse<Self> {
        let widths = view.widths;
        let len = 22 + u64::from(widths.offset) + u64::from(widths.length);
        let mut cursor = view.cursor(STRUCTURE, address, len)?;
        cursor.signature(b"BTHD")?;
        cursor.version(0..=0)?;
        let field = cursor.clone();
        let found = cursor.u8("type")?;
        if found != kind {
            return Err(field.invalid("type", format!("expected type {kind}, found type {found}")).into());
        }
        let node_bytes = cursor.u32("node size")?;
        let record_bytes = cursor.u16("record size")?;
        let depth = cursor.u16("depth")?;
        let split_percent = cursor.u8("split percent")?;
        let merge_percent = cursor.u8("merge percent")?;
        let root = cursor.address("root node address")?;
        let root_records = cursor.u16("number of records in root node")?;
        let total_records = cursor.length("total number of records in B-tree")?;
        cursor.checksum()?;
        if record_bytes == 0 {
            return Err(field.invalid("record size", "records have no bytes").into());
        }
        if u64::from(depth) > limits::BTREE_DEPTH_MAX {
            let max = limits::BTREE_DEPTH_MAX;
            return Err(field.limit("depth", "BTREE_DEPTH_MAX", max, depth.into()).into());
        }
        let levels = levels(node_bytes.into(), record_bytes.into(), depth, widths)
            .ok_or_else(|| field.invalid("node size", format!("no record fits in {node_bytes} bytes")))?;
        Ok(Self {
            kind,
            node_bytes,
            record_bytes,
            depth,
            split_percent,
            merge_percent,
            root,
            root_records,
            total_records,
            levels,
        })
    }

    /// Checks that the record size is that of the record type.
    pub fn expect_record_bytes(&self, at: u64, expected: usize) -> Result<(), FormatError> {
        if usize::from(self.record_bytes) == expected {
            return Ok(());
        }
        let what =
            format!("expected records of {expected} bytes, found records of {} bytes", self.record_bytes);
        Err(FormatError::invalid(STRUCTURE, "record size", at, what))
    }

    /// The number of records in the whole tree, whose header is at `address`, checked against the length of the file.
    pub fn count(&self, view: &View, address: Address) -> Result<u64, FormatError> {
        let max = view.stored_bytes() / u64::from(self.record_bytes.max(1));
        let (at, found) = (view.absolute(address), self.total_records);
        if found > max {
            let field = "total number of records in B-tree";
            return Err(FormatError::limit(STRUCTURE, field, at, "records that fit in the file", max, found));
        }
        Ok(found)
    }

    /// The width of the number of records in a child, in bytes.
    fn count_bytes(&self) -> u64 {
        Self::count_bytes_of(&self.levels)
    }

    fn count_bytes_of(levels: &[Level]) -> u64 {
        bytes_for(levels[0].max_records)
    }

    /// The width of the number of records in a child at `level` and below it, in bytes.
    fn total_bytes(&self, level: u16) -> u64 {
        Self::total_bytes_of(&self.levels, level)
    }

    fn total_bytes_of(levels: &[Level], level: u16) -> u64 {
        if level == 0 { 0 } else { bytes_for(levels[usize::from(level)].max_total) }
    }
}

/// The node layouts of all levels; `None` if no record fits in a node.
fn levels(node: u64, record: u64, depth: u16, widths: Widths) -> Option<Vec<Level>> {
    let max_records = node.checked_sub(NODE_OVERHEAD)? / record;
    let count_bytes = bytes_for(max_records);
    let mut levels = vec![Level { max_records, max_total: max_records, pointer_bytes: 0 }];
    for level in 1..=depth {
        let below = levels[usize::from(level) - 1];
        let total_bytes = if level == 1 { 0 } else { bytes_for(below.max_total) };
        let pointer_bytes = u64::from(widths.offset) + count_bytes + total_bytes;
        let max_records = node.checked_sub(NODE_OVERHEAD + pointer_bytes)? / (record + pointer_bytes);
        // Saturates: no real tree has so many records, and the width of the number is then 8 bytes in any case.
        let max_total = (max_records + 1).saturating_mul(below.max_total).saturating_add(max_records);
        levels.push(Level { max_records, max_total, pointer_bytes });
    }
    (max_records > 0).then_some(levels)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::{Build, every_prefix_fails};

    /// Appends the header of a tree to `image`.
    pub(crate) fn header(
        image: Build,
        kind: u8,
        sizes: (u32, u16),
        depth: u16,
        root: Address,
        root_records: u16,
    ) -> Build {
        let start = image.here();
        image
            .text("BTHD")
            .u8(0)
            .u8(kind)
            .u32(sizes.0)
            .u16(sizes.1)
            .u16(depth)
            .u8(100)
            .u8(40)
            .u64(root.0)
            .u16(root_records)
            .u64(u64::from(root_records))
            .checksum_since(start)
    }

    /// Appends a node to `image`: a leaf, or a node directly above leaves that have less than 256 records.
    pub(crate) fn node(image: Build, kind: u8, records: &[Vec<u8>], children: &[(u64, u8)]) -> Build {
        let start = image.here();
        let image = image.text(if children.is_empty() { "BTLF" } else { "BTIN" }).u8(0).u8(kind);
        let image = records.iter().fold(image, |image, record| image.bytes(record));
        let image = children.iter().fold(image, |image, &(address, records)| image.u64(address).u8(records));
        image.checksum_since(start)
    }

    #[test]
    fn reads_the_header() {
        let image = header(Build::default(), 5, (512, 11), 0, Address(600), 45);
        let tree = BTreeV2::parse(&image.view(), Address(0), 5).unwrap();
        assert_eq!((tree.root, tree.root_records, tree.depth), (Some(Address(600)), 45, 0));
        every_prefix_fails(&image, |view| BTreeV2::parse(view, Address(0), 5));
        BTreeV2::parse(&image.view(), Address(0), 6).unwrap_err();
    }

    #[test]
    fn widths_of_numbers_follow_from_the_node_size() {
        // A link name index as written by the library: 512-byte nodes, 11-byte records.
        let levels = levels(512, 11, 3, Widths::default()).unwrap();
        assert_eq!(levels[0].max_records, 45);
        assert_eq!(levels[1].pointer_bytes, 9);
        assert_eq!(levels[1].max_records, 24);
        assert_eq!(levels[1].max_total, 25 * 45 + 24);
        assert_eq!(levels[2].pointer_bytes, 11);
        assert_eq!(levels[2].max_records, 22);
        assert_eq!(levels[3].pointer_bytes, 11);
    }

    #[test]
    fn refuses_nodes_without_room_and_endless_depth() {
        for (sizes, depth) in [((20, 11), 0), ((0, 11), 0), ((512, 0), 0), ((512, 11), 65)] {
            let image = header(Build::default(), 5, sizes, depth, Address(600), 1);
            BTreeV2::parse(&image.view(), Address(0), 5).unwrap_err();
        }
    }
}
