//! Reads a selection of an array: plans it, and does what the plan says.

use super::convert::Conversion;
use super::place::repeat;
use super::target::Target;
use super::{ahead, chunked, raw};
use crate::Result;
use crate::array::Array;
use crate::plan::{ReadPlan, Steps};
use crate::selection::{Measured, Parts};

/// Reads what is wanted of an array, whole elements or parts of each, into `target`, which must have room for all of
/// it. Elements of a virtual array become the fill value.
pub(crate) fn read(
    array: &Array,
    wanted: Measured<'_>,
    parts: Option<&Parts>,
    target: Target<'_>,
    conversion: Conversion,
) -> Result<()> {
    ReadPlan::for_each(array, wanted, parts, |plan| carry_out(array, &plan, target, conversion))
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
