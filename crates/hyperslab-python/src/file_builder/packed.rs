//! Texts and sequences of Python, one after the other in one buffer: what `python/hyperslab/_new_file/encoder.py` would do
//! value by value. Values that need more than that are left to it.

use hyperslab::memory::advise_huge_pages;
use numpy::{
    IntoPyArray, PyArray1, PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

/// The length of each in bytes, and all of them.
pub type Packed<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u8>>);

/// The texts of a list in UTF-8: `str`, `bytes`, and None or 0 for an empty one. None if there is anything else, a text without
/// a form in UTF-8, or one with a NUL.
#[pyfunction]
pub fn packed_texts<'py>(values: &Bound<'py, PyList>) -> PyResult<Option<Packed<'py>>> {
    let mut content = Vec::new();
    let mut lengths = Vec::with_capacity(values.len());
    for value in values.iter() {
        let before = content.len();
        if let Ok(text) = value.cast::<PyString>() {
            let Ok(text) = text.to_str() else { return Ok(None) };
            content.extend_from_slice(text.as_bytes());
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            content.extend_from_slice(bytes.as_bytes());
        } else if !(value.is_none() || value.extract::<i64>().is_ok_and(|number| number == 0)) {
            return Ok(None);
        }
        lengths.push((content.len() - before) as i64);
    }
    if content.contains(&0) {
        return Ok(None);
    }
    Ok(Some((lengths.into_pyarray(values.py()), content.into_pyarray(values.py()))))
}

/// The elements of the arrays of a list. None if there is anything but one-dimensional arrays of this dtype without gaps.
#[pyfunction]
pub fn packed_arrays<'py>(
    values: &Bound<'py, PyList>,
    dtype: &Bound<'py, PyArrayDescr>,
) -> PyResult<Option<Packed<'py>>> {
    if dtype.has_object() {
        return Ok(None);
    }
    let mut arrays = Vec::with_capacity(values.len());
    let mut lengths = Vec::with_capacity(values.len());
    for value in values.iter() {
        let Ok(array) = value.cast_into::<PyUntypedArray>() else { return Ok(None) };
        let is_plain = array.ndim() == 1 && array.is_c_contiguous() && array.dtype().is_equiv_to(dtype);
        if !is_plain {
            return Ok(None);
        }
        lengths.push((array.len() * dtype.itemsize()) as i64);
        arrays.push(array);
    }
    let total = lengths.iter().map(|&length| length as usize).sum();
    let mut content = Vec::new();
    content.try_reserve_exact(total).map_err(|_| no_memory())?;
    advise_huge_pages(content.spare_capacity_mut());
    for (array, &length) in arrays.iter().zip(&lengths) {
        if length > 0 {
            // SAFETY: an array without gaps has these bytes at its address; the interpreter is attached, and nothing of
            // Python runs while they are copied.
            let elements = unsafe {
                std::slice::from_raw_parts(
                    (*array.as_array_ptr()).fields.data.cast::<u8>().cast_const(),
                    length as usize,
                )
            };
            content.extend_from_slice(elements);
        }
    }
    Ok(Some((lengths.into_pyarray(values.py()), content.into_pyarray(values.py()))))
}

pub fn no_memory() -> PyErr {
    PyMemoryError::new_err("not enough memory for a copy of the values")
}
