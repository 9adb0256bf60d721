//! Runs: elements along one axis of a source, and their positions along an axis of the output. They are the result of
//! dividing and intersecting selections.

use super::{Axis, Blocks};
use std::ops::Range;

/// Pairs of an element of a source and its position in the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Run {
    /// `count` elements from `inner` on, `step` apart, to consecutive places from `out` on.
    Strided {
        /// The first element.
        inner: u64,
        /// Distance between elements.
        step: u64,
        /// How many.
        count: u64,
        /// First place in the output.
        out: u64,
    },
    /// Regular blocks of elements, of places, or both. Boxed, because a plan has a run for each axis and is made for
    /// every read, and most runs are strided.
    Blocks(Box<RunOfBlocks>),
    /// Any pairs of an element and its place.
    Scattered(Vec<(u64, u64)>),
}

/// Regular blocks of elements and of places, equally many. The first element goes to the first place, the second to the
/// second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOfBlocks {
    /// The elements.
    pub inner: Blocks,
    /// Their places.
    pub out: Blocks,
}

impl Run {
    /// Elements and their places, equally many.
    pub(crate) fn regular(inner: Blocks, out: Blocks) -> Self {
        debug_assert_eq!(inner.len(), out.len());
        match (inner.step(), inner.bounds(), out.bounds()) {
            (Some(step), Some((inner, _)), Some((first, _))) if out.is_span() => {
                Run::Strided { inner, step, count: out.len(), out: first }
            }
            _ => Run::Blocks(Box::new(RunOfBlocks { inner, out })),
        }
    }

    /// These pairs, as a strided run where consecutive elements go to consecutive places.
    pub fn listed(pairs: Vec<(u64, u64)>) -> Self {
        let Some(&(inner, out)) = pairs.first() else { return Run::Scattered(pairs) };
        let consecutive = (0..).zip(&pairs).all(|(i, &pair)| pair == (inner + i, out + i));
        if consecutive {
            Run::Strided { inner, step: 1, count: pairs.len() as u64, out }
        } else {
            Run::Scattered(pairs)
        }
    }

    /// How many elements.
    pub fn len(&self) -> u64 {
        match self {
            Run::Strided { count, .. } => *count,
            Run::Blocks(blocks) => blocks.inner.len(),
            Run::Scattered(pairs) => pairs.len() as u64,
        }
    }

    /// True without an element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `i`-th element and its place.
    pub fn pair(&self, i: u64) -> (u64, u64) {
        match self {
            Run::Strided { inner, step, out, .. } => (inner + i * step, out + i),
            Run::Blocks(blocks) => (blocks.inner.index(i), blocks.out.index(i)),
            Run::Scattered(pairs) => pairs[i as usize],
        }
    }

    /// What the elements are in a source whose `inner`-th element is the index `source.index(inner)`.
    pub fn indexes_in(&self, source: &Blocks) -> Axis {
        let regular = match self {
            Run::Strided { inner, step, count, .. } => source.every(*inner, *step, *count),
            Run::Blocks(blocks) => {
                let inner = &blocks.inner;
                match (inner.step(), inner.bounds(), source.bounds()) {
                    (Some(step), Some((first, _)), _) => source.every(first, step, inner.len()),
                    (None, _, Some((first, _))) if source.is_span() => Some(inner.shifted(first)),
                    _ => None,
                }
            }
            Run::Scattered(_) => None,
        };
        match regular {
            Some(blocks) => Axis::Blocks(blocks),
            None => Axis::listed((0..self.len()).map(|i| source.index(self.pair(i).0)).collect()),
        }
    }

    /// The same places for the elements 0, 1, 2, … of what this run was taken out of.
    pub fn renumbered(&self) -> Self {
        match self {
            Run::Strided { count, out, .. } => Run::Strided { inner: 0, step: 1, count: *count, out: *out },
            Run::Blocks(blocks) => Run::regular(Blocks::span(0, blocks.out.len()), blocks.out),
            Run::Scattered(pairs) => Run::listed((0..).zip(pairs).map(|(i, pair)| (i, pair.1)).collect()),
        }
    }

    /// The places that are taken, as far as they are a range.
    pub(crate) fn places(&self) -> Option<Range<u64>> {
        match self {
            Run::Strided { count, out, .. } => Some(*out..out + count),
            Run::Blocks(blocks) => {
                let out = &blocks.out;
                out.bounds().filter(|_| out.is_span()).map(|(first, _)| first..first + out.len())
            }
            Run::Scattered(_) => None,
        }
    }
}
