//! A union of blocks: the form in which libhdf5 stores every hyperslab that is not regular.
//!
//! Many of these are nevertheless products of indexes per axis. libhdf5 writes such a product as the list of all
//! combinations of the runs along its axes.

use crate::{Axis, Blocks, Error, Result};
use std::collections::HashSet;

/// Blocks of `rank` axes, each with the coordinates of its first and its last element. The last element is not before
/// the first along any axis.
pub(super) struct Union<'a> {
    pub(super) rank: usize,
    /// `2 * rank` coordinates per block.
    pub(super) corners: &'a [u64],
}

impl<'a> Union<'a> {
    fn blocks(&self) -> impl Iterator<Item = (&'a [u64], &'a [u64])> {
        let rank = self.rank;
        self.corners.chunks_exact(2 * rank).map(move |corners| corners.split_at(rank))
    }

    /// Along each axis, the runs of adjacent indexes that the blocks cover, as first and last index.
    fn runs(&self) -> Vec<Vec<(u64, u64)>> {
        (0..self.rank)
            .map(|axis| merged(self.blocks().map(|(first, last)| (first[axis], last[axis])).collect()))
            .collect()
    }

    /// The runs of each axis, if the blocks are all combinations of these runs.
    pub(super) fn product(&self) -> Option<Vec<Vec<(u64, u64)>>> {
        let runs = self.runs();
        let is_part = |(first, last): (&[u64], &[u64])| {
            (0..self.rank).all(|axis| runs[axis].binary_search(&(first[axis], last[axis])).is_ok())
        };
        let parts = runs.iter().try_fold(1u64, |product, runs| product.checked_mul(runs.len() as u64))?;
        let distinct: HashSet<&[u64]> = self.corners.chunks_exact(2 * self.rank).collect();
        (parts == distinct.len() as u64 && self.blocks().all(is_part)).then_some(runs)
    }

    /// The coordinates of all elements in row-major order, without repetitions. `count` is the sum of the numbers of
    /// elements of the blocks.
    ///
    /// # Errors
    /// `ErrorKind::OutOfMemory` if there is not enough memory for them.
    pub(super) fn elements(&self, count: u64) -> Result<Vec<u64>> {
        let rank = self.rank;
        let mut spelled = list_of(count.checked_mul(rank as u64))?;
        for (first, last) in self.blocks() {
            let mut at = spelled.len();
            spelled.extend_from_slice(first);
            while let Some(axis) = (0..rank).rev().find(|&axis| spelled[at + axis] < last[axis]) {
                spelled.extend_from_within(at..at + axis + 1);
                spelled.extend_from_slice(&first[axis + 1..]);
                at += rank;
                spelled[at + axis] += 1;
            }
        }
        let mut order: Vec<&[u64]> = list_of(Some(count))?;
        order.extend(spelled.chunks_exact(rank));
        if order.windows(2).all(|pair| pair[0] < pair[1]) {
            return Ok(spelled);
        }
        order.sort_unstable();
        order.dedup();
        let mut sorted = list_of(Some((order.len() * rank) as u64))?;
        order.iter().for_each(|point| sorted.extend_from_slice(point));
        Ok(sorted)
    }

    /// The runs of each axis, if their product has this number of elements.
    pub(super) fn product_of(&self, elements: u64) -> Option<Vec<Vec<(u64, u64)>>> {
        let runs = self.runs();
        let len = |runs: &Vec<(u64, u64)>| -> Option<u64> {
            runs.iter().try_fold(0u64, |len, (first, last)| len.checked_add((last - first).checked_add(1)?))
        };
        let product = runs.iter().try_fold(1u64, |product, runs| product.checked_mul(len(runs)?));
        (product == Some(elements)).then_some(runs)
    }
}

/// Sorts runs of indexes, and merges runs that have no gap between them.
fn merged(mut runs: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    runs.sort_unstable();
    runs.dedup_by(|next, run| {
        let touches = next.0 <= run.1.saturating_add(1);
        if touches {
            run.1 = run.1.max(next.1);
        }
        touches
    });
    runs
}

/// Merged runs as regular blocks, if they are regular.
pub(super) fn regular(runs: &[(u64, u64)]) -> Option<Blocks> {
    let &(start, last) = runs.first()?;
    let block = (last - start).checked_add(1)?;
    let stride = runs.get(1).map_or(block, |second| second.0 - start);
    let is_regular = (0u64..)
        .zip(runs)
        .all(|(i, run)| i.checked_mul(stride) == Some(run.0 - start) && run.1 - run.0 == block - 1);
    if is_regular { Blocks::regular(start, stride, runs.len() as u64, block, 0) } else { None }
}

/// Merged runs as the indexes of an axis.
///
/// # Errors
/// `ErrorKind::OutOfMemory` if they must be listed and there is not enough memory for the list.
pub(super) fn axis(runs: &[(u64, u64)]) -> Result<Axis> {
    if let Some(blocks) = regular(runs) {
        return Ok(Axis::Blocks(blocks));
    }
    let len =
        runs.iter().try_fold(0u64, |len, (first, last)| len.checked_add((last - first).checked_add(1)?));
    let mut indexes = list_of(len)?;
    indexes.extend(runs.iter().flat_map(|&(first, last)| first..=last));
    Ok(Axis::List(indexes))
}

/// An empty list with memory for `items` items.
fn list_of<T>(items: Option<u64>) -> Result<Vec<T>> {
    let mut list = Vec::new();
    let items = items.and_then(|items| usize::try_from(items).ok());
    if items.is_some_and(|items| list.try_reserve_exact(items).is_ok()) {
        return Ok(list);
    }
    Err(Error::out_of_memory("not enough memory for a list of the selected indexes")
        .with_hint("select fewer elements"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn elements_are_those_of_all_blocks(
            blocks in prop::collection::vec((0u64..6, 0u64..4, 0u64..6, 0u64..4), 1..6)
        ) {
            let corners: Vec<u64> =
                blocks.iter().flat_map(|&(a, more_a, b, more_b)| [a, b, a + more_a, b + more_b]).collect();
            let union = Union { rank: 2, corners: &corners };
            let expected: BTreeSet<[u64; 2]> = blocks
                .iter()
                .flat_map(|&(a, more_a, b, more_b)| {
                    (a..=a + more_a).flat_map(move |i| (b..=b + more_b).map(move |j| [i, j]))
                })
                .collect();
            let count = blocks.iter().map(|&(_, a, _, b)| (a + 1) * (b + 1)).sum();
            let found = union.elements(count).unwrap();
            prop_assert_eq!(&found, &expected.iter().flatten().copied().collect::<Vec<_>>());
            let spell = |runs: &[(u64, u64)]| match axis(runs).unwrap() {
                Axis::Blocks(blocks) => blocks.iter().collect::<Vec<_>>(),
                Axis::List(list) => list,
            };
            let expand = |runs: Vec<Vec<(u64, u64)>>| -> Vec<u64> {
                let columns = spell(&runs[1]);
                spell(&runs[0]).iter().flat_map(|&i| columns.iter().flat_map(move |&j| [i, j])).collect()
            };
            if let Some(runs) = union.product() {
                prop_assert_eq!(&expand(runs), &found);
            }
            match union.product_of(expected.len() as u64) {
                Some(runs) => prop_assert_eq!(expand(runs), found),
                None => prop_assert!(union.product().is_none()),
            }
        }
    }

    #[test]
    fn equal_runs_at_equal_distances_are_blocks() {
        assert_eq!(regular(&[(2, 3), (7, 8), (12, 13)]), Blocks::new(2, 5, 3, 2).ok());
        assert_eq!(regular(&[(2, 3), (7, 8), (13, 14)]), None);
        assert_eq!(regular(&[(2, 3), (7, 7)]), None);
        assert_eq!(regular(&[(0, u64::MAX)]), None);
        assert_eq!(regular(&[(0, 0), (1 << 63, 1 << 63), ((1 << 63) + 2, (1 << 63) + 2)]), None);
        assert_eq!(regular(&[(u64::MAX, u64::MAX)]), Some(Blocks::span(u64::MAX, 1)));
        assert_eq!(regular(&[]), None);
    }
}
