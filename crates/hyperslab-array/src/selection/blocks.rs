//! Regular blocks along one axis: HDF5's hyperslab. All properties are computed, without listing the indexes.
//!
//! ```text
//!            first                stride
//!            ├─ head ─┤◄────────────────────────►
//!  ····▒▒▒▒▒▒█████████················███████████████···············███████····
//!      └── block ────┘                └── block ────┘               └ the last block may end early
//! ```
//! A slice of blocks is blocks again. So the first block may lack its beginning (`head` is the length of the rest), and
//! the last one its end.

use crate::{Error, Result};
use std::ops::Range;

/// Ascending indexes in blocks of equal length at equal distances. The first and the last block may be shorter.
///
/// All indexes fit into 64 bits. Indexes without gaps are a single block; blocks of one index are a range with a step.
/// The position of an index is the number of indexes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    /// The first index.
    first: u64,
    /// Indexes of the first block: 1 to `block`.
    head: u64,
    /// Indexes of each further block but the last, at least 1.
    block: u64,
    /// From the beginning of a block to that of the next: more than `block` where there are several, else `block`.
    stride: u64,
    /// All indexes.
    len: u64,
}

impl Blocks {
    /// HDF5's hyperslab: `count` blocks of `block` indexes; the first block begins at `start`, and each other one
    /// `stride` indexes after the previous one.
    ///
    /// # Errors
    /// `ErrorKind::Invalid` if `stride` is 0 or blocks overlap, or if an index overflows 64 bits.
    pub fn new(start: u64, stride: u64, count: u64, block: u64) -> Result<Self> {
        if count == 0 || block == 0 {
            return Ok(Self::span(start, 0));
        }
        if stride == 0 {
            return Err(Error::invalid("the stride of a selection is 0").with_hint("use 1 or more"));
        }
        if count > 1 && stride < block {
            let what = format!("blocks of {block} elements with a stride of {stride} overlap");
            return Err(Error::invalid(what).with_hint("use a stride of at least the block"));
        }
        Self::regular(start, stride, count, block, 0).ok_or_else(|| {
            let what =
                format!("{count} blocks of {block} elements from {start} on with a stride of {stride}");
            Error::invalid(format!("{what} overflow 64 bits"))
        })
    }

    /// The `len` adjacent indexes from `start` on, without those that do not fit into 64 bits. These are in no dataset,
    /// and neither is the last one that fits.
    pub fn span(start: u64, len: u64) -> Self {
        let len = len.min((u64::MAX - start).saturating_add(1));
        let block = len.max(1);
        Self { first: start, head: block, block, stride: block, len }
    }

    /// `count` whole blocks and `rest` indexes of one more, which do not overlap; `None` where they overflow 64 bits.
    pub fn regular(start: u64, stride: u64, count: u64, block: u64, rest: u64) -> Option<Self> {
        let len = count.checked_mul(block)?.checked_add(rest)?;
        let (before, last_len) = if rest > 0 { (count, rest) } else { (count.saturating_sub(1), block) };
        if len > 0 {
            start.checked_add(before.checked_mul(stride)?)?.checked_add(last_len.checked_sub(1)?)?;
        }
        Some(Self { first: start, head: block, block, stride, len }.normal())
    }

    /// Blocks from `start` on, as many as begin before `end`, where the last one ends if not before. `stride` is at
    /// least `block`, which is at least 1.
    pub fn until(start: u64, stride: u64, block: u64, end: u64) -> Self {
        let left = end.saturating_sub(start);
        let count = left.checked_sub(block).map_or(0, |more| more / stride + 1);
        let rest = left.saturating_sub(count.saturating_mul(stride)).min(block);
        Self { first: start, head: block, block, stride, len: count * block + rest }.normal()
    }

    /// The one form of these indexes.
    fn normal(self) -> Self {
        if self.len <= self.head || self.stride == self.block {
            Self::span(self.first, self.len)
        } else {
            self
        }
    }

    /// The number of indexes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True if there are no indexes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first and the last index; `None` if there are none.
    pub fn bounds(&self) -> Option<(u64, u64)> {
        Some((self.first, self.index(self.len.checked_sub(1)?)))
    }

    /// All indexes.
    pub fn iter(&self) -> impl Iterator<Item = u64> + use<> {
        let blocks = *self;
        (0..self.len).map(move |position| blocks.index(position))
    }

    /// The index at a position below [`Self::len`].
    pub fn index(&self, position: u64) -> u64 {
        match position.checked_sub(self.head) {
            None => self.first + position,
            Some(beyond) => self.second() + beyond / self.block * self.stride + beyond % self.block,
        }
    }

    /// The position of an index; `None` if it is not one of these.
    pub fn position(&self, index: u64) -> Option<u64> {
        let position = self.count_below(index);
        (position < self.len && self.index(position) == index).then_some(position)
    }

    /// The number of indexes below `index`.
    pub(crate) fn count_below(&self, index: u64) -> u64 {
        let offset = index.saturating_sub(self.first);
        if offset <= self.head {
            return offset.min(self.len);
        }
        let count = match (offset - self.head).checked_sub(self.stride - self.block) {
            None => self.head,
            Some(beyond) => {
                self.head + beyond / self.stride * self.block + (beyond % self.stride).min(self.block)
            }
        };
        count.min(self.len)
    }

    /// The positions of the indexes in `first..=last`.
    pub(crate) fn positions(&self, first: u64, last: u64) -> Range<u64> {
        let end = last.checked_add(1).map_or(self.len, |end| self.count_below(end));
        self.count_below(first).min(end)..end
    }

    /// The indexes at a range of positions, which must not exceed [`Self::len`].
    pub fn slice(&self, positions: Range<u64>) -> Self {
        let len = positions.end.saturating_sub(positions.start);
        if len == 0 {
            return Self::span(self.first, 0);
        }
        let head = self.adjacent(positions.start);
        Self { first: self.index(positions.start), head, len, ..*self }.normal()
    }

    /// How many indexes of the same block there are from a position on, if the block is not cut off at its end.
    fn adjacent(&self, position: u64) -> u64 {
        match position.checked_sub(self.head) {
            None => self.head - position,
            Some(beyond) => self.block - beyond % self.block,
        }
    }

    /// How many indexes without a gap there are from a position below [`Self::len`] on.
    pub(crate) fn run_len(&self, position: u64) -> u64 {
        self.adjacent(position).min(self.len - position)
    }

    /// The indexes at the positions `first`, `first + step`, … (`count` of them, all below [`Self::len`]), if they are
    /// regular.
    pub(crate) fn every(&self, first: u64, step: u64, count: u64) -> Option<Self> {
        if step == 1 || count <= 1 {
            return Some(self.slice(first..first + count));
        }
        let stride = self.step()? * step;
        Some(Self { first: self.index(first), head: 1, block: 1, stride, len: count })
    }

    /// The same indexes, counted from `origin` instead of 0. None of them is below it.
    pub(crate) fn relative_to(&self, origin: u64) -> Self {
        Self { first: self.first - origin, ..*self }
    }

    /// The same indexes, each `by` larger. None of them overflows.
    pub(crate) fn shifted(&self, by: u64) -> Self {
        Self { first: self.first + by, ..*self }
    }

    /// True if the indexes have no gaps.
    pub fn is_span(&self) -> bool {
        self.len <= self.head
    }

    /// The distance of the indexes, if it is the same between all.
    pub fn step(&self) -> Option<u64> {
        match (self.is_span(), self.block) {
            (true, _) => Some(1),
            (false, 1) => Some(self.stride),
            _ => None,
        }
    }

    /// Indexes of each block but those that are cut off.
    pub(crate) fn block(&self) -> u64 {
        self.block
    }

    /// The distance of groups of `group` adjacent indexes, if these are nothing but such groups at equal distances.
    pub(crate) fn group_stride(&self, group: u64) -> Option<u64> {
        if !self.len.is_multiple_of(group) {
            return None;
        }
        match self.is_span() {
            true => Some(group),
            false => (self.head == group && self.block == group).then_some(self.stride),
        }
    }

    /// Where the second block begins, if there is one.
    fn second(&self) -> u64 {
        self.first + (self.stride - self.block + self.head)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        /// Blocks of which any positions were cut out, and their indexes.
        pub(in crate::selection) fn some_blocks()(
            start in 0u64..9, gap in 0u64..5, count in 0u64..7, block in 1u64..6, cut in 0u64..9, less in 0u64..9,
            at_the_end: bool,
        ) -> (Blocks, Vec<u64>) {
            let stride = block + gap;
            let last = (count * stride).saturating_sub(gap + 1);
            let start = if at_the_end { u64::MAX - last } else { start };
            let whole: Vec<u64> =
                (0..count).flat_map(|i| (0..block).map(move |j| start + (i * stride + j))).collect();
            let blocks = Blocks::new(start, stride, count, block).unwrap();
            let end = blocks.len().saturating_sub(less);
            let from = cut.min(end);
            (blocks.slice(from..end), whole[from as usize..end as usize].to_vec())
        }
    }

    proptest! {
        #[test]
        fn are_what_is_spelled_out((blocks, expected) in some_blocks(), from in 0u64..40, len in 0u64..40) {
            prop_assert_eq!(blocks.len() as usize, expected.len());
            prop_assert_eq!(blocks.iter().collect::<Vec<_>>(), &expected[..]);
            let bounds = expected.first().copied().zip(expected.last().copied());
            prop_assert_eq!(blocks.bounds(), bounds);
            let near = (0..60).chain(u64::MAX - 60..=u64::MAX);
            for index in near {
                let position = expected.binary_search(&index);
                prop_assert_eq!(blocks.position(index), position.ok().map(|position| position as u64));
                prop_assert_eq!(blocks.count_below(index), position.unwrap_or_else(|at| at) as u64);
            }
            let first = bounds.map_or(0, |(first, _)| first.saturating_sub(5)).saturating_add(from);
            let last = first.saturating_add(len);
            let inside: Vec<u64> =
                expected.iter().copied().filter(|index| (first..=last).contains(index)).collect();
            let positions = blocks.positions(first, last);
            prop_assert_eq!(blocks.slice(positions).iter().collect::<Vec<_>>(), inside);
            let is_span = expected.windows(2).all(|pair| pair[0] + 1 == pair[1]);
            prop_assert_eq!(blocks.is_span(), is_span);
            for position in 0..blocks.len() {
                let rest = &expected[position as usize..];
                let adjacent = (1..=rest.len()).take_while(|&n| rest[n - 1] - rest[0] == n as u64 - 1).count();
                prop_assert_eq!(blocks.run_len(position), adjacent as u64);
            }
        }

        #[test]
        fn every_so_many_th_is_that((blocks, expected) in some_blocks(), first in 0u64..5, step in 1u64..5) {
            let taken: Vec<u64> = expected.iter().copied().skip(first as usize).step_by(step as usize).collect();
            prop_assume!(!taken.is_empty());
            match blocks.every(first, step, taken.len() as u64) {
                Some(every) => prop_assert_eq!(every.iter().collect::<Vec<_>>(), taken),
                None => prop_assert!(blocks.step().is_none() && step > 1),
            }
        }

        #[test]
        fn groups_are_those_of_the_indexes((blocks, expected) in some_blocks(), group in 1u64..8) {
            let groups: Vec<&[u64]> = expected.chunks(group as usize).collect();
            let stride = blocks.group_stride(group);
            if let Some(stride) = stride {
                for (i, found) in groups.iter().enumerate() {
                    let first = expected[0] + i as u64 * stride;
                    prop_assert!(found.iter().copied().eq((0..group).map(|j| first + j)));
                }
            }
        }
    }

    #[test]
    fn what_overlaps_or_overflows_is_refused() {
        let refused = [
            (0, 2, 3, 3),
            (0, 0, 2, 1),
            (3, 0, 1, 1),
            (0, 1 << 40, 1 << 40, 1),
            (u64::MAX, 1, 2, 1),
            (2, u64::MAX, 2, 1),
            (2, 1, 1, u64::MAX),
        ];
        for (start, stride, count, block) in refused {
            assert!(Blocks::new(start, stride, count, block).is_err(), "{start} {stride} {count} {block}");
        }
        assert_eq!(Blocks::new(1, 1, 1, u64::MAX).unwrap().bounds(), Some((1, u64::MAX)));
        assert_eq!(Blocks::new(5, 0, 0, 7).unwrap().len(), 0);
    }

    #[test]
    fn a_span_ends_with_the_last_index_there_is() {
        assert_eq!(Blocks::span(u64::MAX - 1, 9).bounds(), Some((u64::MAX - 1, u64::MAX)));
        assert_eq!(Blocks::span(0, u64::MAX).bounds(), Some((0, u64::MAX - 1)));
        assert_eq!(Blocks::span(7, 0).bounds(), None);
        let all_but_one = Blocks::span(1, u64::MAX);
        assert_eq!((all_but_one.len(), all_but_one.position(u64::MAX)), (u64::MAX, Some(u64::MAX - 1)));
    }

    #[test]
    fn equal_indexes_are_equal() {
        assert_eq!(Blocks::new(4, 2, 5, 2).unwrap(), Blocks::span(4, 10));
        assert_eq!(Blocks::new(4, 9, 1, 3).unwrap(), Blocks::span(4, 3));
        assert_eq!(Blocks::new(0, 5, 4, 3).unwrap().slice(4..6), Blocks::span(6, 2));
    }
}
