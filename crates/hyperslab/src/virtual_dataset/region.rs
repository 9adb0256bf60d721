//! Sets of elements in row-major order, and which element of one corresponds to which of another.

use crate::{Axis, Error, Range, Result};
use hyperslab_format::selection::{EncodedSelection, RegularAxis};
use std::collections::HashMap;

/// Selections are spelled out up to this many indexes along an axis, or scattered elements.
const SPELLED_MAX: u64 = 1 << 24;

/// Elements of a dataspace, numbered in row-major order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Region {
    /// The product of ascending indexes along each axis.
    Product(Vec<Vec<u64>>),
    /// Single elements, `rank` numbers each, in their order.
    Points { rank: usize, coordinates: Vec<u64> },
}

impl Region {
    /// The elements that an encoded selection means in an extent. Unlimited axes end with the extent.
    pub(crate) fn new(selection: &EncodedSelection, dims: &[u64]) -> Result<Self> {
        let rank = dims.len();
        match selection {
            EncodedSelection::None => Ok(Region::Product(vec![Vec::new(); rank])),
            EncodedSelection::All => {
                let axes = dims.iter().map(|&dim| check_length(dim).map(|()| (0..dim).collect()));
                Ok(Region::Product(axes.collect::<Result<_>>()?))
            }
            EncodedSelection::Regular(axes) => {
                check_rank(axes.len(), rank)?;
                let indexes = axes.iter().zip(dims).map(|(axis, &dim)| indexes(axis, dim));
                Ok(Region::Product(indexes.collect::<Result<_>>()?))
            }
            EncodedSelection::Points { rank: given, coordinates } => {
                check_rank(*given, rank)?;
                Ok(Region::Points { rank, coordinates: coordinates.clone() })
            }
            EncodedSelection::Blocks { rank: given, corners } => {
                check_rank(*given, rank)?;
                blocks(rank, corners, selection.len())
            }
        }
    }

    /// How many elements.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Region::Product(axes) => axes.iter().map(|axis| axis.len() as u64).product(),
            Region::Points { rank, coordinates } => (coordinates.len() / rank) as u64,
        }
    }

    /// The coordinates of element `number`.
    pub(crate) fn element(&self, number: u64) -> Vec<u64> {
        match self {
            Region::Points { rank, coordinates } => coordinates[number as usize * rank..][..*rank].to_vec(),
            Region::Product(axes) => {
                let mut rest = number;
                let mut point: Vec<u64> = axes
                    .iter()
                    .rev()
                    .map(|axis| {
                        let index = axis[(rest % axis.len() as u64) as usize];
                        rest /= axis.len() as u64;
                        index
                    })
                    .collect();
                point.reverse();
                point
            }
        }
    }

    /// The number of the element at these coordinates, if it is in the region.
    pub(crate) fn number(&self, point: &[u64]) -> Option<u64> {
        match self {
            Region::Product(axes) => axes.iter().zip(point).try_fold(0, |number, (axis, index)| {
                Some(number * axis.len() as u64 + axis.binary_search(index).ok()? as u64)
            }),
            Region::Points { rank, coordinates } => coordinates
                .chunks_exact(*rank)
                .position(|element| element == point)
                .map(|number| number as u64),
        }
    }

    /// The numbers of single elements by their coordinates, for many look-ups; products need no such table.
    pub(crate) fn spelled(&self) -> Option<HashMap<&[u64], u64>> {
        let Region::Points { rank, coordinates } = self else { return None };
        Some(coordinates.chunks_exact(*rank).zip(0..).collect())
    }
}

fn check_rank(given: usize, rank: usize) -> Result<()> {
    if given == rank {
        return Ok(());
    }
    Err(Error::damaged(format!("a virtual mapping selects along {given} axes, the dataset has {rank}")))
}

fn check_length(len: u64) -> Result<()> {
    if len <= SPELLED_MAX {
        return Ok(());
    }
    Err(Error::unsupported(format!("a virtual mapping of more than {SPELLED_MAX} indexes along an axis")))
}

/// The indexes of a regular axis inside an extent.
fn indexes(axis: &RegularAxis, dim: u64) -> Result<Vec<u64>> {
    let mut indexes = Vec::new();
    let mut start = axis.start;
    let mut number = 0;
    while axis.count.is_none_or(|count| number < count) && start < dim {
        let end = axis.block.map_or(dim, |block| start.saturating_add(block).min(dim));
        check_length(indexes.len() as u64 + (end - start))?;
        indexes.extend(start..end);
        if axis.stride == 0 || axis.block.is_none() {
            break;
        }
        start = start.saturating_add(axis.stride);
        number += 1;
    }
    Ok(indexes)
}

/// The union of blocks: as a product if it is one block, else spelled out in row-major order.
fn blocks(rank: usize, corners: &[u64], len: Option<u64>) -> Result<Region> {
    if corners.len() == 2 * rank {
        let (first, last) = corners.split_at(rank);
        return block(first, last);
    }
    if len.is_none_or(|len| len > SPELLED_MAX) {
        return Err(Error::unsupported(format!(
            "a virtual mapping of more than {SPELLED_MAX} scattered elements"
        )));
    }
    let mut points: Vec<Vec<u64>> = Vec::new();
    for corners in corners.chunks_exact(2 * rank) {
        let (first, last) = corners.split_at(rank);
        let block = block(first, last)?;
        points.extend((0..block.len()).map(|number| block.element(number)));
    }
    points.sort_unstable();
    points.dedup();
    Ok(Region::Points { rank, coordinates: points.into_iter().flatten().collect() })
}

fn block(first: &[u64], last: &[u64]) -> Result<Region> {
    let axes = first.iter().zip(last).map(|(&first, &last)| {
        check_length(last.saturating_sub(first).saturating_add(1)).map(|()| (first..=last).collect())
    });
    Ok(Region::Product(axes.collect::<Result<_>>()?))
}

/// Indexes as an axis of a selection, evenly spaced if they are.
pub(crate) fn axis(indexes: Vec<u64>) -> Axis {
    let (start, count) = (indexes.first().copied().unwrap_or(0), indexes.len() as u64);
    let step = indexes.get(1).map_or(1, |second| second.saturating_sub(start));
    let even = step > 0 && indexes.iter().enumerate().all(|(i, &index)| index == start + i as u64 * step);
    if even { Axis::Range(Range { start, count, step }) } else { Axis::List(indexes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_elements_agree() {
        let regular = |start, stride, count, block| RegularAxis { start, stride, count, block };
        let axes = vec![regular(1, 4, None, Some(2)), regular(0, 1, Some(1), None)];
        let region = Region::new(&EncodedSelection::Regular(axes), &[8, 3]).unwrap();
        assert_eq!(region, Region::Product(vec![vec![1, 2, 5, 6], vec![0, 1, 2]]));
        for number in 0..region.len() {
            assert_eq!(region.number(&region.element(number)), Some(number));
        }
        let corners = vec![0, 0, 0, 1, 1, 0, 1, 0];
        let region = Region::new(&EncodedSelection::Blocks { rank: 2, corners }, &[4, 4]).unwrap();
        assert_eq!(region, Region::Points { rank: 2, coordinates: vec![0, 0, 0, 1, 1, 0] });
        assert_eq!((region.element(2), region.number(&[0, 1])), (vec![1, 0], Some(1)));
    }
}
