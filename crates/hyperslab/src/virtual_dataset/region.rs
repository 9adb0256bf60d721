//! Sets of elements in a certain order, and which element of one corresponds to which of another.

use super::blocks::Blocks;
use super::operation;
use crate::{Error, Result};
use hyperslab_format::selection::EncodedSelection;
use std::collections::HashMap;

/// Scattered elements of one mapping.
const SCATTERED_MAX: u64 = 1 << 20;

/// Elements of a dataspace, numbered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Region {
    /// The product of ascending indexes along each axis, numbered in row-major order.
    Product(Vec<Blocks>),
    /// Single elements, `rank` numbers each, in their order.
    Points { rank: usize, coordinates: Vec<u64> },
}

impl Region {
    /// The elements that an encoded selection means in an extent. Unlimited axes end with the extent.
    pub(super) fn new(selection: &EncodedSelection, dims: &[u64]) -> Result<Self> {
        let rank = dims.len();
        match selection {
            EncodedSelection::None => Ok(Region::Points { rank: rank.max(1), coordinates: Vec::new() }),
            EncodedSelection::All => product(dims.iter().map(|&dim| Blocks::span(0, dim))),
            EncodedSelection::Regular(axes) => {
                check_rank(axes.len(), rank)?;
                product(axes.iter().zip(dims).map(|(axis, &dim)| Blocks::new(axis, dim)))
            }
            EncodedSelection::Points { rank: given, coordinates } => {
                check_rank(*given, rank)?;
                check_scattered(selection.len())?;
                Ok(Region::Points { rank, coordinates: coordinates.clone() })
            }
            EncodedSelection::Blocks { rank: given, corners } => {
                check_rank(*given, rank)?;
                blocks(rank, corners, selection.len())
            }
        }
    }

    /// How many elements.
    pub(super) fn len(&self) -> u64 {
        match self {
            // Checked when it was made, unless an axis was empty.
            Region::Product(axes) if axes.iter().any(|axis| axis.len() == 0) => 0,
            Region::Product(axes) => axes.iter().map(Blocks::len).product(),
            Region::Points { rank, coordinates } => (coordinates.len() / rank) as u64,
        }
    }

    pub(super) fn rank(&self) -> usize {
        match self {
            Region::Product(axes) => axes.len(),
            Region::Points { rank, .. } => *rank,
        }
    }

    /// Appends the coordinates of element `number`.
    pub(super) fn push_element(&self, number: u64, coordinates: &mut Vec<u64>) {
        match self {
            Region::Points { rank, coordinates: all } => {
                coordinates.extend_from_slice(&all[number as usize * rank..][..*rank]);
            }
            Region::Product(axes) => {
                let (mut rest, first) = (number, coordinates.len());
                for axis in axes.iter().rev() {
                    coordinates.push(axis.index(rest % axis.len()));
                    rest /= axis.len();
                }
                coordinates[first..].reverse();
            }
        }
    }

    /// The number of the element at these coordinates, if it is in this product; points are in [`Self::numbers`].
    pub(super) fn number(&self, point: &[u64]) -> Option<u64> {
        let Region::Product(axes) = self else { return None };
        axes.iter()
            .zip(point)
            .try_fold(0, |number, (axis, &index)| Some(number * axis.len() + axis.position(index)?))
    }

    /// The numbers of single elements by their coordinates.
    pub(super) fn numbers(&self) -> HashMap<&[u64], u64> {
        match self {
            Region::Points { rank, coordinates } => coordinates.chunks_exact(*rank).zip(0..).collect(),
            Region::Product(_) => HashMap::new(),
        }
    }
}

fn product(axes: impl Iterator<Item = Result<Blocks>>) -> Result<Region> {
    let axes: Vec<Blocks> = axes.collect::<Result<_>>()?;
    let countable = axes.iter().try_fold(1u64, |product, axis| product.checked_mul(axis.len()));
    if countable.is_none() && axes.iter().all(|axis| axis.len() > 0) {
        return Err(Error::damaged("the elements of a virtual mapping cannot be counted"));
    }
    Ok(Region::Product(axes))
}

fn check_rank(given: usize, rank: usize) -> Result<()> {
    if given == rank {
        return Ok(());
    }
    Err(Error::damaged(format!("a virtual mapping selects along {given} axes, the dataset has {rank}")))
}

fn check_scattered(len: Option<u64>) -> Result<()> {
    match len {
        Some(len) if len <= SCATTERED_MAX => operation::count_scattered(len),
        _ => Err(Error::unsupported(format!(
            "a virtual mapping of more than {SCATTERED_MAX} scattered elements"
        ))),
    }
}

/// The union of blocks: as a product if it is one block, else spelled out in row-major order.
fn blocks(rank: usize, corners: &[u64], len: Option<u64>) -> Result<Region> {
    if corners.len() == 2 * rank {
        let (first, last) = corners.split_at(rank);
        return block(first, last);
    }
    check_scattered(len)?;
    let mut spelled = Vec::new();
    for corners in corners.chunks_exact(2 * rank) {
        let (first, last) = corners.split_at(rank);
        let block = block(first, last)?;
        (0..block.len()).for_each(|number| block.push_element(number, &mut spelled));
    }
    let mut points: Vec<&[u64]> = spelled.chunks_exact(rank).collect();
    points.sort_unstable();
    points.dedup();
    Ok(Region::Points { rank, coordinates: points.concat() })
}

fn block(first: &[u64], last: &[u64]) -> Result<Region> {
    product(first.iter().zip(last).map(|(&first, &last)| match last.checked_sub(first) {
        Some(more) if more < u64::MAX => Blocks::span(first, more + 1),
        _ => Err(Error::damaged(format!("a block from {first} to {last} in a virtual mapping"))),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_format::selection::RegularAxis;

    fn element(region: &Region, number: u64) -> Vec<u64> {
        let mut coordinates = Vec::new();
        region.push_element(number, &mut coordinates);
        coordinates
    }

    #[test]
    fn numbers_and_elements_agree() {
        let regular = |start, stride, count, block| RegularAxis { start, stride, count, block };
        let axes = vec![regular(1, 4, None, Some(2)), regular(0, 1, Some(1), None)];
        let region = Region::new(&EncodedSelection::Regular(axes), &[8, 3]).unwrap();
        let rows = (0..12).step_by(3).map(|number| element(&region, number)[0]).collect::<Vec<_>>();
        assert_eq!((region.len(), rows), (12, vec![1, 2, 5, 6]));
        for number in 0..region.len() {
            assert_eq!(region.number(&element(&region, number)), Some(number));
        }
        let corners = vec![0, 0, 0, 1, 1, 0, 1, 0];
        let region = Region::new(&EncodedSelection::Blocks { rank: 2, corners }, &[4, 4]).unwrap();
        assert_eq!(region, Region::Points { rank: 2, coordinates: vec![0, 0, 0, 1, 1, 0] });
        assert_eq!((element(&region, 2), region.numbers()[&[0, 1][..]]), (vec![1, 0], 1));
    }

    #[test]
    fn a_billion_elements_take_no_memory_and_too_many_are_refused() {
        let region = Region::new(&EncodedSelection::All, &[1 << 40]).unwrap();
        assert_eq!((region.len(), region.number(&[1 << 39])), (1 << 40, Some(1 << 39)));
        assert!(Region::new(&EncodedSelection::All, &[1 << 40, 1 << 40]).is_err());
        assert_eq!(Region::new(&EncodedSelection::All, &[1 << 40, 1 << 40, 0]).unwrap().len(), 0);
        let corners = vec![0, 1 << 19, (1 << 20), 1 << 22];
        assert!(Region::new(&EncodedSelection::Blocks { rank: 1, corners }, &[1 << 30]).is_err());
        let corners = vec![0, u64::MAX];
        assert!(Region::new(&EncodedSelection::Blocks { rank: 1, corners }, &[1]).is_err());
    }
}
