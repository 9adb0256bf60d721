//! Dividing a selection along a grid of chunks: for each axis, the touched chunks, the elements of each, and their
//! positions in the output. The chunks that a slab touches are the product of those along its axes.

use super::{Axis, Blocks, Run};
use smallvec::SmallVec;

/// The indexes of one axis of a selection that are in the same chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChunkRun {
    /// The coordinate of the chunk along this axis.
    pub(crate) chunk: u64,
    /// The elements, relative to the beginning of the chunk, and their positions in the output.
    pub(crate) run: Run,
}

/// The runs along one axis, sorted by chunk.
pub(crate) type ChunkRuns = SmallVec<[ChunkRun; 1]>;

/// Divides one axis of a selection, which must be inside the dataset, into runs for chunks of `chunk_dim` elements. The
/// position of its first index in the output is `out`; the others follow.
pub(crate) fn cut(axis: &Axis, chunk_dim: u64, out: u64) -> ChunkRuns {
    match axis {
        Axis::Blocks(blocks) => cut_blocks(blocks, chunk_dim, out),
        Axis::List(list) => cut_list(list, chunk_dim, out),
    }
}

/// Returns an upper bound of the number of runs that an axis is divided into.
pub(crate) fn chunk_runs_max(axis: &Axis, chunk_dim: u64) -> u64 {
    match axis {
        Axis::Blocks(blocks) => match blocks.bounds() {
            // Fewer than the indexes, unless every chunk is one index.
            Some((first, last)) => (last / chunk_dim - first / chunk_dim).saturating_add(1).min(blocks.len()),
            None => 0,
        },
        Axis::List(list) => list.len() as u64,
    }
}

/// Divides an axis into two, between chunks if it is regular. The number is that of the indexes in the first half.
/// `None` if it cannot be divided further.
pub(crate) fn halve(axis: &Axis, chunk_dim: u64) -> Option<(Axis, Axis, u64)> {
    match axis {
        Axis::Blocks(blocks) => {
            let (first, last) = blocks.bounds()?;
            let (first, last) = (first / chunk_dim, last / chunk_dim);
            if first == last {
                return None;
            }
            let edge = (first + (last - first).div_ceil(2)) * chunk_dim;
            let before = blocks.count_below(edge).clamp(1, blocks.len() - 1);
            let (head, tail) = (blocks.slice(0..before), blocks.slice(before..blocks.len()));
            Some((Axis::Blocks(head), Axis::Blocks(tail), before))
        }
        Axis::List(list) if list.len() > 1 => {
            let (head, tail) = list.split_at(list.len() / 2);
            Some((Axis::List(head.to_vec()), Axis::List(tail.to_vec()), head.len() as u64))
        }
        Axis::List(_) => None,
    }
}

fn cut_blocks(blocks: &Blocks, chunk_dim: u64, first_out: u64) -> ChunkRuns {
    let mut pieces = ChunkRuns::new();
    // Most small reads: adjacent indexes in one chunk.
    if let Some((first, last)) = blocks.bounds()
        && blocks.is_span()
        && last - first < chunk_dim - first % chunk_dim
    {
        let (chunk, inner) = (first / chunk_dim, first % chunk_dim);
        let run = Run::Strided { inner, step: 1, count: blocks.len(), out: first_out };
        pieces.push(ChunkRun { chunk, run });
        return pieces;
    }
    let mut done = 0;
    while done < blocks.len() {
        let chunk = blocks.index(done) / chunk_dim;
        let edge = chunk.checked_add(1).and_then(|next| next.checked_mul(chunk_dim));
        let end = edge.map_or(blocks.len(), |edge| blocks.count_below(edge));
        let inner = blocks.slice(done..end).relative_to(chunk * chunk_dim);
        let run = Run::regular(inner, Blocks::span(first_out + done, end - done));
        pieces.push(ChunkRun { chunk, run });
        done = end;
    }
    pieces
}

fn cut_list(list: &[u64], chunk_dim: u64, first_out: u64) -> ChunkRuns {
    let mut order: Vec<u64> = (0..list.len() as u64).collect();
    order.sort_by_key(|&out| list[out as usize] / chunk_dim);
    let mut pieces = ChunkRuns::new();
    for group in order.chunk_by(|&a, &b| list[a as usize] / chunk_dim == list[b as usize] / chunk_dim) {
        let chunk = list[group[0] as usize] / chunk_dim;
        let pairs: Vec<_> =
            group.iter().map(|&out| (list[out as usize] % chunk_dim, first_out + out)).collect();
        pieces.push(ChunkRun { chunk, run: Run::listed(pairs) });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use crate::selection::blocks::tests::some_blocks;

    fn spell_out(pieces: &ChunkRuns, chunk_dim: u64) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        for ChunkRun { chunk, run } in pieces {
            for i in 0..run.len() {
                let (inner, out) = run.pair(i);
                assert!(inner < chunk_dim);
                found.push((out, chunk * chunk_dim + inner));
            }
        }
        found.sort_unstable();
        found
    }

    fn check(blocks: Blocks, indexes: &[u64], chunk: u64) -> Result<(), TestCaseError> {
        let axis = Axis::Blocks(blocks);
        let pieces = cut(&axis, chunk, 0);
        let expected: Vec<(u64, u64)> = (0..).zip(indexes.iter().copied()).collect();
        prop_assert!(pieces.len() as u64 <= chunk_runs_max(&axis, chunk));
        if let Some((head, tail, before)) = halve(&axis, chunk) {
            prop_assert_eq!(head.len(), before);
            prop_assert!(!head.is_empty() && !tail.is_empty());
            let mut both = spell_out(&cut(&head, chunk, 0), chunk);
            both.extend(spell_out(&cut(&tail, chunk, before), chunk));
            prop_assert_eq!(&both, &expected);
        } else {
            prop_assert!(pieces.len() <= 1);
        }
        prop_assert_eq!(spell_out(&pieces, chunk), expected);
        prop_assert!(pieces.windows(2).all(|pair| pair[0].chunk < pair[1].chunk));
        prop_assert!(pieces.iter().all(|piece| !matches!(piece.run, Run::Scattered(_))), "an index list");
        prop_assert!(chunk_runs_max(&axis, chunk) <= indexes.len() as u64);
        Ok(())
    }

    proptest! {
        #[test]
        fn pieces_of_a_range_are_the_range(start in 0u64..50, step in 1u64..9, count in 0u64..40, chunk in 1u64..20) {
            let indexes: Vec<u64> = (0..count).map(|i| start + i * step).collect();
            check(Blocks::new(start, step, count, 1).unwrap(), &indexes, chunk)?;
        }

        #[test]
        fn pieces_of_blocks_are_the_blocks((blocks, indexes) in some_blocks(), chunk in 1u64..20, large: bool) {
            check(blocks, &indexes, if large { u64::MAX - chunk } else { chunk })?;
        }

        #[test]
        fn pieces_of_a_list_are_the_list(list in prop::collection::vec(0u64..60, 0..30), chunk in 1u64..20) {
            let pieces = cut(&Axis::List(list.clone()), chunk, 0);
            let expected: Vec<_> = list.iter().enumerate().map(|(i, &index)| (i as u64, index)).collect();
            prop_assert_eq!(spell_out(&pieces, chunk), expected);
            prop_assert!(pieces.windows(2).all(|pair| pair[0].chunk < pair[1].chunk));
        }
    }
}
