//! Checking the order of the chunks in a B-tree.

use super::columns::ChunkColumns;
use super::context::invalid;
use crate::FormatError;

/// Refuses chunks that are not in row-major order: a B-tree with a different order cannot be searched.
#[derive(Debug, Default)]
pub(super) struct Ascending {
    /// The coordinates of the last chunk that was checked; empty before the first.
    last: Vec<u64>,
}

impl Ascending {
    /// Checks and returns the chunks that follow those of the last call.
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
    fn refuses_repeated_or_unordered_chunks_in_a_batch_and_between_batches() {
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
