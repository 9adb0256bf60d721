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

/// Does `work`, which reads metadata, without the interpreter. A signal whose handler raises (Ctrl-C) ends what it waits for.
///
/// # Errors
/// What the signal handler raised.
pub fn detach<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let interrupt = INTERRUPT.with_borrow(Interrupt::clone);
    let outcome = py.detach(|| interrupt.cancel.during(work));
    take_raised(&interrupt).map_or(Ok(outcome), Err)
}

/// What the signal handler raised, if it has ended a read of this thread.
fn take_raised(interrupt: &Interrupt) -> Option<PyErr> {
    let raised = &mut *interrupt.raised.lock().unwrap_or_else(PoisonError::into_inner);
    let raised = raised.take_if(|_| interrupt.cancel.is_cancelled())?;
    INTERRUPT.set(Interrupt::new());
    Some(raised)
}

/// Calls `work`, whose reads on this thread are cancelled by this flag instead of by signals.
pub fn cancelled_by<T>(cancel: &Cancel, work: impl FnOnce() -> T) -> T {
    /// Restores what was there before, also after a panic.
    struct Restore(Option<Interrupt>);
    impl Drop for Restore {
        fn drop(&mut self) {
            if let Some(before) = self.0.take() {
                INTERRUPT.set(before);
            }
        }
    }
    let before = INTERRUPT.replace(Interrupt { cancel: cancel.clone(), raised: Arc::default() });
    let _restore = Restore(Some(before));
    work()
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
    // A read of a virtual dataset reads metadata of its sources, too.
    let outcome = py.detach(|| interrupt.cancel.during(|| read(&dataset)));
    if let Some(raised) = take_raised(&interrupt) {
        return Err(raised);
    }
    outcome.map_err(|error| {
        // What ends the program (Ctrl-C, `exit`) does so as well where a file object or a filter of its own raised it.
        let is_end = |raised: &&PyErr| !raised.is_instance_of::<PyException>(py);
        let end = errors::raised_inside(&error).filter(is_end).map(|raised| raised.clone_ref(py));
        end.unwrap_or_else(|| errors::raise(error))
    })
}
