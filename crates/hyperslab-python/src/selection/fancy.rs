//! Lists of indexes, boolean masks, and blocks at equal distances.

use super::Selected;
use crate::array::Shape;
use crate::errors;
use hyperslab::{Axis, Points, Selection};
use numpy::{PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyRange, PyTuple};

/// A boolean array with the dataset's shape selects single elements into an array with one axis. Returns `None` if
/// `item` is not a boolean array, or is a mask of the first axis only.
pub fn mask(item: &Bound<'_, PyAny>, dims: &[u64]) -> PyResult<Option<Selected>> {
    let Ok(array) = item.cast::<PyUntypedArray>() else { return Ok(None) };
    if array.dtype().kind() != b'b' || array.ndim() == 0 {
        return Ok(None);
    }
    let same = |dims: &[u64]| array.shape().iter().map(|&size| size as u64).eq(dims.iter().copied());
    if !same(dims) {
        if array.ndim() == 1 && same(&dims[..1]) {
            return Ok(None);
        }
        return Err(errors::wrong_type("Boolean indexing array has incompatible shape"));
    }
    let bools = array.cast::<PyArrayDyn<bool>>()?.readonly();
    let mut coordinates = Vec::new();
    let mut point = vec![0; dims.len()];
    for &wanted in bools.as_array() {
        if wanted {
            coordinates.extend_from_slice(&point);
        }
        for (coordinate, &dim) in point.iter_mut().zip(dims).rev() {
            *coordinate += 1;
            if *coordinate < dim {
                break;
            }
            *coordinate = 0;
        }
    }
    let points = Points { rank: dims.len(), coordinates };
    let shape = Shape::from_slice(&[points.len() as isize]);
    let selection = match dims.len() {
        1 => Selection::Slab(vec![Axis::List(points.coordinates)]),
        _ => Selection::Points(points),
    };
    Ok(Some(Selected::points(selection, shape)))
}

/// Increasing indexes along one axis, or a boolean mask of it.
pub fn list(item: &Bound<'_, PyAny>, dim: u64, has_list: bool) -> PyResult<Vec<u64>> {
    let py = item.py();
    let asarray = crate::helper(py, "numpy", "asarray")?;
    // NumPy makes floats of an empty sequence.
    let is_empty = is_plain_sequence(item) && item.is_empty()?;
    let array = if is_empty { asarray.call1((item, "intp"))? } else { asarray.call1((item,))? };
    let array = array.cast::<PyUntypedArray>()?;
    if array.ndim() == 0 {
        return Err(errors::wrong_type(format!("Selection can't process {}", item.repr()?)));
    }
    if array.ndim() != 1 {
        return Err(errors::wrong_type("Only 1D arrays allowed for fancy indexing"));
    }
    if has_list {
        let what = "Only one indexing vector or array is currently allowed for fancy indexing";
        return Err(errors::wrong_type(what));
    }
    let indexes = match array.dtype().kind() {
        b'b' if array.len() as u64 != dim => {
            return Err(errors::wrong_type("boolean index did not match indexed array"));
        }
        b'b' => array.call_method0("nonzero")?.get_item(0)?,
        b'i' | b'u' => array.clone().into_any(),
        _ => return Err(errors::wrong_type("Indexing arrays must have integer dtypes")),
    };
    let unsigned = array.dtype().kind() == b'u';
    let indexes = indexes.call_method1("astype", (if unsigned { "u8" } else { "i8" },))?;
    if unsigned {
        let indexes = indexes.cast::<PyArrayDyn<u64>>()?.readonly();
        increasing(indexes.as_array().iter().map(|&index| i128::from(index)), dim)
    } else {
        let indexes = indexes.cast::<PyArrayDyn<i64>>()?.readonly();
        increasing(indexes.as_array().iter().map(|&index| i128::from(index)), dim)
    }
}

fn is_plain_sequence(item: &Bound<'_, PyAny>) -> bool {
    item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() || item.is_instance_of::<PyRange>()
}

/// A `MultiBlockSlice` (of this package or of h5py); `None` for anything else.
pub fn blocks(item: &Bound<'_, PyAny>, dim: u64) -> PyResult<Option<Axis>> {
    if item.get_type().name()? != "MultiBlockSlice" {
        return Ok(None);
    }
    let (start, stride, count, block): (u64, u64, u64, u64) =
        item.call_method1("indices", (dim,))?.extract()?;
    let last = count
        .checked_sub(1)
        .and_then(|last| last.checked_mul(stride)?.checked_add(start)?.checked_add(block));
    if last.is_none_or(|end| end > dim) || stride < block || block == 0 {
        return Err(errors::out_of_range(format!("{} extends beyond an axis of size {dim}", item.repr()?)));
    }
    Axis::hyperslab(start, stride, count, block).map(Some).map_err(errors::raise)
}

fn increasing(indexes: impl Iterator<Item = i128>, dim: u64) -> PyResult<Vec<u64>> {
    let mut found: Vec<u64> = Vec::new();
    let mut in_order = true;
    for index in indexes {
        let absolute = if index < 0 { index + i128::from(dim) } else { index };
        let absolute = u64::try_from(absolute).ok().filter(|&absolute| absolute < dim);
        let absolute = absolute.ok_or_else(|| match dim.checked_sub(1) {
            Some(last) => errors::out_of_range(format!("Fancy indexing out of range for (0-{last})")),
            None => errors::out_of_range("Fancy indexing out of range for empty dimension"),
        })?;
        in_order &= found.last().is_none_or(|&last| last < absolute);
        found.push(absolute);
    }
    if in_order {
        Ok(found)
    } else {
        Err(errors::wrong_type("Indexing elements must be in increasing order"))
    }
}
