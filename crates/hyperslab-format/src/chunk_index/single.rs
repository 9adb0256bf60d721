//! The index of a dataset that is one chunk (specification VII.A): the layout message itself.

use super::plan::{Plan, invalid};
use super::table::ChunkTable;
use crate::{FormatError, Parse, View};

#[derive(Debug)]
pub(super) struct Walk {
    plan: Plan,
    stored: (u64, u32),
}

impl Walk {
    pub(super) fn new(plan: Plan, filtered: Option<(u64, u32)>) -> Result<Self, FormatError> {
        if plan.chunks.iter().any(|&chunks| chunks != 1) {
            let what = format!("a single chunk, where the dataset has {:?}", plan.chunks);
            return Err(invalid("dimension sizes", what));
        }
        let stored = filtered.unwrap_or((plan.chunk_bytes, 0));
        Ok(Self { plan, stored })
    }

    pub(super) fn advance(&mut self, view: &View) -> Parse<ChunkTable> {
        let plan = &self.plan;
        let mut table = ChunkTable::new(plan.rank);
        let (bytes, mask) = self.stored;
        plan.add(view, &mut table, &vec![0; plan.rank], (plan.address, bytes, mask))?;
        Ok(table)
    }
}
