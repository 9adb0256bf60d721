//! A selection cut along a grid of chunks: along each axis, which chunks are touched, which elements of each, and
//! where they go. The chunks touched by a slab are the product of its axes' pieces.

use super::Axis;
use smallvec::SmallVec;

/// The part of one axis of a selection that lies in one row of chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Chunk coordinate along this axis.
    pub chunk: u64,
    /// Which elements, and where they go.
    pub run: Run,
}

/// Elements along one axis inside a chunk, and their places in the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Run {
    /// `count` elements from `inner` on, `step` apart, to consecutive places from `out` on.
    Even {
        /// First element, counted from the chunk's edge.
        inner: u64,
        /// Distance between elements.
        step: u64,
        /// How many.
        count: u64,
        /// First place in the output.
        out: u64,
    },
    /// Pairs of an element and its place.
    Odd(Vec<(u64, u64)>),
}

impl Run {
    /// How many elements.
    pub fn len(&self) -> u64 {
        match self {
            Run::Even { count, .. } => *count,
            Run::Odd(pairs) => pairs.len() as u64,
        }
    }

    /// True without an element (no piece is made with such a run).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The pieces of one axis, in ascending order of chunks.
pub type Pieces = SmallVec<[Piece; 1]>;

/// Cuts one axis of a selection into pieces of `chunk_dim` elements.
pub fn cut(axis: &Axis, chunk_dim: u64) -> Pieces {
    match axis {
        Axis::Range(range) => cut_range(range.start, range.step, range.count, chunk_dim),
        Axis::List(list) => cut_list(list, chunk_dim),
    }
}

/// Into how many pieces a range is cut, without cutting it; 1 for a list, whose pieces are never more than its
/// elements.
pub(crate) fn pieces_of_range(axis: &Axis, chunk_dim: u64) -> u64 {
    match axis {
        Axis::Range(range) if range.count > 0 => {
            let last = range.start + (range.count - 1) * range.step;
            (last / chunk_dim - range.start / chunk_dim + 1).min(range.count)
        }
        Axis::Range(_) => 0,
        Axis::List(_) => 1,
    }
}

fn cut_range(start: u64, step: u64, count: u64, chunk_dim: u64) -> Pieces {
    let mut pieces = Pieces::new();
    let mut done = 0;
    while done < count {
        let index = start + done * step;
        let chunk = index / chunk_dim;
        let inner = index % chunk_dim;
        let here = ((chunk_dim - inner).div_ceil(step)).min(count - done);
        pieces.push(Piece { chunk, run: Run::Even { inner, step, count: here, out: done } });
        done += here;
    }
    pieces
}

fn cut_list(list: &[u64], chunk_dim: u64) -> Pieces {
    let mut order: Vec<u64> = (0..list.len() as u64).collect();
    order.sort_by_key(|&out| list[out as usize] / chunk_dim);
    let mut pieces = Pieces::new();
    for group in order.chunk_by(|&a, &b| list[a as usize] / chunk_dim == list[b as usize] / chunk_dim) {
        let chunk = list[group[0] as usize] / chunk_dim;
        let pairs: Vec<_> = group.iter().map(|&out| (list[out as usize] % chunk_dim, out)).collect();
        pieces.push(Piece { chunk, run: simplify(pairs) });
    }
    pieces
}

/// Consecutive elements that go to consecutive places are a plain run.
pub(crate) fn simplify(pairs: Vec<(u64, u64)>) -> Run {
    let (inner, out) = pairs[0];
    let even = pairs.iter().enumerate().all(|(i, &pair)| pair == (inner + i as u64, out + i as u64));
    if even { Run::Even { inner, step: 1, count: pairs.len() as u64, out } } else { Run::Odd(pairs) }
}

#[cfg(test)]
mod tests {
    use super::super::Range;
    use super::*;
    use proptest::prelude::*;

    fn spell_out(pieces: &Pieces, chunk_dim: u64) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        for piece in pieces {
            let base = piece.chunk * chunk_dim;
            match &piece.run {
                Run::Even { inner, step, count, out } => {
                    found.extend((0..*count).map(|i| (out + i, base + inner + i * step)));
                    assert!(inner + (count - 1) * step < chunk_dim);
                }
                Run::Odd(pairs) => found.extend(pairs.iter().map(|&(inner, out)| (out, base + inner))),
            }
        }
        found.sort_unstable();
        found
    }

    proptest! {
        #[test]
        fn pieces_of_a_range_are_the_range(start in 0u64..50, step in 1u64..9, count in 0u64..40, chunk in 1u64..20) {
            let pieces = cut(&Axis::Range(Range { start, count, step }), chunk);
            let expected: Vec<_> = (0..count).map(|i| (i, start + i * step)).collect();
            prop_assert_eq!(spell_out(&pieces, chunk), expected);
            prop_assert!(pieces.windows(2).all(|pair| pair[0].chunk < pair[1].chunk));
            let most = pieces_of_range(&Axis::Range(Range { start, count, step }), chunk);
            prop_assert!(most >= pieces.len() as u64 && most <= count);
        }

        #[test]
        fn pieces_of_a_list_are_the_list(list in prop::collection::vec(0u64..60, 0..30), chunk in 1u64..20) {
            let pieces = cut(&Axis::List(list.clone()), chunk);
            let expected: Vec<_> = list.iter().enumerate().map(|(i, &index)| (i as u64, index)).collect();
            prop_assert_eq!(spell_out(&pieces, chunk), expected);
            prop_assert!(pieces.windows(2).all(|pair| pair[0].chunk < pair[1].chunk));
        }
    }
}
