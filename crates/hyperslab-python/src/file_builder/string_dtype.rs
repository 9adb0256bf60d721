//! Texts of NumPy's `StringDType`, read where NumPy keeps them: no object of Python is made for any of them.
//!
//! Source: NumPy's C API, "NumPy static string API" (`NpyString_load` and others), since NumPy 2.0.

use super::packed::{Packed, no_memory};
use hyperslab::memory::advise_huge_pages;
use numpy::npyffi::PyArray_Descr;
use numpy::{IntoPyArray, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::ffi::PyCapsule_GetPointer;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::ffi::{c_char, c_int, c_void};

/// From the lengths of the first texts follows what all of them need.
const SAMPLED: usize = 1024;

/// An arena of texts, which is locked while it is read.
type Allocator = *mut c_void;

/// A text as NumPy lends it: `npy_static_string`.
#[repr(C)]
struct Text {
    size: usize,
    start: *const c_char,
}

type Load = unsafe extern "C" fn(Allocator, *const c_void, *mut Text) -> c_int;
type Acquire = unsafe extern "C" fn(*const PyArray_Descr) -> Allocator;
type Release = unsafe extern "C" fn(Allocator);

/// What is called of NumPy's table of functions.
struct Functions {
    load: Load,
    acquire: Acquire,
    release: Release,
}

impl Functions {
    /// Where the table names them (`numpy/_core/code_generators/numpy_api.py`).
    const LOAD: usize = 313;
    const ACQUIRE: usize = 316;
    const RELEASE: usize = 318;

    /// Those of the NumPy that is imported, which has arrays of texts: it is 2.0 or newer.
    fn get(py: Python<'_>) -> PyResult<&'static Self> {
        static FUNCTIONS: PyOnceLock<Functions> = PyOnceLock::new();
        FUNCTIONS.get_or_try_init(py, || {
            let capsule = py.import("numpy._core._multiarray_umath")?.getattr("_ARRAY_API")?;
            // SAFETY: the capsule holds a pointer without a name, NumPy's table of functions, which is never freed.
            let table = unsafe { PyCapsule_GetPointer(capsule.as_ptr(), std::ptr::null()) };
            if table.is_null() {
                return Err(PyErr::fetch(py));
            }
            let table = table.cast::<*const c_void>().cast_const();
            // SAFETY: since NumPy 2.0, the table has functions of these types at these places.
            Ok(unsafe {
                Self {
                    load: std::mem::transmute::<*const c_void, Load>(*table.add(Self::LOAD)),
                    acquire: std::mem::transmute::<*const c_void, Acquire>(*table.add(Self::ACQUIRE)),
                    release: std::mem::transmute::<*const c_void, Release>(*table.add(Self::RELEASE)),
                }
            })
        })
    }
}

/// The texts of an array, locked until this is dropped.
struct Locked<'f> {
    functions: &'f Functions,
    allocator: Allocator,
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: acquired, and released once.
        unsafe { (self.functions.release)(self.allocator) }
    }
}

/// The texts of an array of `StringDType` without gaps, in UTF-8. None if one is missing or has a NUL.
#[pyfunction]
pub fn packed_string_array<'py>(values: &Bound<'py, PyUntypedArray>) -> PyResult<Option<Packed<'py>>> {
    let (py, dtype) = (values.py(), values.dtype());
    if dtype.kind() != b'T' || !values.is_c_contiguous() {
        return Err(crate::errors::wrong_type("an array of StringDType without gaps is needed"));
    }
    let functions = Functions::get(py)?;
    let item_bytes = dtype.itemsize();
    // SAFETY: the dtype is a StringDType, as was looked at.
    let allocator = unsafe { (functions.acquire)(dtype.as_ptr().cast()) };
    let locked = Locked { functions, allocator };
    let mut lengths = Vec::with_capacity(values.len());
    let mut content = Vec::new();
    // SAFETY: the array is alive.
    let first = unsafe { (*values.as_array_ptr()).fields.data }.cast::<u8>().cast_const();
    for number in 0..values.len() {
        if number == SAMPLED {
            // The others are about as long.
            let others = content.len() / SAMPLED * (values.len() - SAMPLED);
            content.try_reserve(others + others / 8).map_err(|_| no_memory())?;
            advise_huge_pages(content.spare_capacity_mut());
        }
        let mut text = Text { size: 0, start: std::ptr::null() };
        // SAFETY: the element lies in the array, whose texts are locked.
        let found = unsafe {
            (functions.load)(locked.allocator, first.add(number * item_bytes).cast(), &raw mut text)
        };
        if found != 0 {
            return Ok(None);
        }
        if text.size > 0 {
            // SAFETY: NumPy lends these bytes while its texts are locked.
            content
                .extend_from_slice(unsafe { std::slice::from_raw_parts(text.start.cast::<u8>(), text.size) });
        }
        lengths.push(text.size as i64);
    }
    drop(locked);
    if content.contains(&0) {
        return Ok(None);
    }
    Ok(Some((lengths.into_pyarray(py), content.into_pyarray(py))))
}
