//! The selection of a region reference, as a selection of its dataset.

use super::Selected;
use crate::errors;
use hyperslab::region_selection;
use pyo3::prelude::*;

/// The selection that a region reference encodes, for a dataset of this shape.
pub fn region(encoded: &[u8], dims: &[u64]) -> PyResult<Selected> {
    let selection = region_selection(encoded, dims).map_err(errors::raise)?;
    let shape = selection.shape(dims).into_iter().map(|size| size as isize).collect();
    Ok(Selected::points(selection, shape))
}
