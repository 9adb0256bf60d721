//! `hyperslab.register_filter`: filters that a Python program provides.
//!
//! Chunks are decoded on threads of the engine that do not hold the GIL; it is acquired only for the call.

use crate::errors;
use hyperslab::filters::{Failure, Filter};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::sync::Arc;

/// Register a decoder for a filter that is not built in, or replace a built-in one.
///
/// `decode(stored, client_data, nbytes)` receives the bytes of a chunk, the filter's parameters in the file, and the
/// maximum size of the result in bytes. It returns bytes, or an object that supports the buffer protocol (an array, a
/// memoryview). It is called on several threads. Register filters before you open files.
#[pyfunction]
pub fn register_filter(py: Python<'_>, id: u16, name: String, decode: Py<PyAny>) -> PyResult<()> {
    if id == 0 {
        return Err(errors::invalid("0 is not a valid filter number; the smallest is 1"));
    }
    if !decode.bind(py).is_callable() {
        return Err(errors::wrong_type(format!(
            "decode must be callable, not {}",
            decode.bind(py).get_type()
        )));
    }
    hyperslab::filters::register(id, Arc::new(PythonFilter { name, decode }));
    // Chunks that another filter with this number decoded must not be found in the cache again.
    py.detach(hyperslab::clear_cache);
    Ok(())
}

struct PythonFilter {
    name: String,
    decode: Py<PyAny>,
}

impl Filter for PythonFilter {
    fn name(&self) -> &str {
        &self.name
    }

    fn decode(&self, parameters: &[u32], stored: &[u8], max_bytes: usize) -> Result<Vec<u8>, Failure> {
        let call = |py: Python<'_>| {
            let arguments = (PyBytes::new(py, stored), PyTuple::new(py, parameters)?, max_bytes);
            bytes_of(self.decode.bind(py).call1(arguments)?, max_bytes)
        };
        match Python::try_attach(call) {
            Some(Ok(bytes)) => Ok(bytes),
            // The exception is raised again as the cause of hyperslab's exception.
            Some(Err(error)) => Err(Box::new(error)),
            None => Err("the interpreter is shutting down".into()),
        }
    }
}

/// The bytes that `decode` returned, if they are not longer than allowed.
fn bytes_of(answer: Bound<'_, PyAny>, max_bytes: usize) -> PyResult<Vec<u8>> {
    let py = answer.py();
    let what = || format!("decode() must return bytes, not {}", answer.get_type());
    let buffer = PyUntypedBuffer::get(&answer).map_err(|_| errors::wrong_type(what()))?;
    let length = buffer.len_bytes();
    if length > max_bytes {
        return Err(errors::invalid(format!(
            "decode() returned {length} bytes, but at most {max_bytes} are allowed"
        )));
    }
    match answer.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
        Err(_) => {
            crate::helper(py, "builtins", "memoryview")?.call1((answer,))?.call_method0("tobytes")?.extract()
        }
    }
}
