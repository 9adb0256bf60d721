//! One axis of a regular hyperslab: blocks at even distances, of which everything is computed and nothing listed.

use crate::selection::{Axis, Range};
use crate::{Error, Result};
use hyperslab_format::selection::RegularAxis;

/// Ascending indexes, numbered from 0: `block` of them from `start` on, the next `block` of them `stride` further on,
/// until there are `len`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Blocks {
    start: u64,
    /// At least `block`.
    stride: u64,
    /// At least 1.
    block: u64,
    len: u64,
}

impl Blocks {
    /// `len` indexes from `start` on.
    pub(super) fn span(start: u64, len: u64) -> Result<Self> {
        start.checked_add(len).ok_or_else(|| overflow(start))?;
        Ok(Self { start, stride: len.max(1), block: len.max(1), len })
    }

    /// An axis of a hyperslab. Without an end of its own, it ends with the extent, `dim`.
    pub(super) fn new(axis: &RegularAxis, dim: u64) -> Result<Self> {
        let RegularAxis { start, stride, count, block } = *axis;
        if block.is_none() && count.is_none_or(|count| count > 1) {
            return Err(Error::damaged("a virtual mapping has several blocks without end along an axis"));
        }
        let limited = axis.limited(dim);
        let block = limited.block;
        if axis.overlaps() {
            return Err(Error::damaged(format!(
                "blocks of {block} elements at distances of {stride} overlap in a virtual mapping"
            )));
        }
        let len = limited.elements().filter(|_| axis.end(dim).is_some());
        let len = len.ok_or_else(|| overflow(start))?;
        if len <= block || stride == block {
            return Self::span(start, len);
        }
        Ok(Self { start, stride, block, len })
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Leaves at most this many indexes.
    pub(super) fn truncate(&mut self, len: u64) {
        self.len = self.len.min(len);
    }

    /// The index at a position below [`Self::len`].
    pub(super) fn index(&self, position: u64) -> u64 {
        self.start + position / self.block * self.stride + position % self.block
    }

    /// The position of an index, if it is one of these.
    pub(super) fn position(&self, index: u64) -> Option<u64> {
        let offset = index.checked_sub(self.start)?;
        let (block, within) = (offset / self.stride, offset % self.stride);
        if within >= self.block {
            return None;
        }
        block.checked_mul(self.block)?.checked_add(within).filter(|&position| position < self.len)
    }

    /// The first and the last index; `None` without any.
    pub(super) fn bounds(&self) -> Option<(u64, u64)> {
        Some((self.start, self.index(self.len.checked_sub(1)?)))
    }

    /// True where the indexes have no gaps.
    pub(super) fn is_span(&self) -> bool {
        self.len <= self.block
    }

    /// True where indexes at even distances have positions at even distances.
    pub(super) fn is_even(&self) -> bool {
        self.is_span() || self.block == 1
    }

    /// The indexes at the positions `first`, `first + step`, … (`count` of them, all of them below [`Self::len`]).
    pub(super) fn at(&self, first: u64, step: u64, count: u64) -> Axis {
        let even = match (self.is_span(), self.block) {
            (true, _) => Some(step),
            (_, 1) => Some(step * self.stride),
            _ => None,
        };
        match even {
            // A single index may have any step, but not one that overflows.
            _ if count == 1 => Axis::Range(Range { start: self.index(first), count, step: 1 }),
            Some(step) => Axis::Range(Range { start: self.index(first), count, step }),
            None => Axis::List((0..count).map(|i| self.index(first + i * step)).collect()),
        }
    }
}

fn overflow(start: u64) -> Error {
    Error::damaged(format!("a virtual mapping from index {start} on cannot be counted"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spell(axis: &RegularAxis, dim: u64) -> Vec<u64> {
        let mut indexes = Vec::new();
        for number in 0..axis.count.unwrap_or(dim) {
            let start = axis.start + number * axis.stride;
            let end = axis.block.map_or(dim, |block| start + block);
            let endless = axis.count.is_none() || axis.block.is_none();
            indexes.extend((start..end).filter(|&index| !endless || index < dim));
        }
        indexes
    }

    fn listed(axis: &Axis) -> Vec<u64> {
        match axis {
            Axis::Range(range) => (0..range.count).map(|i| range.start + i * range.step).collect(),
            Axis::List(list) => list.clone(),
        }
    }

    proptest! {
        #[test]
        fn is_what_is_spelled_out(
            start in 0u64..9, stride in 1u64..7, count in prop::option::of(0u64..6), block in 0u64..7, dim in 0u64..40
        ) {
            let axis = RegularAxis { start, stride, count, block: Some(block) };
            let several = count.is_none_or(|count| count > 1);
            prop_assume!(!several || block <= stride);
            let (blocks, expected) = (Blocks::new(&axis, dim).unwrap(), spell(&axis, dim));
            let found: Vec<u64> = (0..blocks.len()).map(|position| blocks.index(position)).collect();
            prop_assert_eq!(&found, &expected);
            for index in 0..90 {
                let position = expected.binary_search(&index).ok().map(|position| position as u64);
                prop_assert_eq!(blocks.position(index), position);
            }
            for step in 1..4 {
                let count = blocks.len().div_ceil(step);
                let every: Vec<u64> = expected.iter().copied().step_by(step as usize).collect();
                if count > 0 {
                    prop_assert_eq!(listed(&blocks.at(0, step, count)), every);
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let regular = |start, stride, count, block| RegularAxis { start, stride, count, block };
        let refused = [
            regular(0, 2, Some(3), Some(3)),
            regular(0, 0, None, Some(1)),
            regular(0, 1 << 40, Some(1 << 40), Some(1)),
            regular(u64::MAX, 1, Some(1), Some(1)),
            regular(5, 9, Some(2), None),
        ];
        for axis in refused {
            assert!(Blocks::new(&axis, 100).is_err(), "{axis:?}");
        }
        assert_eq!(Blocks::new(&regular(3, 0, Some(1), None), 10).unwrap(), Blocks::span(3, 7).unwrap());
        assert_eq!(Blocks::new(&regular(0, 1, None, Some(1)), u64::MAX).unwrap().len(), u64::MAX);
    }
}
