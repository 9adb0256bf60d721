//! An identifier of libhdf5 that is closed when it goes.

use super::LibraryError;
use super::api::{Api, Id};
use std::ffi::c_int;
use std::rc::Rc;

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
    pub(super) fn close(self, call: &'static str) -> Result<(), LibraryError> {
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: `this` is never dropped, so the api is taken out of it once, and the identifier closed once.
        let api = unsafe { std::ptr::read(&this.api) };
        // SAFETY: as above.
        check(&api, call, unsafe { (this.close)(this.id) })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the identifier is open. Nobody is left to tell if this fails.
        unsafe {
            (self.close)(self.id);
        }
    }
}

/// Fails where a function answered that it failed.
pub(super) fn check(api: &Api, call: &'static str, answered: c_int) -> Result<(), LibraryError> {
    if answered < 0 { Err(LibraryError::Call { call, why: api.last_error() }) } else { Ok(()) }
}
