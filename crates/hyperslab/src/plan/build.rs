//! From a selection and a layout to a plan.

use super::{ChunkStep, Dims, Part, ReadPlan, Steps};
use crate::chunk::map::{ChunkGrid, ChunkMap};
use crate::dataset::{DatasetInner, Storage};
use crate::selection::grid::{Piece, Pieces, Run, cut, pieces_of_range};
use crate::selection::{Axis, Points, Resolved};
use crate::{Error, Result, Selection};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// A plan with more chunks than this is refused: it would not fit in memory, and neither would its result.
const CHUNKS_MAX: u64 = 1 << 24;

impl ReadPlan {
    /// Plans the read of `selection`.
    pub(crate) fn new(dataset: &DatasetInner, selection: &Selection) -> Result<Self> {
        let dims = dataset.dims();
        let resolved = selection.resolve(dims)?;
        let shape: Dims = resolved.shape().into();
        let mut plan = ReadPlan {
            shape,
            element_bytes: dataset.element_bytes(),
            pieces: SmallVec::new(),
            steps: Steps::Nothing,
        };
        let elements = plan.shape.iter().try_fold(plan.element_bytes as u64, |n, &dim| n.checked_mul(dim));
        if elements.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            return Err(Error::invalid(format!(
                "a result of shape {:?} does not fit this machine",
                plan.shape
            )));
        }
        if plan.elements() == 0 || plan.element_bytes == 0 {
            return Ok(plan);
        }
        match &dataset.storage {
            Storage::Chunked { layout, grid, .. } => {
                chunk_steps(&mut plan, dataset, &layout.chunk_dims, grid, &resolved)?;
            }
            other => {
                let points = whole_steps(&mut plan, &resolved, dims);
                plan.steps = match other {
                    Storage::Compact { data } => {
                        Steps::Compact { data: data.clone(), dims: dims.into(), points }
                    }
                    Storage::Contiguous { base: Some(base) } => {
                        let source = dataset.file.source.clone();
                        Steps::Contiguous { source, base: *base, dims: dims.into(), points }
                    }
                    Storage::External { data } => {
                        Steps::Contiguous { source: data.clone(), base: 0, dims: dims.into(), points }
                    }
                    _ => Steps::Fill,
                };
            }
        }
        Ok(plan)
    }
}

/// One piece per axis, or one list of points.
fn whole_steps(plan: &mut ReadPlan, resolved: &Resolved<'_>, dims: &[u64]) -> Option<Run> {
    match resolved {
        Resolved::Slab(axes) => {
            plan.pieces = axes.iter().zip(dims).map(|(axis, &dim)| cut(axis, dim.max(1))).collect();
            None
        }
        Resolved::Points(points) => {
            let numbers = points.coordinates.chunks(points.rank.max(1)).enumerate();
            let run = Run::Odd(numbers.map(|(out, point)| (row_major(point, dims), out as u64)).collect());
            plan.pieces = smallvec![smallvec![Piece { chunk: 0, run: run.clone() }]];
            Some(run)
        }
    }
}

fn chunk_steps(
    plan: &mut ReadPlan,
    dataset: &DatasetInner,
    chunk_dims: &[u64],
    grid: &ChunkGrid,
    resolved: &Resolved<'_>,
) -> Result<()> {
    let chunks = match resolved {
        Resolved::Slab(axes) => slab_steps(plan, dataset, chunk_dims, grid, axes)?,
        Resolved::Points(points) => point_steps(dataset, chunk_dims, grid, points)?,
    };
    plan.steps = Steps::Chunks { dims: chunk_dims.into(), chunks };
    Ok(())
}

fn slab_steps(
    plan: &mut ReadPlan,
    dataset: &DatasetInner,
    chunk_dims: &[u64],
    grid: &ChunkGrid,
    axes: &[Axis],
) -> Result<Vec<ChunkStep>> {
    // Before anything is allocated for them: a few bytes of the file can claim any number of chunks.
    check_count(axes.iter().zip(chunk_dims).map(|(axis, &dim)| pieces_of_range(axis, dim)))?;
    plan.pieces = axes.iter().zip(chunk_dims).map(|(axis, &dim)| cut(axis, dim)).collect();
    let count = check_count(plan.pieces.iter().map(|pieces| pieces.len() as u64))?;
    let region: SmallVec<[(u64, u64); 4]> =
        plan.pieces.iter().map(|pieces| (pieces[0].chunk, pieces[pieces.len() - 1].chunk + 1)).collect();
    let map = dataset.locate(&region)?;
    let mut chunks = Vec::with_capacity(count as usize);
    let mut which: SmallVec<[u32; 4]> = smallvec![0; plan.pieces.len()];
    for _ in 0..count {
        let coordinates = which.iter().zip(&plan.pieces).map(|(&i, pieces)| pieces[i as usize].chunk);
        let number = grid.number(coordinates);
        chunks.push(step(dataset, grid, &map, number, Part::Product(which.clone())));
        advance(&mut which, &plan.pieces);
    }
    Ok(chunks)
}

/// How many chunks the pieces of all axes touch, if that is not too many.
fn check_count(pieces: impl Iterator<Item = u64>) -> Result<u64> {
    let count = pieces.fold(1u64, |count, pieces| count.saturating_mul(pieces));
    if count > CHUNKS_MAX {
        return Err(Error::invalid(format!("the selection touches {count} chunks, more than {CHUNKS_MAX}"))
            .hint("read it in parts"));
    }
    Ok(count)
}

/// Counts up like an odometer, the last axis fastest.
fn advance(which: &mut [u32], pieces: &[Pieces]) {
    for axis in (0..which.len()).rev() {
        which[axis] += 1;
        if (which[axis] as usize) < pieces[axis].len() {
            return;
        }
        which[axis] = 0;
    }
}

/// Points are grouped by chunk, so that each chunk is decoded once however the points are ordered.
fn point_steps(
    dataset: &DatasetInner,
    chunk_dims: &[u64],
    grid: &ChunkGrid,
    points: &Points,
) -> Result<Vec<ChunkStep>> {
    let mut region: SmallVec<[(u64, u64); 4]> = smallvec![(u64::MAX, 0); points.rank];
    let mut placed: Vec<(u64, u64, u64)> = Vec::with_capacity(points.len());
    for (out, point) in points.coordinates.chunks(points.rank).enumerate() {
        for (axis, (&index, &dim)) in point.iter().zip(chunk_dims).enumerate() {
            let (start, end) = region[axis];
            region[axis] = (start.min(index / dim), end.max(index / dim + 1));
        }
        let number = grid.number(point.iter().zip(chunk_dims).map(|(index, dim)| index / dim));
        let inner: SmallVec<[u64; 4]> =
            point.iter().zip(chunk_dims).map(|(index, dim)| index % dim).collect();
        placed.push((number, row_major(&inner, chunk_dims), out as u64));
    }
    placed.sort_unstable();
    let map = dataset.locate(&region)?;
    let steps = placed.chunk_by(|a, b| a.0 == b.0).map(|group| {
        let run = Run::Odd(group.iter().map(|&(_, inner, out)| (inner, out)).collect());
        step(dataset, grid, &map, group[0].0, Part::Points(run))
    });
    Ok(steps.collect())
}

fn step(dataset: &DatasetInner, grid: &ChunkGrid, map: &Arc<ChunkMap>, number: u64, part: Part) -> ChunkStep {
    let location = map.get(number);
    ChunkStep { number, part, location, is_raw: dataset.is_raw(grid, number) }
}

fn row_major(point: &[u64], dims: &[u64]) -> u64 {
    point.iter().zip(dims).fold(0, |number, (index, dim)| number * dim + index)
}
