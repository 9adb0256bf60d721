//! Reads a selection of an array: plans it, and does what the plan says.

use super::convert::Conversion;
use super::place::repeat;
use super::target::Target;
use super::{ahead, chunked, raw, virtual_array};
use crate::array::{Array, Operation, Order, Storage};
use crate::memory::zeroed;
use crate::plan::{ReadPlan, Steps};
use crate::selection::Parts;
use crate::{Error, Result, Selection};

/// Reads a selection of an array, whole elements or parts of each, into `out`, which must have exactly as many bytes
/// as the result.
pub(crate) fn read(
    array: &Array,
    selection: &Selection,
    order: Order,
    parts: Option<&Parts>,
    out: &mut [u8],
    operation: &Operation,
) -> Result<()> {
    let conversion = || array.conversion(order);
    let Some(parts) = parts else {
        // What nothing is read of need not be convertible.
        let conversion = if out.is_empty() { Conversion::None } else { conversion()? };
        return read_whole(array, selection, conversion, out, operation);
    };
    let wanted = array.measure(selection)?;
    check_len(wanted.count, parts.bytes(), out)?;
    if out.is_empty() {
        return Ok(());
    }
    if parts.run.is_none() || array.storage.is_virtual() {
        let mut elements = zeroed(wanted.count.checked_mul(array.element.bytes as u64))?;
        read_whole(array, selection, conversion()?, &mut elements, operation)?;
        parts.gather(&elements, out);
        return Ok(());
    }
    let (conversion, target) = (conversion()?, Target::new(out));
    ReadPlan::for_each(array, wanted, Some(parts), |plan| carry_out(array, &plan, target, conversion))
}

/// Reads whole elements of a selection into `out`, which must have exactly as many bytes as the result.
pub(super) fn read_whole(
    array: &Array,
    selection: &Selection,
    conversion: Conversion,
    out: &mut [u8],
    operation: &Operation,
) -> Result<()> {
    let wanted = array.measure(selection)?;
    check_len(wanted.count, array.element.bytes, out)?;
    if out.is_empty() {
        return Ok(());
    }
    let target = Target::new(out);
    let sources = match &array.storage {
        Storage::Virtual(sources) => Some((sources, wanted.shape.clone())),
        _ => None,
    };
    // Elements of a virtual array become the fill value.
    ReadPlan::for_each(array, wanted, None, |plan| carry_out(array, &plan, target, conversion))?;
    sources.map_or(Ok(()), |(sources, shape)| {
        virtual_array::read(array, &**sources, selection, &shape, target, conversion, operation)
    })
}

fn check_len(count: u64, element_bytes: usize, out: &[u8]) -> Result<()> {
    let needed = count.saturating_mul(element_bytes as u64);
    if needed == out.len() as u64 {
        return Ok(());
    }
    Err(Error::invalid(format!("the result has {needed} bytes, the buffer {}", out.len())))
}

fn carry_out(array: &Array, plan: &ReadPlan, target: Target<'_>, conversion: Conversion) -> Result<()> {
    match &plan.steps {
        Steps::Nothing => Ok(()),
        Steps::Fill => {
            // Which elements are selected does not matter: all of them have the same value.
            let element = array.fill_element(conversion, plan.parts.as_ref());
            target.check(0..plan.result_bytes() as usize)?;
            // SAFETY: checked; nobody else writes.
            repeat(&element, unsafe { target.slice_mut(0, plan.result_bytes() as usize) });
            Ok(())
        }
        Steps::Compact { data, dims, points } => {
            plan.whole_copies(dims, points.as_ref())?.run(data, 0, target, conversion)
        }
        Steps::Contiguous { data, base, dims, points } => {
            let copies = plan.whole_copies(dims, points.as_ref())?;
            raw::read(data, *base, &copies, target, conversion)
        }
        Steps::Chunks { chunked, chunks } => {
            match chunks.as_slice() {
                [only] => ahead::follow(chunked, only),
                several => ahead::pass(chunked, several),
            }
            chunked::read(array, chunked, plan, chunks, target, conversion)
        }
    }
}
