//! The index of a dataset with a single chunk (specification VII.A): the layout message itself.

use super::columns::ChunkColumns;
use super::context::{WalkContext, invalid};
use crate::{FormatError, Parse, View};

#[derive(Debug)]
pub(super) struct SingleChunkWalk {
    context: WalkContext,
    /// The stored size and the filter mask; `None` after the chunk was returned.
    stored: Option<(u64, u32)>,
}

impl SingleChunkWalk {
    pub(super) fn new(context: WalkContext, filtered: Option<(u64, u32)>) -> Result<Self, FormatError> {
        if context.chunks.iter().any(|&chunks| chunks != 1) {
            let what = format!("a single chunk index in a dataset with {:?} chunks", context.chunks);
            return Err(invalid("dimension sizes", what));
        }
        let stored = filtered.unwrap_or((context.chunk_bytes, 0));
        Ok(Self { context, stored: Some(stored) })
    }

    pub(super) fn advance(&mut self, view: &View) -> Parse<Option<ChunkColumns>> {
        let context = &self.context;
        let Some((bytes, mask)) = self.stored.take() else { return Ok(None) };
        let mut found = ChunkColumns::new(context.rank);
        context.add(view, &mut found, &vec![0; context.rank], (context.address, bytes, mask))?;
        Ok((!found.is_empty()).then_some(found))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::dataset;
    use crate::message::ChunkIndex;
    use crate::testing::Build;

    #[test]
    fn the_layout_message_is_the_index() {
        let image = Build::default().pad_to(100);
        let index = ChunkIndex::Single { filtered: None };
        let mut one = dataset(&[4], &[Some(4)], &[4], index);
        assert_eq!(one.rows(&image, None), [(vec![0], 0, 16, 0)]);
        one.layout.index = ChunkIndex::Single { filtered: Some((99, 2)) };
        let mut one = one.filtered();
        assert_eq!(one.rows(&image, None), [(vec![0], 0, 99, 2)]);
        one.chunks(&Build::default().pad_to(98).view(), None).unwrap_err();
        // A dataset that shrank to nothing still has its chunk, which no read wants.
        one.dims = vec![0];
        assert_eq!(one.rows(&image, None), [(vec![0], 0, 99, 2)]);
        assert_eq!(one.rows(&image, Some(&[(0, 1)])), []);
        let mut two = one;
        two.dims = vec![5];
        two.max_dims = vec![None];
        two.chunks(&image.view(), None).unwrap_err();
    }
}
