//! The order of the chunks in a B-tree.

use super::columns::ChunkColumns;
use super::context::invalid;
use crate::FormatError;

/// Refuses chunks that are not in the order of their places (last dimension fastest): a B-tree in which they are not
/// cannot be searched.
#[derive(Debug, Default)]
pub(super) struct Ascending {
    /// The place of the last chunk that was checked; empty before the first.
    last: Vec<u64>,
}

impl Ascending {
    /// Checks the chunks that follow those of the last call, and hands them back.
    pub(super) fn checked(&mut self, chunks: ChunkColumns) -> Result<ChunkColumns, FormatError> {
        let mut last = self.last.as_slice();
        for coords in chunks.coords.chunks_exact(chunks.rank) {
            if !last.is_empty() && last >= coords {
                let what = format!("chunk {coords:?} comes after chunk {last:?}");
                return Err(invalid("chunk offset", what));
            }
            last = coords;
        }
        self.last = last.to_vec();
        Ok(chunks)
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::Chunk;
    use super::*;

    fn chunks(places: &[[u64; 2]]) -> ChunkColumns {
        let mut chunks = ChunkColumns::new(2);
        for coords in places {
            chunks.push(Chunk { coords, address: 100, stored_bytes: 8, filter_mask: 0 });
        }
        chunks
    }

    #[test]
    fn refuses_a_place_twice_or_out_of_order_in_a_batch_and_between_batches() {
        let checked = |batches: &[&[[u64; 2]]]| {
            let mut order = Ascending::default();
            batches.iter().try_for_each(|places| order.checked(chunks(places)).map(drop))
        };
        checked(&[&[[0, 0], [0, 1]], &[], &[[1, 0]]]).unwrap();
        for wrong in [[[0, 1], [0, 0]], [[7, 7], [7, 7]]] {
            checked(&[&wrong]).unwrap_err();
            checked(&[&wrong[..1], &[], &wrong[1..]]).unwrap_err();
        }
    }
}
