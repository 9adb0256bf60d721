//! Which elements of a source are wanted, and their positions in the result.
//!
//! If source and target have the same shape, each axis of the result is an axis of the source; the overlap along an
//! axis is computed if both are regular. Otherwise the elements are listed, in batches, to limit the memory.

use super::resolved_mapping::ResolvedMapping;
use crate::{Axis, Blocks, Points, Result, Selection};
use hyperslab_array::selection::intersect::{intersect, is_computed, places_within};
use hyperslab_array::selection::{Region, Resolved, Run};
use std::ops::Range;

/// The most listed elements in a batch.
const BATCH_ELEMENTS: usize = 1 << 18;
/// An axis whose indexes must be listed is divided into windows of this many indexes.
const WINDOW: u64 = 1 << 20;

/// Elements to read from a source, and their positions in a result with the sizes `dims`.
pub(super) struct Batch<'a> {
    pub(super) selection: Selection,
    pub(super) runs: Vec<Run>,
    pub(super) dims: &'a [u64],
}

type ReadBatch<'b> = dyn FnMut(&Batch<'_>) -> Result<()> + 'b;

/// Calls `read` with the wanted elements of a mapping, in batches. `shape` is the shape of the result.
pub(super) fn for_each_batch(
    mapping: &ResolvedMapping,
    wanted: &Resolved<'_>,
    shape: &[u64],
    read: &mut ReadBatch<'_>,
) -> Result<()> {
    let mut listed = Listed::new(mapping, shape, read);
    match (wanted, &mapping.target) {
        (Resolved::Points(points), target) => {
            let numbers = target.numbers();
            for (out, point) in points.coordinates.chunks(points.rank.max(1)).enumerate() {
                if let Some(number) = target.number(point).or_else(|| numbers.get(point).copied()) {
                    listed.add(number, out as u64)?;
                }
            }
            listed.flush()
        }
        (Resolved::Slab(axes), Region::Product(target)) => {
            for window in windows(axes, target, &mapping.source) {
                let Some(shared) = shared(axes, target, &window) else { continue };
                match slab(&shared, target, &mapping.source) {
                    Some((selection, runs)) => (listed.read)(&Batch { selection, runs, dims: shape })?,
                    None => list_product(&shared, target, shape, &mut listed)?,
                }
            }
            listed.flush()
        }
        (Resolved::Slab(axes), Region::Points(points)) => {
            for (number, point) in points.coordinates.chunks_exact(points.rank).enumerate() {
                list_positions(axes, shape, point, 0, &mut |out| listed.add(number as u64, out))?;
            }
            listed.flush()
        }
    }
}

/// A range of positions in the result along one axis, and all positions along the others.
struct Window {
    axis: usize,
    positions: Range<u64>,
}

/// Divides the longest axis into windows if indexes must be listed.
fn windows(wanted: &[Axis], target: &[Blocks], source: &Region) -> impl Iterator<Item = Window> + use<> {
    let is_listed = wanted.iter().zip(target).any(|(wanted, mapped)| !is_computed(wanted, mapped));
    // The overlap is also regular in the source if either of them has no gaps, or if both are evenly spaced.
    let is_span = |axis: &Axis| matches!(axis, Axis::Blocks(blocks) if blocks.is_span());
    let is_even = |axis: &Axis| matches!(axis, Axis::Blocks(blocks) if blocks.step().is_some());
    let is_regular = match source {
        Region::Points(_) => false,
        Region::Product(axes) => {
            wanted.iter().all(is_span)
                || axes.iter().all(Blocks::is_span)
                || (wanted.iter().all(is_even) && axes.iter().all(|axis| axis.step().is_some()))
        }
    };
    let longest = (0..wanted.len()).max_by_key(|&axis| wanted[axis].len()).unwrap_or(0);
    // A scalar has one element.
    let all = wanted
        .get(longest)
        .zip(target.get(longest))
        .map_or(0..1, |(axis, mapped)| places_within(axis, mapped));
    let size = if is_listed || !is_regular { WINDOW } else { u64::MAX };
    (0..(all.end - all.start).div_ceil(size)).map(move |i| {
        let start = all.start + i * size;
        Window { axis: longest, positions: start..all.end.min(start.saturating_add(size)) }
    })
}

/// The overlap of the wanted indexes and the target along each axis: pairs of a position in the target and a position
/// in the result. `None` if there is no overlap in this window.
fn shared(wanted: &[Axis], target: &[Blocks], window: &Window) -> Option<Vec<Run>> {
    let positions = |axis: usize| if axis == window.axis { window.positions.clone() } else { 0..u64::MAX };
    (0..wanted.len()).map(|axis| intersect(&wanted[axis], &target[axis], positions(axis))).collect()
}

/// The overlap as a selection of the source with as many axes; `None` if source and target differ in shape.
fn slab(shared: &[Run], target: &[Blocks], source: &Region) -> Option<(Selection, Vec<Run>)> {
    let Region::Product(source) = source else { return None };
    let sizes =
        |axes: &[Blocks]| -> Vec<u64> { axes.iter().map(Blocks::len).filter(|&len| len != 1).collect() };
    if sizes(target) != sizes(source) {
        return None;
    }
    // The index of an axis of size 1, which may have no counterpart in the source, may be wanted several times.
    if shared.iter().zip(target).any(|(run, mapped)| mapped.len() == 1 && run.len() != 1) {
        return None;
    }
    let mut long = shared.iter().zip(target).filter(|(_, mapped)| mapped.len() != 1).map(|(run, _)| run);
    let axes = source.iter().map(|axis| match axis.len() {
        1 => Some(Axis::Blocks(*axis)),
        _ => long.next().map(|run| run.indexes_in(axis)),
    });
    Some((Selection::Slab(axes.collect::<Option<_>>()?), shared.iter().map(Run::renumbered).collect()))
}

/// Lists the elements of the product of the axes.
fn list_product(shared: &[Run], target: &[Blocks], shape: &[u64], listed: &mut Listed<'_, '_>) -> Result<()> {
    let total: u64 = shared.iter().map(Run::len).product();
    for i in 0..total {
        let (mut rest, mut number, mut out) = (i, 0, 0);
        let (mut number_stride, mut out_stride) = (1, 1);
        for axis in (0..shared.len()).rev() {
            let (position, in_result) = shared[axis].pair(rest % shared[axis].len());
            rest /= shared[axis].len();
            number += position * number_stride;
            out += in_result * out_stride;
            number_stride *= target[axis].len();
            out_stride *= shape[axis];
        }
        listed.add(number, out)?;
    }
    Ok(())
}

/// Calls `add` with every position of one element in the result. Lists may contain an index several times.
fn list_positions(
    axes: &[Axis],
    shape: &[u64],
    point: &[u64],
    out: u64,
    add: &mut impl FnMut(u64) -> Result<()>,
) -> Result<()> {
    let ([axis, axes @ ..], [dim, shape @ ..], [index, point @ ..]) = (axes, shape, point) else {
        return add(out);
    };
    match axis {
        Axis::Blocks(blocks) => match blocks.position(*index) {
            None => Ok(()),
            Some(position) => list_positions(axes, shape, point, out * dim + position, add),
        },
        Axis::List(list) => {
            let mut positions = (0..).zip(list).filter(|(_, wanted)| *wanted == index);
            positions
                .try_for_each(|(position, _)| list_positions(axes, shape, point, out * dim + position, add))
        }
    }
}

/// Elements that are listed one by one, and read in batches.
struct Listed<'p, 'b> {
    source: &'p Region,
    /// The number of elements of the result, as the size of a single axis.
    dims: [u64; 1],
    pairs: Vec<(u64, u64)>,
    coordinates: Vec<u64>,
    read: &'p mut ReadBatch<'b>,
}

impl<'p, 'b> Listed<'p, 'b> {
    fn new(mapping: &'p ResolvedMapping, shape: &[u64], read: &'p mut ReadBatch<'b>) -> Self {
        let dims = [shape.iter().product()];
        Self { source: &mapping.source, dims, pairs: Vec::new(), coordinates: Vec::new(), read }
    }

    fn add(&mut self, number: u64, out: u64) -> Result<()> {
        self.source.push_element(number, &mut self.coordinates);
        self.pairs.push((self.pairs.len() as u64, out));
        if self.pairs.len() < BATCH_ELEMENTS { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<()> {
        if self.pairs.is_empty() {
            return Ok(());
        }
        let coordinates = std::mem::take(&mut self.coordinates);
        let selection = Selection::Points(Points { rank: self.source.rank(), coordinates });
        let runs = vec![Run::listed(std::mem::take(&mut self.pairs))];
        (self.read)(&Batch { selection, runs, dims: &self.dims })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_must_be_listed_is_cut_into_windows() {
        let count =
            |wanted: Axis, target: Blocks, source: Region| windows(&[wanted], &[target], &source).count();
        let len = 3 * WINDOW;
        let span = Blocks::span(0, 4 * len);
        let even = Blocks::new(5, 3, 4 * len, 1).unwrap();
        let pairs = Blocks::new(5, 3, 2 * len, 2).unwrap();
        let product = |axis| Region::Product(vec![axis]);
        let every_other = || Axis::range(0, len, 2).unwrap();
        let blocks = || Axis::hyperslab(0, 4, len / 2, 2).unwrap();
        for source in [span, even, pairs] {
            assert_eq!(count(Axis::all(len), span, product(source)), 1, "adjacent indexes of {source:?}");
        }
        assert_eq!(count(every_other(), span, product(even)), 1);
        assert_eq!(count(every_other(), even, product(even)), 1);
        assert_eq!(count(blocks(), span, product(span)), 1);
        assert_eq!(count(every_other(), span, product(pairs)), 3);
        assert_eq!(count(blocks(), span, product(even)), 3);
        assert_eq!(count(blocks(), even, product(span)), 3);
        let list = Axis::List((0..len).collect());
        assert_eq!(count(list, span, product(span)), 3);
        let points = Region::Points(Points { rank: 1, coordinates: vec![1, 2] });
        assert_eq!(count(Axis::all(len), span, points), 3);
    }
}
