//! What of a dataset is wanted: a hyperslab, lists of indexes per axis, or single points.
//!
//! A selection knows nothing of chunks or addresses. [`grid`] cuts it along the chunk grid.

pub mod grid;
mod parse;
mod parts;
mod range;

pub(crate) use parts::Parts;
pub use range::{Axis, Range};

use crate::{Error, Result};
use smallvec::{SmallVec, smallvec};

/// The elements wanted of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Every element.
    All,
    /// The product of one set of indexes per axis.
    Slab(Vec<Axis>),
    /// Single elements, in this order; the result has one axis.
    Points(Points),
}

/// Coordinates of single elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Points {
    /// Axes of the dataset.
    pub rank: usize,
    /// `rank` numbers a point.
    pub coordinates: Vec<u64>,
}

impl Points {
    /// How many points.
    pub fn len(&self) -> usize {
        self.coordinates.len() / self.rank.max(1)
    }

    /// True without a point.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }
}

impl Selection {
    /// A box: `count` elements from `start` on, along each axis.
    pub fn block(start: &[u64], count: &[u64]) -> Self {
        let axes =
            start.iter().zip(count).map(|(&start, &count)| Axis::Range(Range { start, count, step: 1 }));
        Selection::Slab(axes.collect())
    }

    /// The selection with every axis written out, checked against the extent.
    pub(crate) fn resolve(&self, dims: &[u64]) -> Result<Resolved<'_>> {
        match self {
            Selection::All => Ok(Resolved::Slab(dims.iter().map(|&dim| Axis::all(dim)).collect())),
            Selection::Slab(axes) => {
                if axes.len() != dims.len() {
                    return Err(rank_error(axes.len(), dims));
                }
                for (axis, (selected, &dim)) in axes.iter().zip(dims).enumerate() {
                    selected.check(axis, dim)?;
                }
                Ok(Resolved::Slab(axes.as_slice().into()))
            }
            Selection::Points(points) => {
                if points.rank != dims.len()
                    || (points.rank > 0 && points.coordinates.len() % points.rank != 0)
                {
                    return Err(rank_error(points.rank, dims));
                }
                for point in points.coordinates.chunks(points.rank.max(1)) {
                    if let Some(axis) = (0..dims.len()).find(|&axis| point[axis] >= dims[axis]) {
                        return Err(out_of_range(point[axis], axis, dims[axis]));
                    }
                }
                Ok(Resolved::Points(points))
            }
        }
    }
}

/// A selection that lies inside its dataset.
pub(crate) enum Resolved<'a> {
    Slab(SmallVec<[Axis; 4]>),
    Points(&'a Points),
}

impl Resolved<'_> {
    /// Shape of the result.
    fn shape(&self) -> SmallVec<[u64; 4]> {
        match self {
            Resolved::Slab(axes) => axes.iter().map(Axis::len).collect(),
            Resolved::Points(points) => smallvec![points.len() as u64],
        }
    }
}

/// A selection that lies inside its dataset, measured.
pub(crate) struct Measured<'a> {
    pub(crate) elements: Resolved<'a>,
    /// Shape of the result.
    pub(crate) shape: SmallVec<[u64; 4]>,
    /// How many elements that are.
    pub(crate) count: u64,
}

impl<'a> Measured<'a> {
    pub(crate) fn new(elements: Resolved<'a>) -> Result<Self> {
        let shape = elements.shape();
        let count = shape.iter().try_fold(1u64, |product, &count| product.checked_mul(count));
        let count = count.ok_or_else(|| Error::invalid(format!("a result of shape {shape:?}")))?;
        Ok(Self { elements, shape, count })
    }
}

fn rank_error(given: usize, dims: &[u64]) -> Error {
    Error::invalid(format!("the selection has {given} axes, the dataset has {}", dims.len()))
        .hint(format!("the dataset's shape is {dims:?}"))
}

fn out_of_range(index: u64, axis: usize, dim: u64) -> Error {
    Error::invalid(format!("index {index} is out of range for axis {axis}, which has {dim} elements"))
}
