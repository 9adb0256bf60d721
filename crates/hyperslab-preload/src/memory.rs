//! Where the elements of a read go in the program's memory.

use crate::api::Api;
use crate::functions::Hid;
use crate::selection::{self, ALL, BLOCK, Dims, Regular, SELECTED_ALL, SELECTED_HYPERSLABS};
use hyperslab::memory::Places;
use smallvec::SmallVec;

/// Where a read of this number of elements goes: `None` unless these are regular blocks. `is_all` is true if all elements of the dataset are
/// read.
pub fn places(api: &Api, space: Hid, elements: u64, element_bytes: usize, is_all: bool) -> Option<Places> {
    let space = api.id(space);
    let packed = Places::block(0, elements);
    match space {
        // The extent and the selection in the file.
        ALL => return is_all.then_some(packed),
        BLOCK if api.has_block_space() => return Some(packed),
        _ if !selection::is_dataspace(api, space) => return None,
        _ => {}
    }
    if selection::number(api, space) != Some(elements) {
        return None;
    }
    // SAFETY: a function of libhdf5 with the identifier of a dataspace.
    match unsafe { api.functions.sget_select_type?(space) } {
        SELECTED_ALL => return Some(packed),
        SELECTED_HYPERSLABS => {}
        _ => return None,
    }
    let extent = selection::extent(api, space).filter(|extent| !extent.is_empty())?;
    // Where it ends can be counted in bytes.
    if selection::volume(&extent)?.checked_mul(element_bytes as u64)? > isize::MAX as u64 {
        return None;
    }
    let (start, block) = selection::bounds(api, space, extent.len())?;
    // An offset may move the selection beyond the extent, which is an error of the call.
    let is_within = |axis: usize| start[axis].checked_add(block[axis]).is_some_and(|end| end <= extent[axis]);
    if !(0..extent.len()).all(is_within) {
        return None;
    }
    let blocks = if selection::volume(&block) == Some(elements) {
        let ones: Dims = SmallVec::from_elem(1, extent.len());
        Regular { start, step: ones.clone(), count: ones, block }
    } else {
        selection::regular(api, space, start)?
    };
    let Regular { start, step, count, block } = &blocks;
    Places::regular(&extent, [start, step, count, block])
}
