//! The elements that a region reference means, as a selection of its dataset.
//!
//! A regular hyperslab keeps its axes; points, and blocks that are no product of indexes per axis, become an array of
//! one axis, in row-major order of the dataset (points: in the order of the reference).

use super::Selected;
use crate::array::Shape;
use crate::errors;
use hyperslab::format::selection::{EncodedSelection, LimitedAxis, RegularAxis};
use hyperslab::format::{Cursor, Widths};
use hyperslab::{Axis, Error, Points, Result, Selection};
use pyo3::prelude::*;
use std::collections::BTreeSet;

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
            blocks(encoded, corners, dims)
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
    let outside = || Error::damaged("a region reference reaches beyond its dataset");
    let LimitedAxis { count, block, rest } = axis.limited(dim);
    let stride = axis.stride.max(1);
    if (count == 0 || block == 0) && rest == 0 {
        return Ok(Axis::span(0, 0));
    }
    let ends =
        |number: u64, size: u64| number.checked_mul(stride)?.checked_add(size)?.checked_add(axis.start);
    let end = if rest > 0 { ends(count, rest) } else { ends(count - 1, block) };
    if end.is_none_or(|end| end > dim) || (count > 1 && block > stride) {
        return Err(outside());
    }
    if block == 1 {
        return Ok(Axis::Range(hyperslab::Range { start: axis.start, count, step: stride }));
    }
    let part = |number: u64, size: u64| (0..size).map(move |i| axis.start + number * stride + i);
    Ok(Axis::List((0..count).flat_map(|number| part(number, block)).chain(part(count, rest)).collect()))
}

/// Blocks are libhdf5's form for everything irregular, but many of them are products of indexes after all.
fn blocks(encoded: &EncodedSelection, corners: &[u64], dims: &[u64]) -> Result<Selected> {
    let rank = dims.len();
    let elements: u64 = dims.iter().product();
    let inside = encoded.bounds().is_none_or(|(_, most)| most.iter().zip(dims).all(|(most, dim)| most < dim));
    let count = encoded.len().filter(|&count| inside && count <= elements);
    let count =
        count.ok_or_else(|| Error::damaged("the blocks of a region reference do not fit its dataset"))?;
    let mut axes: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); rank];
    for block in corners.chunks_exact(2 * rank) {
        for (axis, indexes) in axes.iter_mut().enumerate() {
            indexes.extend(block[axis]..=block[rank + axis]);
        }
    }
    if axes.iter().map(|indexes| indexes.len() as u64).product::<u64>() == count {
        return Ok(slab(axes.into_iter().map(|indexes| Axis::List(indexes.into_iter().collect())).collect()));
    }
    let mut found: Vec<Vec<u64>> = Vec::new();
    for block in corners.chunks_exact(2 * rank) {
        let (first, last) = block.split_at(rank);
        let mut point = first.to_vec();
        loop {
            found.push(point.clone());
            let Some(axis) = (0..rank).rev().find(|&axis| point[axis] < last[axis]) else { break };
            point[axis] += 1;
            point[axis + 1..].copy_from_slice(&first[axis + 1..]);
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(points(rank, found.concat()))
}
