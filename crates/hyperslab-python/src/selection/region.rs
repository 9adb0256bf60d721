//! The elements that a region reference means, as a selection of its dataset.
//!
//! A regular hyperslab keeps its axes; points, and blocks that are no product of indexes per axis, become an array of
//! one axis, in row-major order of the dataset (points: in the order of the reference).

use super::{Selected, blocks};
use crate::array::Shape;
use crate::errors;
use hyperslab::format::selection::{EncodedSelection, LimitedAxis, RegularAxis};
use hyperslab::format::{Cursor, Widths};
use hyperslab::{Axis, Error, Points, Result, Selection};
use pyo3::prelude::*;
use std::collections::HashSet;

/// The selection that a region reference encodes, for a dataset of this shape.
pub fn region(encoded: &[u8], dims: &[u64]) -> PyResult<Selected> {
    let mut cursor = Cursor::new("region reference", 0, encoded.to_vec().into(), Widths::default());
    let parsed = EncodedSelection::parse(&mut cursor).map_err(Error::from);
    parsed.and_then(|selection| select(&selection, dims)).map_err(errors::raise)
}

fn select(encoded: &EncodedSelection, dims: &[u64]) -> Result<Selected> {
    let rank_of = |rank: usize| {
        let what =
            || Error::damaged(format!("a region reference of {rank} axes to a dataset of {}", dims.len()));
        if rank == dims.len() { Ok(()) } else { Err(what()) }
    };
    match encoded {
        EncodedSelection::None => Ok(slab(dims.iter().map(|_| Axis::span(0, 0)).collect())),
        EncodedSelection::All => Ok(slab(dims.iter().map(|&dim| Axis::all(dim)).collect())),
        EncodedSelection::Points { rank, coordinates } => {
            rank_of(*rank)?;
            Ok(points(*rank, coordinates.clone()))
        }
        EncodedSelection::Regular(axes) => {
            rank_of(axes.len())?;
            Ok(slab(axes.iter().zip(dims).map(|(axis, &dim)| regular(axis, dim)).collect::<Result<_>>()?))
        }
        EncodedSelection::Blocks { rank, corners } => {
            rank_of(*rank)?;
            irregular(encoded, corners, dims)
        }
    }
}

fn slab(axes: Vec<Axis>) -> Selected {
    let shape = axes.iter().map(|axis| axis.len() as isize).collect();
    Selected { selection: Selection::Slab(axes), shape }
}

fn points(rank: usize, coordinates: Vec<u64>) -> Selected {
    let points = Points { rank, coordinates };
    let shape = Shape::from_slice(&[points.len() as isize]);
    Selected { selection: Selection::Points(points), shape }
}

fn regular(axis: &RegularAxis, dim: u64) -> Result<Axis> {
    let LimitedAxis { block, .. } = axis.limited(dim);
    let len = axis.limited(dim).elements();
    if len == Some(0) {
        return Ok(Axis::span(0, 0));
    }
    if axis.overlaps() {
        return Err(Error::damaged("the blocks of a region reference overlap"));
    }
    let len = len.filter(|_| axis.end(dim).is_some_and(|end| end <= dim));
    let len = len.ok_or_else(|| Error::damaged("a region reference reaches beyond its dataset"))?;
    blocks::even(axis.start, axis.stride, block, len)
}

/// Blocks are libhdf5's form for everything irregular, but many of them are products of indexes after all.
fn irregular(encoded: &EncodedSelection, corners: &[u64], dims: &[u64]) -> Result<Selected> {
    let rank = dims.len();
    let inside = encoded.bounds().is_none_or(|(_, most)| most.iter().zip(dims).all(|(most, dim)| most < dim));
    let count = encoded.len().filter(|&count| inside && product(dims.iter().copied()) >= Some(count));
    let count =
        count.ok_or_else(|| Error::damaged("the blocks of a region reference do not fit its dataset"))?;
    let given = || corners.chunks_exact(2 * rank);
    let along = |axis: usize| blocks::merge(given().map(|block| (block[axis], block[rank + axis])).collect());
    let axes: Vec<_> = (0..rank).map(along).collect();
    let whole = || Ok(slab(axes.iter().map(|axis| blocks::any(axis)).collect::<Result<_>>()?));
    // libhdf5 writes a product as the blocks that those of its axes make, each once.
    let is_part = |block: &[u64]| {
        (0..rank).all(|axis| axes[axis].binary_search(&(block[axis], block[rank + axis])).is_ok())
    };
    let distinct: HashSet<&[u64]> = given().collect();
    let parts = product(axes.iter().map(|axis| axis.len() as u64));
    if parts == Some(distinct.len() as u64) && given().all(is_part) {
        return whole();
    }
    let mut offsets = blocks::room_for(Some(count))?;
    for block in given() {
        let (first, last) = block.split_at(rank);
        let mut point = first.to_vec();
        loop {
            offsets.push(point.iter().zip(dims).fold(0, |offset, (index, dim)| offset * dim + index));
            let Some(axis) = (0..rank).rev().find(|&axis| point[axis] < last[axis]) else { break };
            point[axis] += 1;
            point[axis + 1..].copy_from_slice(&first[axis + 1..]);
        }
    }
    offsets.sort_unstable();
    offsets.dedup();
    if product(axes.iter().map(|axis| blocks::len(axis))) == Some(offsets.len() as u64) {
        return whole();
    }
    let mut coordinates = blocks::room_for(count.checked_mul(rank as u64))?;
    for mut offset in offsets {
        let start = coordinates.len();
        coordinates.resize(start + rank, 0);
        for (index, dim) in coordinates[start..].iter_mut().zip(dims).rev() {
            (*index, offset) = (offset % dim, offset / dim);
        }
    }
    Ok(points(rank, coordinates))
}

fn product(sizes: impl IntoIterator<Item = impl Into<Option<u64>>>) -> Option<u64> {
    sizes.into_iter().try_fold(1u64, |product, size| product.checked_mul(size.into()?))
}
