//! The implicit index (specification VII.B): all chunks of the largest size one after the other, unfiltered.

use super::grid::Grid;
use super::plan::{Plan, invalid};
use super::table::ChunkTable;
use crate::{Address, FormatError, Parse, View};

#[derive(Debug)]
pub(super) struct Walk {
    plan: Plan,
    grid: Grid,
}

impl Walk {
    pub(super) fn new(plan: Plan) -> Result<Self, FormatError> {
        let fixed = plan.max_chunks.iter().all(Option::is_some);
        let grid = Grid::new(&plan.max_chunks, &plan.region).filter(|_| fixed && !plan.filtered);
        let what = "an implicit index needs fixed dimensions, chunks that can be counted, and no filters";
        let grid = grid.ok_or_else(|| invalid("chunk indexing type", what))?;
        Ok(Self { plan, grid })
    }

    pub(super) fn advance(&mut self, view: &View) -> Parse<ChunkTable> {
        let plan = &self.plan;
        // Each chunk has a place of its own in the file, so there cannot be more than fit into it.
        let room = plan.room(view);
        let count = plan.region.count().unwrap_or(u64::MAX);
        if count > room {
            let what = format!("{count} chunks, where the file has room for {room}");
            return Err(invalid("dimension sizes", what).into());
        }
        let mut table = ChunkTable::new(plan.rank);
        self.grid.each(0..u64::MAX, |index, place| {
            let offset = index.checked_mul(plan.chunk_bytes).and_then(|bytes| plan.address.0.checked_add(bytes));
            let address = Address(offset.unwrap_or(u64::MAX));
            plan.add(view, &mut table, place, (address, plan.chunk_bytes, 0))
        })?;
        Ok(table)
    }
}
