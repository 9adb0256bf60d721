//! Chunks in a version 2 B-tree.

use super::{Chunked, Entry, INDEX, TREE_PARAMETERS};
use crate::checker::{Checked, Checker};
use crate::references::References;
use hyperslab_format::btree::v2::BTreeV2;
use hyperslab_format::message::ChunkIndex;

impl Checker<'_> {
    pub(super) fn check_chunk_btree_v2(
        &mut self,
        chunked: &mut Chunked<'_>,
        references: &mut References,
    ) -> Checked {
        let rank = chunked.rank();
        let widths = self.view.widths;
        let (filtered, size_bytes) = (chunked.is_filtered(), chunked.size_bytes(widths.length));
        let kind = if filtered { 11 } else { 10 };
        let of_filters = if filtered { size_bytes + 4 } else { 0 };
        let record_bytes = usize::from(widths.offset) + of_filters + 8 * rank;
        if let ChunkIndex::BTreeV2 { node_bytes, split_percent, merge_percent } = chunked.layout.index {
            let header = BTreeV2::parse(&self.view, chunked.address, kind)?;
            let found = (header.node_bytes, header.split_percent, header.merge_percent);
            let at = self.view.absolute(chunked.address);
            self.demand(
                found == (node_bytes, split_percent, merge_percent),
                &TREE_PARAMETERS,
                INDEX,
                at,
                || {
                    let stated = (node_bytes, split_percent, merge_percent);
                    format!("node size and percentages {found:?}, but the layout message has {stated:?}")
                },
            );
        }
        let address = chunked.address;
        self.check_btree_v2(address, (kind, record_bytes), &mut |checker, mut record| {
            let at = record.at();
            let address = record.address_defined("address")?;
            let (stored_bytes, mask) = if filtered {
                (record.uint("chunk size", size_bytes)?, record.u32("filter mask")?)
            } else {
                (chunked.chunk_bytes, 0)
            };
            let mut coords = Vec::with_capacity(rank);
            for _ in 0..rank {
                coords.push(record.u64("scaled offset")?);
            }
            checker.check_next_chunk(chunked, coords, Entry { at, address, stored_bytes, mask }, references)
        })
    }
}
