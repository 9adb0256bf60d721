//! Bringing the elements of a virtual dataset from their sources.

use super::batches::{Batch, for_each_batch};
use super::{Part, VirtualData, operation};
use crate::dataset::DatasetInner;
use crate::memory::zeroed;
use crate::number::Converter;
use crate::read::convert::Conversion;
use crate::read::place::Copies;
use crate::read::target::Target;
use crate::selection::intersect::may_intersect;
use crate::selection::{Region, Resolved, Run, encoded};
use crate::{Axis, Dataset, Error, Order, Result, Selection};
use hyperslab_format::message::{ByteOrder, Class, Datatype};
use hyperslab_format::selection::EncodedSelection;

/// Reads a selection of a virtual dataset. The target holds the fill value already.
pub(crate) fn read(
    virtual_data: &VirtualData,
    dataset: &DatasetInner,
    selection: &Selection,
    shape: &[u64],
    target: Target<'_>,
    conversion: Conversion,
) -> Result<()> {
    operation::deeper(|| {
        let wanted = Wanted::new(selection.resolve(&dataset.array.shape)?);
        virtual_data.for_each_part(&dataset.node.file, &dataset.array.shape, &wanted, |part| {
            let from_source = FromSource::new(dataset, &part.dataset, conversion)?;
            for_each_batch(&part, wanted.resolved(), shape, &mut |batch| {
                bring(&part, batch, dataset.array.element.bytes, target, &from_source)
            })
        })
    })
}

/// Reads what a batch wants of a source, and puts it into its places.
fn bring(
    part: &Part,
    batch: &Batch<'_>,
    element_bytes: usize,
    target: Target<'_>,
    from_source: &FromSource,
) -> Result<()> {
    let source = &part.dataset;
    batch.selection.resolve(source.shape()).map_err(|error| {
        let what = format!("the virtual dataset maps elements that its source does not have: {error}");
        source.inner.named(Error::damaged(what))
    })?;
    let source_dims: Vec<u64> = batch.runs.iter().map(Run::len).collect();
    let runs: Vec<&Run> = batch.runs.iter().collect();
    let copies = Copies::new(&runs, &source_dims, batch.dims, element_bytes)?;
    let conversion = from_source.then;
    if let Some(converter) = &from_source.converter {
        let stored = read_source(source, || source.read_bytes(&batch.selection, Order::File))?;
        let elements = (stored.len() / source.inner.array.element.bytes.max(1)) as u64;
        let mut converted = zeroed(elements.checked_mul(element_bytes as u64))?;
        converter.convert(&stored, &mut converted);
        return copies.run(&converted, 0, target, conversion);
    }
    if copies.is_single() {
        let place = copies.target_start..copies.target_end();
        target.check(place.clone())?;
        // SAFETY: checked; one batch after the other is brought, and the source writes to nothing else.
        let place = unsafe { target.slice_mut(place.start, place.len()) };
        read_source(source, || source.read_into(&batch.selection, Order::File, place))?;
        conversion.in_place(place);
        return Ok(());
    }
    let bytes = read_source(source, || source.read_bytes(&batch.selection, Order::File))?;
    copies.run(&bytes, 0, target, conversion)
}

fn read_source<T>(source: &Dataset, read: impl FnOnce() -> T) -> T {
    if source.inner.array.storage.is_virtual() { read() } else { operation::aside(read) }
}

/// The elements that are wanted of a virtual dataset.
pub(super) struct Wanted<'a> {
    resolved: Resolved<'a>,
    /// The first and the last index along each axis; `None` where nothing is wanted.
    bounds: Option<Vec<(u64, u64)>>,
}

impl<'a> Wanted<'a> {
    fn new(resolved: Resolved<'a>) -> Self {
        let bounds = match &resolved {
            Resolved::Slab(axes) => axes.iter().map(Axis::bounds).collect(),
            Resolved::Points(points) => (0..points.rank)
                .map(|axis| {
                    let along = || points.coordinates.iter().skip(axis).step_by(points.rank).copied();
                    Some((along().min()?, along().max()?))
                })
                .collect(),
        };
        Self { resolved, bounds }
    }

    fn resolved(&self) -> &Resolved<'a> {
        &self.resolved
    }

    /// The first and the last index along an axis.
    pub(super) fn span(&self, axis: usize) -> Option<(u64, u64)> {
        self.bounds.as_ref()?.get(axis).copied()
    }

    /// False where surely nothing of these elements is wanted, by their first and last indexes.
    pub(super) fn meets_bounds(&self, target: &EncodedSelection) -> bool {
        let Some(wanted) = &self.bounds else { return false };
        let Some((first, last)) = encoded::bounds(target) else { return true };
        let mut axes = wanted.iter().zip(first.iter().zip(&last));
        axes.all(|(wanted, (first, last))| wanted.0 <= *last && *first <= wanted.1)
    }

    /// False where surely nothing of this region is wanted.
    pub(super) fn touches(&self, target: &Region) -> bool {
        let Region::Product(mapped) = target else { return true };
        match &self.resolved {
            Resolved::Points(points) => {
                points.coordinates.chunks(points.rank.max(1)).any(|point| target.number(point).is_some())
            }
            Resolved::Slab(axes) => axes.iter().zip(mapped).all(|(axis, mapped)| may_intersect(axis, mapped)),
        }
    }
}

/// How elements of a source become those of the virtual dataset, as the caller wants them.
struct FromSource {
    /// Into the datatype of the virtual dataset, where the source has another one; swapping alone is left to `then`.
    converter: Option<Converter>,
    /// Into the byte order that is wanted.
    then: Conversion,
}

impl FromSource {
    fn new(dataset: &DatasetInner, source: &Dataset, wanted: Conversion) -> Result<Self> {
        let (own, other) = (dataset.datatype(), source.datatype());
        let is_elsewhere = source.inner.node.file.data.id != dataset.node.file.data.id;
        if is_elsewhere && (own.is_variable() || own.contains_reference()) {
            let what = format!("elements of the source {} ({other}) refer to their own file", source.path());
            return Err(Error::unsupported(what).hint("read the source itself"));
        }
        if own.size == other.size && own.class == other.class {
            return Ok(Self { converter: None, then: wanted });
        }
        if is_swapped(own, other) {
            let then = match wanted {
                Conversion::None => Conversion::Swap { width: own.size as usize },
                Conversion::Swap { .. } => Conversion::None,
            };
            return Ok(Self { converter: None, then });
        }
        let converter = Converter::new(other, own).ok_or_else(|| {
            let what = format!("the source {} holds {other}, the virtual dataset {own}", source.path());
            Error::unsupported(what).hint("read the source itself")
        })?;
        Ok(Self { converter: Some(converter), then: wanted })
    }
}

/// True where two datatypes of numbers differ in their byte order alone. As in libhdf5 this swaps signed integers into
/// unsigned ones, too, without clipping them: -1 becomes the largest.
fn is_swapped(own: &Datatype, other: &Datatype) -> bool {
    let orders =
        |a, b| matches!((a, b), (ByteOrder::Little, ByteOrder::Big) | (ByteOrder::Big, ByteOrder::Little));
    own.size == other.size
        && matches!(own.size, 2 | 4 | 8 | 16)
        && match (&own.class, &other.class) {
            (Class::Integer(own), Class::Integer(other)) => {
                let mut same = other.clone();
                (same.order, same.signed) = (own.order, own.signed);
                orders(own.order, other.order) && same == *own
            }
            (Class::Float(own), Class::Float(other)) => {
                let mut same = other.clone();
                same.order = own.order;
                orders(own.order, other.order) && same == *own
            }
            _ => false,
        }
}
