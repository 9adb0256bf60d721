//! Cancelling reads on other threads: for `aread`, whose result may no longer be wanted.

use crate::interrupt;
use hyperslab::Cancel;
use pyo3::prelude::*;

/// Cancels the reads that `run` makes.
#[pyclass(frozen, module = "hyperslab")]
pub struct CancelToken {
    cancel: Cancel,
}

#[pymethods]
impl CancelToken {
    #[new]
    fn new() -> Self {
        Self { cancel: Cancel::new() }
    }

    /// Stop the reads, and those that begin later.
    fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Call `work`; the reads that it makes on this thread can be cancelled.
    fn run<'py>(&self, work: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        interrupt::cancelled_by(&self.cancel, || work.call0())
    }
}
