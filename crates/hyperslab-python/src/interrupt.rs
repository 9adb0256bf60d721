//! Ctrl-C while the engine reads: the interpreter is let go, and asked now and then whether it heard a signal.

use crate::errors;
use hyperslab::Cancel;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

/// What stops the reads of one thread.
#[derive(Clone)]
struct Interrupt {
    cancel: Cancel,
    /// What the program's signal handler raised.
    raised: Arc<Mutex<Option<PyErr>>>,
}

thread_local! {
    /// Used by one read after the other, until it has stopped one: most reads end before it is asked.
    static INTERRUPT: RefCell<Interrupt> = RefCell::new(Interrupt::new());
}

impl Interrupt {
    fn new() -> Self {
        let raised: Arc<Mutex<Option<PyErr>>> = Arc::default();
        let heard = raised.clone();
        let cancel = Cancel::polling(move || {
            // On all threads but the main one this does nothing, as Python has it.
            let signals = Python::attach(|py| py.check_signals());
            let is_raised = signals.is_err();
            *heard.lock().unwrap_or_else(PoisonError::into_inner) = signals.err();
            is_raised
        });
        Self { cancel, raised }
    }
}

/// Reads from a dataset without the interpreter. A signal whose handler raises (Ctrl-C) ends the read with what it
/// raised.
pub fn read<T: Send>(
    py: Python<'_>,
    dataset: &hyperslab::Dataset,
    read: impl FnOnce(&hyperslab::Dataset) -> hyperslab::Result<T> + Send,
) -> PyResult<T> {
    let interrupt = INTERRUPT.with_borrow(Interrupt::clone);
    let dataset = dataset.cancelled_by(&interrupt.cancel);
    let outcome = py.detach(|| read(&dataset));
    if interrupt.cancel.is_cancelled() {
        INTERRUPT.set(Interrupt::new());
        let raised = interrupt.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(raised) = raised {
            return Err(raised);
        }
    }
    outcome.map_err(|error| {
        // What ends the program (Ctrl-C, `exit`) does so as well where a file object or a filter of its own raised it.
        let is_end = |raised: &&PyErr| !raised.is_instance_of::<PyException>(py);
        let end = errors::raised_inside(&error).filter(is_end).map(|raised| raised.clone_ref(py));
        end.unwrap_or_else(|| errors::raise(error))
    })
}
