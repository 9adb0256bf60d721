//! Which elements of a source are wanted, and where in the result they go.
//!
//! Where source and target have the same shape, an axis of the result is an axis of the source, and nothing is listed
//! that can be computed. Otherwise the elements are listed, in batches, so that memory stays small.

use super::Part;
use super::blocks::Blocks;
use super::region::Region;
use crate::selection::Resolved;
use crate::selection::grid::{Run, simplify};
use crate::{Axis, Points, Range, Result, Selection};
use std::ops;

/// Listed elements of a batch.
const BATCH_ELEMENTS: usize = 1 << 18;
/// Axes whose indexes must be listed are cut into windows of this many.
const WINDOW: u64 = 1 << 20;

/// Elements to be read of a source, and their places in a result of these dimensions.
pub(super) struct Batch<'a> {
    pub(super) selection: Selection,
    pub(super) runs: Vec<Run>,
    pub(super) dims: &'a [u64],
}

type Bring<'b> = dyn FnMut(&Batch<'_>) -> Result<()> + 'b;

/// Hands over what is wanted of a part. `shape` is that of the result.
pub(super) fn meet(part: &Part, wanted: &Resolved<'_>, shape: &[u64], bring: &mut Bring<'_>) -> Result<()> {
    let mut listed = Listed::new(part, shape, bring);
    match (wanted, &part.target) {
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
            for window in windows(axes, target, &part.source) {
                let Some(met) = meet_axes(axes, target, &window) else { continue };
                match slab(&met, target, &part.source) {
                    Some((selection, runs)) => (listed.bring)(&Batch { selection, runs, dims: shape })?,
                    None => list_product(&met, target, shape, &mut listed)?,
                }
            }
            listed.flush()
        }
        (Resolved::Slab(axes), Region::Points { rank, coordinates }) => {
            for (number, point) in coordinates.chunks_exact(*rank).enumerate() {
                list_places(axes, shape, point, 0, &mut |out| listed.add(number as u64, out))?;
            }
            listed.flush()
        }
    }
}

/// Wanted indexes of one axis that a part has: their places in the result and their positions in the part.
enum Met {
    /// `count` places from `out` on, positions from `position` on, `step` apart.
    Even { out: u64, position: u64, step: u64, count: u64 },
    /// Pairs of a place and a position.
    Odd(Vec<(u64, u64)>),
}

impl Met {
    fn len(&self) -> u64 {
        match self {
            Met::Even { count, .. } => *count,
            Met::Odd(pairs) => pairs.len() as u64,
        }
    }

    fn pair(&self, i: u64) -> (u64, u64) {
        match self {
            Met::Even { out, position, step, .. } => (out + i, position + i * step),
            Met::Odd(pairs) => pairs[i as usize],
        }
    }

    fn run(&self) -> Run {
        match self {
            Met::Even { out, count, .. } => Run::Strided { inner: 0, step: 1, count: *count, out: *out },
            Met::Odd(pairs) => {
                simplify(pairs.iter().enumerate().map(|(i, pair)| (i as u64, pair.0)).collect())
            }
        }
    }

    fn indexes(&self, source: &Blocks) -> Axis {
        match self {
            Met::Even { position, step, count, .. } => source.at(*position, *step, *count),
            Met::Odd(pairs) => axis(pairs.iter().map(|pair| source.index(pair.1)).collect()),
        }
    }
}

/// The places of a range's indexes that lie in `first..=last`.
pub(super) fn places(range: &Range, first: u64, last: u64) -> ops::Range<u64> {
    let step = range.step.max(1);
    let start = first.saturating_sub(range.start).div_ceil(step);
    let end = last.checked_sub(range.start).map_or(0, |beyond| beyond / step + 1).min(range.count);
    start.min(end)..end
}

/// A window of places along one axis; all of them along the others.
struct Window {
    axis: usize,
    places: ops::Range<u64>,
}

/// Cuts the longest axis if its indexes must be listed.
fn windows(wanted: &[Axis], target: &[Blocks], source: &Region) -> impl Iterator<Item = Window> + use<> {
    let is_computed = target.iter().all(Blocks::is_span)
        && matches!(source, Region::Product(axes) if axes.iter().all(Blocks::is_even));
    let longest = (0..wanted.len()).max_by_key(|&axis| wanted[axis].len()).unwrap_or(0);
    let len = wanted.get(longest).map_or(1, Axis::len);
    // What a range wants of the part lies in a row.
    let all = match (wanted.get(longest), target.get(longest).and_then(Blocks::bounds)) {
        (Some(Axis::Range(range)), Some((first, last))) => places(range, first, last),
        _ => 0..len,
    };
    let size = if is_computed { len.max(1) } else { WINDOW };
    (0..(all.end - all.start).div_ceil(size)).map(move |i| {
        let start = all.start + i * size;
        Window { axis: longest, places: start..all.end.min(start.saturating_add(size)) }
    })
}

/// `None` where nothing of this window is in the part.
fn meet_axes(wanted: &[Axis], target: &[Blocks], window: &Window) -> Option<Vec<Met>> {
    let everything = 0..u64::MAX;
    let places = |axis: usize| if axis == window.axis { &window.places } else { &everything };
    (0..wanted.len()).map(|axis| meet_axis(&wanted[axis], &target[axis], places(axis))).collect()
}

fn meet_axis(wanted: &Axis, mapped: &Blocks, window: &ops::Range<u64>) -> Option<Met> {
    let (first, last) = mapped.bounds()?;
    let pairs: Vec<(u64, u64)> = match wanted {
        Axis::Range(range) => {
            let places = places(range, first, last);
            let places = places.start.max(window.start)..places.end.min(window.end);
            let index = |place: u64| range.start + place * range.step;
            if places.is_empty() {
                return None;
            }
            if mapped.is_span() {
                let (out, count) = (places.start, places.end - places.start);
                return Some(Met::Even { out, position: index(out) - first, step: range.step, count });
            }
            places.filter_map(|place| Some((place, mapped.position(index(place))?))).collect()
        }
        Axis::List(list) => {
            let places = window.start.min(list.len() as u64)..window.end.min(list.len() as u64);
            places.filter_map(|place| Some((place, mapped.position(list[place as usize])?))).collect()
        }
    };
    (!pairs.is_empty()).then_some(Met::Odd(pairs))
}

/// The part as a slab of its source; `None` where the shapes do not correspond.
fn slab(met: &[Met], target: &[Blocks], source: &Region) -> Option<(Selection, Vec<Run>)> {
    let Region::Product(source) = source else { return None };
    let sizes =
        |axes: &[Blocks]| -> Vec<u64> { axes.iter().map(Blocks::len).filter(|&len| len != 1).collect() };
    if sizes(target) != sizes(source) {
        return None;
    }
    // An axis of one index may have no counterpart in the source, but be wanted several times.
    if met.iter().zip(target).any(|(met, mapped)| mapped.len() == 1 && met.len() != 1) {
        return None;
    }
    let mut long = met.iter().zip(target).filter(|(_, mapped)| mapped.len() != 1).map(|(met, _)| met);
    let axes = source.iter().map(|axis| match axis.len() {
        1 => Some(axis.at(0, 1, 1)),
        _ => long.next().map(|met| met.indexes(axis)),
    });
    Some((Selection::Slab(axes.collect::<Option<_>>()?), met.iter().map(Met::run).collect()))
}

/// Lists the product of the axes.
fn list_product(met: &[Met], target: &[Blocks], shape: &[u64], listed: &mut Listed<'_, '_>) -> Result<()> {
    let total: u64 = met.iter().map(Met::len).product();
    for i in 0..total {
        let (mut rest, mut number, mut out) = (i, 0, 0);
        let (mut number_stride, mut out_stride) = (1, 1);
        for axis in (0..met.len()).rev() {
            let (place, position) = met[axis].pair(rest % met[axis].len());
            rest /= met[axis].len();
            number += position * number_stride;
            out += place * out_stride;
            number_stride *= target[axis].len();
            out_stride *= shape[axis];
        }
        listed.add(number, out)?;
    }
    Ok(())
}

/// Finds the places of one element, which lists may want several times.
fn list_places(
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
        Axis::Range(range) => {
            let places = places(range, *index, *index);
            if places.is_empty() {
                Ok(())
            } else {
                list_places(axes, shape, point, out * dim + places.start, add)
            }
        }
        Axis::List(list) => {
            let places = (0..).zip(list).filter(|(_, wanted)| *wanted == index);
            places
                .into_iter()
                .try_for_each(|(place, _)| list_places(axes, shape, point, out * dim + place, add))
        }
    }
}

/// Elements that are listed one by one, handed over in batches.
struct Listed<'p, 'b> {
    source: &'p Region,
    /// All elements of the result, as one axis.
    dims: [u64; 1],
    pairs: Vec<(u64, u64)>,
    coordinates: Vec<u64>,
    bring: &'p mut Bring<'b>,
}

impl<'p, 'b> Listed<'p, 'b> {
    fn new(part: &'p Part, shape: &[u64], bring: &'p mut Bring<'b>) -> Self {
        let dims = [shape.iter().product()];
        Self { source: &part.source, dims, pairs: Vec::new(), coordinates: Vec::new(), bring }
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
        let runs = vec![simplify(std::mem::take(&mut self.pairs))];
        (self.bring)(&Batch { selection, runs, dims: &self.dims })
    }
}

/// Indexes as an axis of a selection, evenly spaced if they are.
fn axis(indexes: Vec<u64>) -> Axis {
    let (start, count) = (indexes.first().copied().unwrap_or(0), indexes.len() as u64);
    let step = match indexes.get(1) {
        None => 1,
        Some(second) => second.saturating_sub(start),
    };
    let even = step > 0 && indexes.windows(2).all(|pair| pair[0].checked_add(step) == Some(pair[1]));
    if even { Axis::Range(Range { start, count, step }) } else { Axis::List(indexes) }
}
