//! A selection cut along a grid of chunks: along each axis, which chunks are touched, which elements of each, and
//! where they go. The chunks touched by a slab are the product of its axes' pieces.

use super::{Axis, Range};
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
    Strided {
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
    Scattered(Vec<(u64, u64)>),
}

impl Run {
    /// How many elements.
    pub fn len(&self) -> u64 {
        match self {
            Run::Strided { count, .. } => *count,
            Run::Scattered(pairs) => pairs.len() as u64,
        }
    }

    /// `count` of the elements, from the `first` on.
    pub(crate) fn part(&self, first: u64, count: u64) -> Run {
        match self {
            Run::Strided { inner, step, out, .. } => {
                Run::Strided { inner: inner + first * step, step: *step, count, out: out + first }
            }
            Run::Scattered(pairs) => Run::Scattered(pairs[first as usize..(first + count) as usize].to_vec()),
        }
    }

    /// True without an element (no piece is made with such a run).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The pieces of one axis, in ascending order of chunks.
pub type Pieces = SmallVec<[Piece; 1]>;

/// Cuts one axis of a selection into pieces of `chunk_dim` elements. Its first index goes to the place `out` of the
/// output, the others follow.
pub fn cut(axis: &Axis, chunk_dim: u64, out: u64) -> Pieces {
    match axis {
        Axis::Range(range) => cut_range(range.start, range.step, range.count, chunk_dim, out),
        Axis::List(list) => cut_list(list, chunk_dim, out),
    }
}

/// Into how many pieces an axis is cut, at most; told without cutting it.
pub(crate) fn pieces_max(axis: &Axis, chunk_dim: u64) -> u64 {
    match axis {
        Axis::Range(range) => match range.last() {
            Some(last) => (last / chunk_dim - range.start / chunk_dim + 1).min(range.count),
            None => 0,
        },
        Axis::List(list) => list.len() as u64,
    }
}

/// Cuts an axis in two, between chunks if it is a range; says how many indexes the first part has. `None` where it
/// cannot be cut further.
pub(crate) fn halve(axis: &Axis, chunk_dim: u64) -> Option<(Axis, Axis, u64)> {
    match axis {
        Axis::Range(range) => {
            let (first, last) = (range.start / chunk_dim, range.last()? / chunk_dim);
            if first == last {
                return None;
            }
            let edge = (first + (last - first).div_ceil(2)) * chunk_dim;
            let before = (edge - range.start).div_ceil(range.step).clamp(1, range.count - 1);
            let head = Range { count: before, ..*range };
            let tail =
                Range { start: range.start + before * range.step, count: range.count - before, ..*range };
            Some((Axis::Range(head), Axis::Range(tail), before))
        }
        Axis::List(list) if list.len() > 1 => {
            let (head, tail) = list.split_at(list.len() / 2);
            Some((Axis::List(head.to_vec()), Axis::List(tail.to_vec()), head.len() as u64))
        }
        Axis::List(_) => None,
    }
}

fn cut_range(start: u64, step: u64, count: u64, chunk_dim: u64, first_out: u64) -> Pieces {
    let mut pieces = Pieces::new();
    let mut done = 0;
    while done < count {
        let index = start + done * step;
        let chunk = index / chunk_dim;
        let inner = index % chunk_dim;
        let here = ((chunk_dim - inner).div_ceil(step)).min(count - done);
        pieces.push(Piece { chunk, run: Run::Strided { inner, step, count: here, out: first_out + done } });
        done += here;
    }
    pieces
}

fn cut_list(list: &[u64], chunk_dim: u64, first_out: u64) -> Pieces {
    let mut order: Vec<u64> = (0..list.len() as u64).collect();
    order.sort_by_key(|&out| list[out as usize] / chunk_dim);
    let mut pieces = Pieces::new();
    for group in order.chunk_by(|&a, &b| list[a as usize] / chunk_dim == list[b as usize] / chunk_dim) {
        let chunk = list[group[0] as usize] / chunk_dim;
        let pairs: Vec<_> =
            group.iter().map(|&out| (list[out as usize] % chunk_dim, first_out + out)).collect();
        pieces.push(Piece { chunk, run: simplify(pairs) });
    }
    pieces
}

/// Consecutive elements that go to consecutive places are a plain run.
pub(crate) fn simplify(pairs: Vec<(u64, u64)>) -> Run {
    let (inner, out) = pairs[0];
    let even = pairs.iter().enumerate().all(|(i, &pair)| pair == (inner + i as u64, out + i as u64));
    if even { Run::Strided { inner, step: 1, count: pairs.len() as u64, out } } else { Run::Scattered(pairs) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spell_out(pieces: &Pieces, chunk_dim: u64) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        for piece in pieces {
            let base = piece.chunk * chunk_dim;
            match &piece.run {
                Run::Strided { inner, step, count, out } => {
                    found.extend((0..*count).map(|i| (out + i, base + inner + i * step)));
                    assert!(inner + (count - 1) * step < chunk_dim);
                }
                Run::Scattered(pairs) => found.extend(pairs.iter().map(|&(inner, out)| (out, base + inner))),
            }
        }
        found.sort_unstable();
        found
    }

    proptest! {
        #[test]
        fn pieces_of_a_range_are_the_range(start in 0u64..50, step in 1u64..9, count in 0u64..40, chunk in 1u64..20) {
            let axis = Axis::Range(Range { start, count, step });
            let pieces = cut(&axis, chunk, 0);
            let expected: Vec<_> = (0..count).map(|i| (i, start + i * step)).collect();
            prop_assert!(pieces.len() as u64 <= pieces_max(&axis, chunk));
            if let Some((head, tail, before)) = halve(&axis, chunk) {
                prop_assert_eq!(head.len(), before);
                let mut both = spell_out(&cut(&head, chunk, 0), chunk);
                both.extend(spell_out(&cut(&tail, chunk, before), chunk));
                prop_assert_eq!(&both, &expected);
            }
            prop_assert_eq!(spell_out(&pieces, chunk), expected);
            prop_assert!(pieces.windows(2).all(|pair| pair[0].chunk < pair[1].chunk));
            prop_assert!(pieces_max(&axis, chunk) <= count);
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
