//! Names of objects, attributes and members as Python has them.

use hyperslab_format::Name;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// A name as `str`, or as `bytes` if it is not valid UTF-8.
pub fn text<'py>(py: Python<'py>, name: &Name) -> Bound<'py, PyAny> {
    match name.as_str() {
        Some(text) => PyString::new(py, text).into_any(),
        None => PyBytes::new(py, name.as_bytes()).into_any(),
    }
}
