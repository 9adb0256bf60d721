//! The implicit index (specification VII.B): all chunks of the maximum size, unfiltered, one after the other.

use super::batch::BATCH_CHUNKS;
use super::columns::ChunkColumns;
use super::context::{WalkContext, invalid};
use super::grid::Grid;
use crate::{Address, FormatError, Parse, Stop, View};

#[derive(Debug)]
pub(super) struct ImplicitWalk {
    context: WalkContext,
    grid: Grid,
    /// The index of the first chunk of the next batch.
    next: u64,
}

impl ImplicitWalk {
    pub(super) fn new(context: WalkContext) -> Result<Self, FormatError> {
        let fixed = context.max_chunks.iter().all(Option::is_some);
        let grid = Grid::new(&context.max_chunks, &context.region).filter(|_| fixed && !context.filtered);
        let what = "an implicit index needs fixed dimensions, at most 2^64 chunks, and no filters";
        let grid = grid.ok_or_else(|| invalid("chunk indexing type", what))?;
        Ok(Self { context, grid, next: 0 })
    }

    pub(super) fn advance(&mut self, view: &View) -> Parse<Option<ChunkColumns>> {
        let context = &self.context;
        // Each chunk has its own bytes in the file, so there cannot be more than fit into it.
        let room = context.room(view);
        let count = context.region.count().unwrap_or(u64::MAX);
        if count > room {
            let what = format!("{count} chunks are more than the {room} that fit into the file");
            return Err(invalid("dimension sizes", what).into());
        }
        let mut found = ChunkColumns::new(context.rank);
        let indexes = self.next..u64::MAX;
        self.next = u64::MAX;
        let each = self.grid.each(indexes, |index, place| {
            if found.len() >= BATCH_CHUNKS {
                self.next = index;
                return Err(Interrupt::BatchIsFull);
            }
            let offset =
                index.checked_mul(context.chunk_bytes).and_then(|bytes| context.address.0.checked_add(bytes));
            let address = Address(offset.unwrap_or(u64::MAX));
            let stored = (address, context.chunk_bytes, 0);
            context.add(view, &mut found, place, stored).map_err(Interrupt::Bad)
        });
        match each {
            Err(Interrupt::Bad(error)) => Err(Stop::Bad(error)),
            Ok(()) | Err(Interrupt::BatchIsFull) => Ok((!found.is_empty()).then_some(found)),
        }
    }
}

/// Why not all chunks were visited.
enum Interrupt {
    BatchIsFull,
    Bad(FormatError),
}

#[cfg(test)]
mod tests {
    use super::super::tests::dataset;
    use crate::Address;
    use crate::message::ChunkIndex;
    use crate::testing::Build;

    #[test]
    fn chunks_follow_each_other_through_the_maximum_size() {
        let image = Build::default().pad_to(1000);
        let mut dataset = dataset(&[3, 5], &[Some(6), Some(9)], &[2, 3], ChunkIndex::Implicit);
        dataset.layout.address = Some(Address(40));
        let at = |row: u64, column: u64| (vec![row, column], 40 + 24 * (3 * row + column), 24, 0);
        assert_eq!(dataset.rows(&image, None), [at(0, 0), at(0, 1), at(1, 0), at(1, 1)]);
        assert_eq!(dataset.rows(&image, Some(&[(1, 9), (1, 2)])), [at(1, 1)]);
    }

    #[test]
    fn refuses_more_chunks_than_the_file_has_room_for() {
        let image = Build::default().pad_to(1000);
        let huge = dataset(&[1 << 40], &[Some(1 << 40)], &[1], ChunkIndex::Implicit);
        huge.chunks(&image.view(), None).unwrap_err();
        let two =
            dataset(&[1 << 40, 1 << 30], &[Some(1 << 40), Some(1 << 40)], &[1, 1], ChunkIndex::Implicit);
        two.chunks(&image.view(), None).unwrap_err();
        let beyond = dataset(&[251], &[Some(251)], &[1], ChunkIndex::Implicit);
        beyond.chunks(&image.view(), None).unwrap_err();
        dataset(&[4], &[None], &[1], ChunkIndex::Implicit).chunks(&image.view(), None).unwrap_err();
        dataset(&[4], &[Some(4)], &[1], ChunkIndex::Implicit)
            .filtered()
            .chunks(&image.view(), None)
            .unwrap_err();
    }
}
