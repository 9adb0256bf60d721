//! The wanted elements of an array, and checking them against its shape.

use super::refused::{out_of_range, rank_error};
use super::{Axis, Blocks, Points};
use crate::{Error, Result};
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// The wanted elements of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Every element.
    All,
    /// The product of one set of indexes per axis.
    Slab(Vec<Axis>),
    /// Single elements, in this order; the result has one axis.
    Points(Points),
}

impl Selection {
    /// A box: `count` elements from `start` on, along each axis.
    pub fn block(start: &[u64], count: &[u64]) -> Self {
        let axes = start.iter().zip(count).map(|(&start, &count)| Axis::Blocks(Blocks::span(start, count)));
        Selection::Slab(axes.collect())
    }

    /// HDF5's hyperslab: along each axis `count` blocks of `block` elements; the first block begins at `start`, and
    /// each other one `stride` elements after the previous one. The result has `count * block` elements along each
    /// axis.
    ///
    /// # Errors
    /// `ErrorKind::Invalid` if the four differ in length, if a stride is 0 or blocks overlap, or if an index overflows
    /// 64 bits. Whether the dataset has all of the elements is checked by the read.
    pub fn hyperslab(start: &[u64], stride: &[u64], count: &[u64], block: &[u64]) -> Result<Self> {
        if [stride.len(), count.len(), block.len()] != [start.len(); 3] {
            return Err(Error::invalid("start, stride, count and block of a hyperslab differ in length"));
        }
        let axis = |i: usize| Axis::hyperslab(start[i], stride[i], count[i], block[i]);
        (0..start.len()).map(axis).collect::<Result<_>>().map(Selection::Slab)
    }

    /// The shape of the result of reading a dataset with these sizes.
    pub fn shape(&self, dims: &[u64]) -> Vec<u64> {
        match self {
            Selection::All => dims.to_vec(),
            Selection::Slab(axes) => axes.iter().map(Axis::len).collect(),
            Selection::Points(points) => vec![points.len() as u64],
        }
    }

    /// The selection with every axis written out, checked against the extent.
    pub fn resolve(&self, dims: &[u64]) -> Result<Resolved<'_>> {
        match self {
            Selection::All => {
                Ok(Resolved::Slab(Cow::Owned(dims.iter().map(|&dim| Axis::all(dim)).collect())))
            }
            Selection::Slab(axes) => {
                if axes.len() != dims.len() {
                    return Err(rank_error(axes.len(), dims));
                }
                for (axis, (selected, &dim)) in axes.iter().zip(dims).enumerate() {
                    selected.check(axis, dim)?;
                }
                Ok(Resolved::Slab(Cow::Borrowed(axes)))
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
pub enum Resolved<'a> {
    /// The product of one set of indexes per axis.
    Slab(Cow<'a, [Axis]>),
    /// Single elements.
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
pub struct Measured<'a> {
    pub(crate) elements: Resolved<'a>,
    /// Shape of the result.
    pub shape: SmallVec<[u64; 4]>,
    /// How many elements that are.
    pub count: u64,
}

impl<'a> Measured<'a> {
    pub(crate) fn new(elements: Resolved<'a>) -> Result<Self> {
        let shape = elements.shape();
        let count = shape.iter().try_fold(1u64, |product, &count| product.checked_mul(count));
        let count = count.ok_or_else(|| Error::invalid(format!("a result of shape {shape:?}")))?;
        Ok(Self { elements, shape, count })
    }
}
