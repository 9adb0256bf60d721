//! The selection of a region reference, as a selection of its dataset.

use super::Selected;
use crate::errors;
use hyperslab::Selection;
use pyo3::prelude::*;

/// The selection that a region reference encodes, for a dataset of this shape.
pub fn region(encoded: &[u8], dims: &[u64]) -> PyResult<Selected> {
    let selection = Selection::from_region_reference(encoded, dims).map_err(errors::raise)?;
    let shape = selection.shape(dims).into_iter().map(|size| size as isize).collect();
    Ok(Selected { selection, shape })
}
