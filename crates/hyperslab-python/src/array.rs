//! NumPy arrays for results.

use numpy::npyffi::{NpyTypes, PY_ARRAY_API, PyArrayObject, get_type_object, npy_intp};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::ptr::null_mut;

/// Shape of a result. It has the axes of the selection; NumPy appends those of an array datatype.
pub type Shape = SmallVec<[npy_intp; 4]>;

/// A new array in row-major order. Its elements are not initialised, except for Python objects, which are null.
pub fn empty<'py>(
    py: Python<'py>,
    dtype: &Bound<'py, PyArrayDescr>,
    shape: &mut Shape,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    // SAFETY: NumPy takes over the reference to the dtype, checks the shape, and returns a new reference, or null with
    // an exception set. The result is an ndarray, because that is the requested type.
    let array: Bound<'py, PyUntypedArray> = unsafe {
        let class = get_type_object(py, NpyTypes::PyArray_Type);
        let dtype = dtype.clone().into_dtype_ptr();
        let dims = shape.as_mut_ptr();
        let (strides, data, like) = (null_mut(), null_mut(), null_mut());
        let rank = shape.len() as i32;
        let array = PY_ARRAY_API.PyArray_NewFromDescr(py, class, dtype, rank, dims, strides, data, 0, like);
        Bound::from_owned_ptr_or_err(py, array)?.cast_into_unchecked()
    };
    Ok(array)
}

/// The memory of a new array.
///
/// # Safety
/// The array must be in row-major order, nothing else may use it during the lifetime of the slice, and its elements
/// must not be Python objects.
#[expect(clippy::mut_from_ref, reason = "the memory is NumPy's, the borrowed handle only keeps it alive")]
pub unsafe fn bytes_mut<'a>(array: &'a Bound<'_, PyUntypedArray>) -> &'a mut [u8] {
    let (start, len) = extent(array);
    if len == 0 {
        return &mut [];
    }
    // SAFETY: NumPy allocated this many bytes. They may be uninitialised, but they are only written.
    unsafe { std::slice::from_raw_parts_mut(start, len) }
}

/// The address of the elements, and their size in bytes.
pub fn extent(array: &Bound<'_, PyUntypedArray>) -> (*mut u8, usize) {
    // SAFETY: the pointer is that of an array.
    let start = unsafe { (*array.as_array_ptr()).fields.data };
    (start.cast(), array.len() * array.dtype().itemsize())
}

/// Returns the array; if it has no axes, its element.
pub fn finish<'py>(array: Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyAny>> {
    if array.ndim() > 0 {
        return Ok(array.into_any());
    }
    let py = array.py();
    // SAFETY: NumPy takes over the reference to the array and returns a new reference, or null with an exception.
    unsafe {
        let element = PY_ARRAY_API.PyArray_Return(py, array.into_ptr().cast::<PyArrayObject>());
        Bound::from_owned_ptr_or_err(py, element)
    }
}
