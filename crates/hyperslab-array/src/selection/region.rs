//! Sets of elements in a defined order, so that the elements of two sets correspond.

use super::{Blocks, Points};
use std::collections::HashMap;

/// Elements of a dataspace, numbered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Region {
    /// The product of ascending indexes along each axis, numbered in row-major order.
    Product(Vec<Blocks>),
    /// Single elements, in their order.
    Points(Points),
}

impl Region {
    /// The product of these axes; `None` where the number of its elements overflows 64 bits.
    pub fn product(axes: Vec<Blocks>) -> Option<Self> {
        let is_countable =
            axes.iter().try_fold(1u64, |product, axis| product.checked_mul(axis.len())).is_some();
        (is_countable || axes.iter().any(Blocks::is_empty)).then_some(Region::Product(axes))
    }

    /// How many elements.
    pub fn len(&self) -> u64 {
        match self {
            // Checked when it was made, unless an axis was empty.
            Region::Product(axes) if axes.iter().any(Blocks::is_empty) => 0,
            Region::Product(axes) => axes.iter().map(Blocks::len).product(),
            Region::Points(points) => points.len() as u64,
        }
    }

    /// True without an element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many axes the elements have.
    pub fn rank(&self) -> usize {
        match self {
            Region::Product(axes) => axes.len(),
            Region::Points(points) => points.rank,
        }
    }

    /// Appends the coordinates of element `number`.
    pub fn push_element(&self, number: u64, coordinates: &mut Vec<u64>) {
        match self {
            Region::Points(Points { rank, coordinates: all }) => {
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

    /// The number of the element at these coordinates, if it is in this product; points are in [`Self::numbers`]. (An
    /// empty product may have axes whose sizes overflow 64 bits when multiplied.)
    pub fn number(&self, point: &[u64]) -> Option<u64> {
        let Region::Product(axes) = self else { return None };
        axes.iter().zip(point).try_fold(0u64, |number, (axis, &index)| {
            number.checked_mul(axis.len())?.checked_add(axis.position(index)?)
        })
    }

    /// The numbers of single elements by their coordinates.
    pub fn numbers(&self) -> HashMap<&[u64], u64> {
        match self {
            Region::Points(points) => points.coordinates.chunks_exact(points.rank).zip(0..).collect(),
            Region::Product(_) => HashMap::new(),
        }
    }
}
