//! An identifier of libhdf5 that is closed when it goes.

use super::LibraryError;
use super::api::{Api, Id};
use std::ffi::c_int;
use std::rc::Rc;

/// What stands for an identifier that was closed.
const CLOSED: Id = -1;

/// An open identifier.
pub(super) struct Handle {
    pub(super) id: Id,
    pub(super) api: Rc<Api>,
    close: unsafe extern "C" fn(Id) -> c_int,
}

impl Handle {
    /// Takes what a function answered with.
    pub(super) fn new(
        api: &Rc<Api>,
        call: &'static str,
        answered: Id,
        close: unsafe extern "C" fn(Id) -> c_int,
    ) -> Result<Self, LibraryError> {
        match api.id(answered) {
            Some(id) => Ok(Self { id, api: api.clone(), close }),
            None => Err(LibraryError::Call { call, why: api.last_error() }),
        }
    }

    /// Closes it now, and says if that fails (what is written may reach the file only then).
    pub(super) fn close(mut self, call: &'static str) -> Result<(), LibraryError> {
        let answered = self.end();
        check(&self.api, call, answered)
    }

    /// Closes it, once.
    fn end(&mut self) -> c_int {
        match std::mem::replace(&mut self.id, CLOSED) {
            CLOSED => 0,
            // SAFETY: an open identifier.
            id => unsafe { (self.close)(id) },
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // A drop cannot report a failure.
        self.end();
    }
}

/// Fails where a function answered that it failed.
pub(super) fn check(api: &Api, call: &'static str, answered: c_int) -> Result<(), LibraryError> {
    if answered < 0 { Err(LibraryError::Call { call, why: api.last_error() }) } else { Ok(()) }
}
