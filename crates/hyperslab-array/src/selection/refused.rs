//! Why a selection does not fit its array.

use crate::Error;

pub(super) fn rank_error(given: usize, dims: &[u64]) -> Error {
    Error::invalid(format!("the selection has {given} axes, the dataset has {}", dims.len()))
        .with_hint(format!("the dataset's shape is {dims:?}"))
}

pub(super) fn out_of_range(index: u64, axis: usize, dim: u64) -> Error {
    Error::invalid(format!("index {index} is out of range for axis {axis}, which has {dim} elements"))
}
