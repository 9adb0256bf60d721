//! Chunks in a version 2 B-tree (specification III.A.2, types 10 and 11): datasets with more than one unlimited
//! dimension.
//!
//! ```text
//! type 10 (unfiltered):  address | offset of the chunk, counted in chunks, 8 for each dimension
//! type 11 (filtered):    address | stored size | filter mask 4 | offset of the chunk, 8 for each dimension
//! ```

use super::plan::Plan;
use super::table::ChunkTable;
use crate::btree::v2::Records;
use crate::{FormatError, Parse, View};

#[derive(Debug)]
pub(super) struct Walk {
    plan: Plan,
    records: Option<Records>,
}

impl Walk {
    pub(super) fn new(plan: Plan) -> Self {
        Self { plan, records: None }
    }

    pub(super) fn advance(&mut self, view: &View) -> Parse<ChunkTable> {
        let plan = &self.plan;
        let size_bytes = plan.size_bytes(view);
        let before_coords = usize::from(view.widths.offset) + if plan.filtered { size_bytes + 4 } else { 0 };
        let record_bytes = before_coords + 8 * plan.rank;
        let records = self.records.get_or_insert_with(|| {
            let region = plan.region.clone();
            let coords = move |record: &[u8]| -> Vec<u64> {
                let words = record[before_coords..].chunks_exact(8);
                words.map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect()
            };
            let keep = move |left: Option<&[u8]>, right: Option<&[u8]>| {
                region.meets(left.map(&coords).as_deref(), right.map(&coords).as_deref())
            };
            let kind = if plan.filtered { 11 } else { 10 };
            Records::matching(plan.address, kind, Box::new(keep)).of_bytes(record_bytes)
        });
        let runs = records.advance(view)?;
        let mut table = ChunkTable::new(plan.rank);
        let mut coords = Vec::with_capacity(plan.rank);
        for mut cursor in runs.iter().flat_map(|run| run.cursors(view.widths)) {
            let field = cursor.clone();
            let address = cursor.address("address")?;
            let (stored, mask) = if plan.filtered {
                (cursor.uint("chunk size", size_bytes)?, cursor.u32("filter mask")?)
            } else {
                (plan.chunk_bytes, 0)
            };
            coords.clear();
            for _ in 0..plan.rank {
                coords.push(cursor.u64("scaled offset")?);
            }
            if plan.region.contains(&coords) {
                let address: Result<_, FormatError> =
                    address.ok_or_else(|| field.invalid("address", "a chunk without an address"));
                plan.add(view, &mut table, &coords, (address?, stored, mask))?;
            }
        }
        Ok(table.ordered())
    }
}
