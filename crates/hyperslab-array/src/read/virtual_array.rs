//! Reading virtual arrays: the elements are read from their sources.

use super::call::Call;
use super::convert::Conversion;
use super::place::Copies;
use crate::array::{Array, ElementChange, Operation, VirtualPart, VirtualSources};
use crate::memory::zeroed;
use crate::selection::Run;
use crate::{Error, Result, Selection};

/// Reads whole elements of a source in their stored form. The source may be virtual itself.
pub(crate) type ReadSource<'r> = dyn Fn(&Array, &Selection, &mut [u8]) -> Result<()> + 'r;

/// A read of a virtual array.
pub(crate) struct VirtualRead<'a> {
    pub(crate) array: &'a Array,
    pub(crate) sources: &'a dyn VirtualSources,
    pub(crate) selection: &'a Selection,
    /// The sizes of the result.
    pub(crate) shape: &'a [u64],
    pub(crate) operation: &'a Operation,
}

/// Reads a selection of a virtual array; `read_source` reads the sources. The target must already contain the fill
/// value.
///
/// # Safety
/// Nobody else uses the target meanwhile.
pub(crate) unsafe fn read(
    read: &VirtualRead<'_>,
    call: Call<'_>,
    read_source: &ReadSource<'_>,
) -> Result<()> {
    let VirtualRead { array, sources, selection, shape, operation } = *read;
    operation.deeper(|| {
        sources.for_each_part(selection, shape, operation, &mut |part| {
            call.check_cancelled()?;
            // SAFETY: as promised to this function; one part is read after the other.
            unsafe { read_part(&part, array.element.bytes, call, read_source) }
        })
    })
}

/// Reads a part of a source, and places its elements.
///
/// # Safety
/// Nobody else uses the places of the part in the target meanwhile.
unsafe fn read_part(
    part: &VirtualPart<'_>,
    element_bytes: usize,
    call: Call<'_>,
    read_source: &ReadSource<'_>,
) -> Result<()> {
    let target = call.target;
    let VirtualPart { source, selection, dims, .. } = *part;
    selection.resolve(&source.shape).map_err(|error| {
        let what = format!("the virtual dataset maps elements that its source does not have: {error}");
        source.origin.located(Error::damaged(what))
    })?;
    let source_dims: Vec<u64> = part.runs.iter().map(Run::len).collect();
    let runs: Vec<&Run> = part.runs.iter().collect();
    let copies = Copies::new(&runs, &source_dims, dims, element_bytes)?;
    let conversion = match (part.change, call.conversion) {
        (ElementChange::Swap { width }, Conversion::None) => Conversion::Swap { width },
        (ElementChange::Swap { .. }, Conversion::Swap { .. }) => Conversion::None,
        (_, wanted) => wanted,
    };
    let read =
        |out: &mut [u8]| read_source(source, selection, out).map_err(|error| source.origin.located(error));
    let read_all = || -> Result<Vec<u8>> {
        let count = source.measure(selection)?.count;
        let mut elements = zeroed(count.checked_mul(source.element.bytes as u64))?;
        read(&mut elements).map(|()| elements)
    };
    if let ElementChange::Convert(converter) = part.change {
        let stored = read_all()?;
        let elements = (stored.len() / source.element.bytes.max(1)) as u64;
        let mut converted = zeroed(elements.checked_mul(element_bytes as u64))?;
        converter.convert(&stored, &mut converted);
        // SAFETY: as promised to this function.
        return unsafe { copies.run(&converted, 0, target, conversion) };
    }
    if copies.is_single() {
        let place = copies.target_start..copies.target_end();
        target.check(place.clone())?;
        // SAFETY: checked; nobody else uses it (promised).
        let place = unsafe { target.slice_mut(place.start, place.len()) };
        read(place)?;
        conversion.in_place(place);
        return Ok(());
    }
    let elements = read_all()?;
    // SAFETY: as promised to this function.
    unsafe { copies.run(&elements, 0, target, conversion) }
}
