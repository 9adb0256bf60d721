//! Data of new datasets that is in Python: arrays in memory, and functions that return blocks.

use super::elements::elements_of;
use crate::errors;
use hyperslab_create::{Block, BlockSource, DataError, Elements};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The bytes of an array, which is kept alive.
pub struct ArrayBytes {
    buffer: PyBuffer<u8>,
}

impl ArrayBytes {
    /// The bytes of a one-dimensional array of bytes without gaps.
    pub fn new(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = PyBuffer::<u8>::get(array)?;
        if !buffer.is_c_contiguous() {
            return Err(errors::invalid("an array of bytes with gaps"));
        }
        Ok(Self { buffer })
    }
}

impl AsRef<[u8]> for ArrayBytes {
    fn as_ref(&self) -> &[u8] {
        if self.buffer.len_bytes() == 0 {
            return &[];
        }
        // SAFETY: the exporter keeps this many bytes without gaps at this address as long as the buffer is not released, which
        // it is when `self` is dropped. They do not change meanwhile: the array is `NewFile`'s own copy, or one that the
        // program promised not to change (`copy=False`).
        unsafe { std::slice::from_raw_parts(self.buffer.buf_ptr().cast(), self.buffer.len_bytes()) }
    }
}

/// A function that returns the elements of a block.
pub struct PythonSource {
    read: Py<PyAny>,
}

impl PythonSource {
    pub fn new(read: Py<PyAny>) -> Self {
        Self { read }
    }
}

impl BlockSource for PythonSource {
    fn read(&self, block: &Block) -> Result<Elements, DataError> {
        let call = |py: Python<'_>| {
            let arguments = (PyTuple::new(py, &block.start)?, PyTuple::new(py, &block.count)?);
            elements_of(&self.read.bind(py).call1(arguments)?)
        };
        match Python::try_attach(call) {
            Some(elements) => Ok(elements?),
            None => Err("the interpreter is shutting down".into()),
        }
    }
}
