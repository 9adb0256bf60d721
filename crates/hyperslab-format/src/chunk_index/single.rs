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

#[cfg(test)]
mod tests {
    use super::super::tests::dataset;
    use crate::message::ChunkIndex;
    use crate::testing::Build;

    #[test]
    fn the_layout_message_says_it_all() {
        let image = Build::default().pad_to(100);
        let index = ChunkIndex::Single { filtered: None };
        let mut one = dataset(&[4], &[Some(4)], &[4], index);
        assert_eq!(one.rows(&image, None), [(vec![0], 0, 16, 0)]);
        one.layout.index = ChunkIndex::Single { filtered: Some((99, 2)) };
        let mut one = one.filtered();
        assert_eq!(one.rows(&image, None), [(vec![0], 0, 99, 2)]);
        one.chunks(&Build::default().pad_to(98).view(), None).unwrap_err();
        // Shrunk to nothing, the dataset still has its chunk; none of it is wanted by any read.
        one.dims = vec![0];
        assert_eq!(one.rows(&image, None), [(vec![0], 0, 99, 2)]);
        assert_eq!(one.rows(&image, Some(&[(0, 1)])), []);
        let mut two = one;
        two.dims = vec![5];
        two.max_dims = vec![None];
        two.chunks(&image.view(), None).unwrap_err();
    }
}
