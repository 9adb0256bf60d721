//! Bringing the elements of a virtual dataset from their sources.

use super::region::{Region, axis};
use super::{Part, VirtualData, deeper, open_source};
use crate::dataset::DatasetInner;
use crate::read::convert::Conversion;
use crate::read::place::Copies;
use crate::read::target::Target;
use crate::selection::Resolved;
use crate::selection::grid::{Run, simplify};
use crate::{Axis, Dataset, Error, Order, Points, Result, Selection};

/// Reads a selection of a virtual dataset. The target holds the fill value already.
pub(crate) fn read(
    virtual_data: &VirtualData,
    dataset: &DatasetInner,
    selection: &Selection,
    shape: &[u64],
    target: Target<'_>,
    conversion: Conversion,
) -> Result<()> {
    deeper(|| read_parts(virtual_data, dataset, selection, shape, target, conversion))
}

fn read_parts(
    virtual_data: &VirtualData,
    dataset: &DatasetInner,
    selection: &Selection,
    shape: &[u64],
    target: Target<'_>,
    conversion: Conversion,
) -> Result<()> {
    let wanted = selection.resolve(dataset.dims())?;
    for part in virtual_data.parts(&dataset.file, dataset.dims(), |target| touches(target, &wanted))? {
        let Some((source_selection, pairs)) = meet(&part, &wanted) else { continue };
        let Some(source) = open_source(&dataset.file, &part.file, &part.dataset)? else { continue };
        check_datatype(dataset, &source)?;
        let bytes = source.read_bytes(&source_selection, Order::File)?;
        let source_dims: Vec<u64> = pairs.iter().map(Run::len).collect();
        let runs: Vec<&Run> = pairs.iter().collect();
        let copies = Copies::new(&runs, &source_dims, shape, dataset.element_bytes())?;
        copies.run(&bytes, 0, target, conversion)?;
    }
    Ok(())
}

/// False where surely nothing of this part is wanted.
fn touches(target: &Region, wanted: &Resolved<'_>) -> bool {
    let (Region::Product(target), Resolved::Slab(axes)) = (target, wanted) else { return true };
    axes.iter().zip(target).all(|(axis, mapped)| match axis {
        Axis::List(list) => list.iter().any(|index| mapped.binary_search(index).is_ok()),
        Axis::Range(range) => {
            let first = mapped.partition_point(|&index| index < range.start);
            range.last().is_some_and(|last| {
                mapped[first..]
                    .iter()
                    .take_while(|&&index| index <= last)
                    .any(|index| (index - range.start) % range.step == 0)
            })
        }
    })
}

/// Which elements of the source are wanted, and for each axis of the result (its places in what is read of the
/// source, its places in the result). `None` where nothing of this part is wanted.
fn meet(part: &Part, wanted: &Resolved<'_>) -> Option<(Selection, Vec<Run>)> {
    if let (Resolved::Slab(axes), Region::Product(target), Region::Product(source)) =
        (wanted, &part.target, &part.source)
        && corresponds(target, source)
        && axes.iter().zip(target).all(|(axis, mapped)| mapped.len() != 1 || matches!(axis, Axis::Range(_)))
    {
        return meet_axes(axes, target, source);
    }
    let mut pairs = Vec::new();
    let mut coordinates = Vec::new();
    let numbers = part.target.spelled();
    let mut add = |point: &[u64], out: u64| {
        let number =
            numbers.as_ref().map_or_else(|| part.target.number(point), |all| all.get(point).copied());
        if let Some(number) = number {
            pairs.push((pairs.len() as u64, out));
            coordinates.extend(part.source.element(number));
        }
    };
    let runs = |pairs: Vec<(u64, u64)>| vec![simplify(pairs)];
    match wanted {
        Resolved::Points(points) => {
            for (out, point) in points.coordinates.chunks(points.rank.max(1)).enumerate() {
                add(point, out as u64);
            }
        }
        Resolved::Slab(axes) => {
            let all = Region::Product(axes.iter().map(spell).collect());
            (0..all.len()).for_each(|out| add(&all.element(out), out));
        }
    }
    let rank = match &part.source {
        Region::Product(axes) => axes.len(),
        Region::Points { rank, .. } => *rank,
    };
    (!pairs.is_empty()).then(|| (Selection::Points(Points { rank, coordinates }), runs(pairs)))
}

/// True where, apart from axes of one index, both have the same sizes in the same order.
fn corresponds(target: &[Vec<u64>], source: &[Vec<u64>]) -> bool {
    let sizes =
        |axes: &[Vec<u64>]| -> Vec<usize> { axes.iter().map(Vec::len).filter(|&len| len != 1).collect() };
    sizes(target) == sizes(source)
}

fn meet_axes(wanted: &[Axis], target: &[Vec<u64>], source: &[Vec<u64>]) -> Option<(Selection, Vec<Run>)> {
    let mut runs = Vec::with_capacity(wanted.len());
    let mut kept: Vec<Vec<u64>> = Vec::new();
    for (axis, mapped) in wanted.iter().zip(target) {
        let mut pairs = Vec::new();
        let mut positions = Vec::new();
        for (out, index) in spell(axis).into_iter().enumerate() {
            if let Ok(position) = mapped.binary_search(&index) {
                pairs.push((pairs.len() as u64, out as u64));
                positions.push(position as u64);
            }
        }
        if pairs.is_empty() {
            return None;
        }
        runs.push(simplify(pairs));
        if mapped.len() != 1 {
            kept.push(positions);
        }
    }
    let mut kept = kept.into_iter();
    let axes = source.iter().map(|indexes| match indexes.len() {
        1 => axis(indexes.clone()),
        _ => axis(
            kept.next().unwrap_or_default().into_iter().map(|position| indexes[position as usize]).collect(),
        ),
    });
    Some((Selection::Slab(axes.collect()), runs))
}

fn spell(axis: &Axis) -> Vec<u64> {
    match axis {
        Axis::Range(range) => (0..range.count).map(|i| range.start + i * range.step).collect(),
        Axis::List(list) => list.clone(),
    }
}

fn check_datatype(dataset: &DatasetInner, source: &Dataset) -> Result<()> {
    let (own, other) = (dataset.datatype(), source.datatype());
    if own.size == other.size && own.class == other.class {
        return Ok(());
    }
    let what = format!("the source {} holds {other}, the virtual dataset {own}", source.path());
    Err(Error::unsupported(what).hint("read the source itself"))
}
