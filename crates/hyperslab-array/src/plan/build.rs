//! Planning: from a selection and an array to a plan, or to several plans if very many chunks are touched.

use super::chunks::Planner;
use super::{CacheView, ChunkElements, Dims, ReadPlan, Steps, raw};
use crate::array::{Array, Chunked, DataSource, Storage};
use crate::chunk::grid::ChunkNumber;
use crate::chunk::map::ChunkMap;
use crate::selection::cut::{ChunkRuns, chunk_runs_max, cut, halve};
use crate::selection::{Axis, FieldSubset, Measured, Points, Resolved, Run};
use crate::{Error, Result};
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;
use std::sync::Arc;

/// The most chunks in a plan; larger reads have several plans, one after the other. A few bytes of a file can claim any
/// number of chunks, and nothing may be allocated for all of them.
const CHUNKS_MAX: u64 = 1 << 17;

/// Part of a slab: axes, and where each begins in the output.
type Window<'a> = (Cow<'a, [Axis]>, Dims);

impl ReadPlan {
    /// Plans the read of what is wanted and hands over the plans, which together are the read. A virtual array is the
    /// fill value; each of its parts is a plan of the array that it lies in.
    pub(crate) fn for_each(
        array: &Array,
        wanted: Measured<'_>,
        parts: Option<&FieldSubset>,
        view: CacheView,
        mut each: impl FnMut(&ReadPlan) -> Result<()>,
    ) -> Result<()> {
        let mut plan = ReadPlan {
            shape: wanted.shape,
            element_bytes: array.element.bytes,
            parts: parts.cloned(),
            pieces: SmallVec::new(),
            steps: Steps::Nothing,
        };
        let bytes = wanted.count.checked_mul(plan.element_bytes as u64);
        if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            return Err(Error::invalid(format!(
                "a result of shape {:?} does not fit this machine",
                plan.shape
            )));
        }
        if wanted.count == 0 || plan.wanted_bytes() == 0 {
            return each(&plan);
        }
        let plan = &mut plan;
        match (&array.storage, wanted.elements) {
            (Storage::Chunked(chunked), Resolved::Points(points)) => {
                point_plans(plan, chunked, points, view, &mut each)
            }
            (Storage::Chunked(chunked), Resolved::Slab(axes)) => {
                let outs = smallvec![0; axes.len()];
                windows((axes, outs), &chunked.shape, &mut |window| {
                    slab_plans(plan, chunked, window, view, &mut each)
                })
            }
            (
                Storage::Contiguous { data, base: Some(base), record_bytes: Some(record_bytes) },
                Resolved::Points(points),
            ) if points.rank > 0 => {
                check_records(array, *base, *record_bytes)?;
                for (record, points) in points_of_records(&array.shape, points) {
                    let base = base + record * record_bytes;
                    let mut dims = Dims::from(array.shape.as_slice());
                    dims[0] = 1;
                    let contiguous =
                        ContiguousData { data, base, record_bytes: None, dims, points: Some(points) };
                    contiguous_plans(plan, contiguous, view, &mut each)?;
                }
                Ok(())
            }
            (_, resolved) => whole_plans(plan, array, &resolved, view, &mut each),
        }
    }
}

/// Divides a slab into halves, along the axis that touches most chunks, until each half touches few enough.
fn windows(
    (axes, outs): Window<'_>,
    chunk_dims: &[u64],
    each: &mut impl FnMut(&Window<'_>) -> Result<()>,
) -> Result<()> {
    let pieces = |axis: usize| chunk_runs_max(&axes[axis], chunk_dims[axis]);
    let fits = |of: &dyn Fn(usize) -> u64| {
        (0..axes.len()).fold(1u64, |product, axis| product.saturating_mul(of(axis))) <= CHUNKS_MAX
    };
    // A read of few elements touches few chunks, which is known without a division.
    if fits(&|axis| axes[axis].len()) || fits(&pieces) {
        return each(&(axes, outs));
    }
    let widest = (0..axes.len()).max_by_key(|&axis| pieces(axis)).unwrap_or(0);
    let Some((head, tail, before)) = halve(&axes[widest], chunk_dims[widest]) else {
        return each(&(axes, outs));
    };
    let (mut first, mut second) = (axes.to_vec(), axes.into_owned());
    first[widest] = head;
    second[widest] = tail;
    let mut second_outs = outs.clone();
    second_outs[widest] += before;
    windows((Cow::Owned(first), outs), chunk_dims, each)?;
    windows((Cow::Owned(second), second_outs), chunk_dims, each)
}

/// The plans for a layout of one piece.
fn whole_plans(
    plan: &mut ReadPlan,
    array: &Array,
    resolved: &Resolved<'_>,
    view: CacheView,
    each: &mut impl FnMut(&ReadPlan) -> Result<()>,
) -> Result<()> {
    let dims = array.shape.as_slice();
    let points = match resolved {
        Resolved::Slab(axes) => {
            plan.pieces = axes.iter().zip(dims).map(|(axis, &dim)| cut(axis, dim.max(1), 0)).collect();
            None
        }
        Resolved::Points(points) => {
            let numbers = points.coordinates.chunks(points.rank.max(1)).enumerate();
            let mut pairs: Vec<_> =
                numbers.map(|(out, point)| (row_major(point, dims), out as u64)).collect();
            // In the order of the file, so that near points share requests.
            pairs.sort_unstable();
            Some(Run::Scattered(pairs))
        }
    };
    let dims: Dims = dims.into();
    plan.steps = match &array.storage {
        Storage::Compact { data } => Steps::Compact { data: data.clone(), dims, points },
        Storage::Contiguous { data, base: Some(base), record_bytes } => {
            let record_bytes = record_bytes.map(|bytes| check_records(array, *base, bytes)).transpose()?;
            let contiguous = ContiguousData { data, base: *base, record_bytes, dims, points };
            return contiguous_plans(plan, contiguous, view, each);
        }
        Storage::External { data } => {
            let contiguous = ContiguousData { data, base: 0, record_bytes: None, dims, points };
            return contiguous_plans(plan, contiguous, view, each);
        }
        _ => Steps::Fill,
    };
    each(plan)
}

/// The location of contiguous data and, for points, the wanted elements.
struct ContiguousData<'a> {
    data: &'a Arc<DataSource>,
    base: u64,
    record_bytes: Option<usize>,
    dims: Dims,
    points: Option<Run>,
}

/// The plans for a contiguous array.
fn contiguous_plans(
    plan: &mut ReadPlan,
    contiguous: ContiguousData<'_>,
    view: CacheView,
    each: &mut impl FnMut(&ReadPlan) -> Result<()>,
) -> Result<()> {
    let ContiguousData { data, base, record_bytes, dims, points } = contiguous;
    let copies = plan.whole_copies(&dims, points.as_ref(), record_bytes)?;
    let mut is_first = true;
    let last = raw::batches(&copies, data.source.advice(), |batch| {
        is_first = false;
        let requests = raw::steps(data, base, &batch, false, view);
        let (data, dims, points) = (data.clone(), dims.clone(), points.clone());
        each(&plan.with_steps(Steps::Contiguous { data, base, record_bytes, dims, points, requests }))
    })?;
    drop(copies);
    let requests = raw::steps(data, base, &last, is_first, view);
    plan.steps = Steps::Contiguous { data: data.clone(), base, record_bytes, dims, points, requests };
    each(plan)
}

/// The bytes from one record to the next, checked: all records are within 64 bits, and a row of them within the
/// machine's address space.
fn check_records(array: &Array, base: u64, record_bytes: u64) -> Result<usize> {
    let (records, inner) = array.shape.split_first().unwrap_or((&1, &[]));
    let row = inner.iter().try_fold(array.element.bytes as u64, |bytes, &dim| bytes.checked_mul(dim));
    let before_last = records.saturating_sub(1).checked_mul(record_bytes);
    let len = before_last.zip(row).and_then(|(before, row)| before.checked_add(row));
    let end = len.filter(|&len| isize::try_from(len).is_ok()).and_then(|len| len.checked_add(base));
    match (end, usize::try_from(record_bytes)) {
        (Some(_), Ok(bytes)) => Ok(bytes),
        _ => Err(Error::damaged(format!("{records} records of {record_bytes} bytes overflow 64 bits"))),
    }
}

/// Points by their records, each with its place inside of the record and in the output, in the order of the file.
fn points_of_records(dims: &[u64], points: &Points) -> Vec<(u64, Run)> {
    let within = |point: &[u64], out: usize| (point[0], row_major(&point[1..], &dims[1..]), out as u64);
    let coordinates = points.coordinates.chunks(points.rank).enumerate();
    let mut placed: Vec<_> = coordinates.map(|(out, point)| within(point, out)).collect();
    placed.sort_unstable();
    let of_record = |group: &[(u64, u64, u64)]| {
        (group[0].0, Run::Scattered(group.iter().map(|&(_, inner, out)| (inner, out)).collect()))
    };
    placed.chunk_by(|a, b| a.0 == b.0).map(of_record).collect()
}

/// The plans for the chunks of a window.
fn slab_plans(
    plan: &mut ReadPlan,
    chunked: &Arc<Chunked>,
    (axes, outs): &Window<'_>,
    view: CacheView,
    each: &mut impl FnMut(&ReadPlan) -> Result<()>,
) -> Result<()> {
    let cuts = axes.iter().zip(&chunked.shape).zip(outs);
    plan.pieces = cuts.map(|((axis, &dim), &out)| cut(axis, dim, out)).collect();
    let pieces = &plan.pieces;
    let region: SmallVec<[(u64, u64); 4]> =
        pieces.iter().map(|pieces| (pieces[0].chunk, pieces[pieces.len() - 1].chunk + 1)).collect();
    let map = chunked.locate(&region)?;
    let count: usize = pieces.iter().map(|pieces| pieces.len()).product();
    if count == 1
        && view == CacheView::Use
        && let Some(steps) = inside_raw_chunk(plan, chunked, &map)?
    {
        plan.steps = steps;
        return each(plan);
    }
    let mut planner = Planner::new(plan, chunked, view, count, &mut *each);
    let mut which: SmallVec<[u32; 4]> = smallvec![0; plan.pieces.len()];
    for _ in 0..count {
        let coordinates = which.iter().zip(&plan.pieces).map(|(&i, pieces)| pieces[i as usize].chunk);
        let number = chunked.grid.number(coordinates);
        planner.push(&map, number, ChunkElements::Product(which.clone()))?;
        advance(&mut which, &plan.pieces);
    }
    let steps = planner.take()?;
    plan.steps = steps;
    each(plan)
}

/// The steps of a read of one stretch of bytes inside an unfiltered chunk, which is a contiguous array for it. Programs
/// make thousands of such reads, and a plan of chunks takes longer to make than the bytes to copy. The requests are those
/// of a plan of chunks. `None` where the read is another one, or the chunk too short.
fn inside_raw_chunk(plan: &ReadPlan, chunked: &Arc<Chunked>, map: &ChunkMap) -> Result<Option<Steps>> {
    let number = chunked.grid.number(plan.pieces.iter().map(|pieces| pieces[0].chunk));
    let Some(location) = map.get(number).filter(|_| chunked.is_raw(number)) else { return Ok(None) };
    let dims = Dims::from(chunked.shape.as_slice());
    let copies = plan.whole_copies(&dims, None, None)?;
    if !copies.is_single() || location.stored_bytes < copies.source_end() as u64 {
        return Ok(None);
    }
    let (data, base) = (&chunked.data, location.address);
    let mut batch = raw::Batch::new();
    raw::requests(&copies, data.source.advice(), &mut |request| batch.push(request));
    let requests = raw::steps(data, base, &batch, true, CacheView::Use);
    drop(copies);
    Ok(Some(Steps::Contiguous { data: data.clone(), base, record_bytes: None, dims, points: None, requests }))
}

/// Counts up like an odometer, the last axis fastest.
fn advance(which: &mut [u32], pieces: &[ChunkRuns]) {
    for axis in (0..which.len()).rev() {
        which[axis] += 1;
        if (which[axis] as usize) < pieces[axis].len() {
            return;
        }
        which[axis] = 0;
    }
}

/// Points are grouped by chunk, so that each chunk is decoded once however the points are ordered.
fn point_plans(
    plan: &mut ReadPlan,
    chunked: &Arc<Chunked>,
    points: &Points,
    view: CacheView,
    each: &mut impl FnMut(&ReadPlan) -> Result<()>,
) -> Result<()> {
    let chunk_dims = &chunked.shape;
    let mut region: SmallVec<[(u64, u64); 4]> = smallvec![(u64::MAX, 0); points.rank];
    let mut placed: Vec<(ChunkNumber, u64, u64)> = Vec::with_capacity(points.len());
    for (out, point) in points.coordinates.chunks(points.rank).enumerate() {
        for (axis, (&index, &dim)) in point.iter().zip(chunk_dims).enumerate() {
            let (start, end) = region[axis];
            region[axis] = (start.min(index / dim), end.max(index / dim + 1));
        }
        let number = chunked.grid.number(point.iter().zip(chunk_dims).map(|(index, dim)| index / dim));
        let inner: SmallVec<[u64; 4]> =
            point.iter().zip(chunk_dims).map(|(index, dim)| index % dim).collect();
        placed.push((number, row_major(&inner, chunk_dims), out as u64));
    }
    placed.sort_unstable();
    let map = chunked.locate(&region)?;
    let groups = || placed.chunk_by(|a, b| a.0 == b.0);
    let mut planner = Planner::new(plan, chunked, view, groups().count(), &mut *each);
    for group in groups() {
        let run = Run::Scattered(group.iter().map(|&(_, inner, out)| (inner, out)).collect());
        planner.push(&map, group[0].0, ChunkElements::Points(run))?;
    }
    let steps = planner.take()?;
    plan.steps = steps;
    each(plan)
}

fn row_major(point: &[u64], dims: &[u64]) -> u64 {
    point.iter().zip(dims).fold(0, |number, (index, dim)| number * dim + index)
}
