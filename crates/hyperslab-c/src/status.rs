//! Errors: a status, and a text for each thread.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What came of a call.
#[repr(C)]
#[allow(non_camel_case_types)] // names of C
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It succeeded.
    HS_OK = 0,
    /// No such file, object or attribute.
    HS_NOT_FOUND = 1,
    /// The file is no HDF5 file.
    HS_NOT_HDF5 = 2,
    /// The file may be valid, but uses what this version does not read.
    HS_UNSUPPORTED = 3,
    /// The file breaks the specification.
    HS_DAMAGED = 4,
    /// A wrong argument: a selection out of range, a dataset at the path of a group, a buffer of another size, a null pointer.
    HS_INVALID = 5,
    /// A limit that protects from hostile files was reached.
    HS_LIMIT = 6,
    /// There was not enough memory.
    HS_OUT_OF_MEMORY = 7,
    /// An error of the operating system or the network.
    HS_IO = 8,
    /// The file changed while it was read.
    HS_CHANGED = 9,
    /// The call was cancelled.
    HS_CANCELLED = 10,
    /// A mistake in this library.
    HS_INTERNAL = 11,
}

/// An error, as it is told.
pub struct Failure {
    status: Status,
    text: String,
}

impl Failure {
    /// A wrong argument.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self { status: Status::HS_INVALID, text: text.into() }
    }
}

/// The status of a kind of error. A program that was compiled before a kind was added must know its status.
fn status(kind: hyperslab::ErrorKind) -> Status {
    use hyperslab::ErrorKind as Kind;
    match kind {
        Kind::NotFound => Status::HS_NOT_FOUND,
        Kind::NotHdf5 => Status::HS_NOT_HDF5,
        Kind::Unsupported => Status::HS_UNSUPPORTED,
        Kind::Damaged => Status::HS_DAMAGED,
        Kind::Invalid => Status::HS_INVALID,
        Kind::Limit => Status::HS_LIMIT,
        Kind::OutOfMemory => Status::HS_OUT_OF_MEMORY,
        Kind::Io => Status::HS_IO,
        Kind::Changed => Status::HS_CHANGED,
        Kind::Cancelled => Status::HS_CANCELLED,
        _ => Status::HS_INTERNAL,
    }
}

impl From<hyperslab::Error> for Failure {
    fn from(error: hyperslab::Error) -> Self {
        Self { status: status(error.kind()), text: error.to_string() }
    }
}

impl From<hyperslab_apps::Error> for Failure {
    fn from(error: hyperslab_apps::Error) -> Self {
        Self { status: status(error.kind), text: error.message }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Runs a call: notes its error, and keeps a panic from leaving it.
pub fn run(call: impl FnOnce() -> Result<(), Failure>) -> Status {
    let failure = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => return Status::HS_OK,
        Ok(Err(failure)) => failure,
        Err(_) => Failure {
            status: Status::HS_INTERNAL,
            text: "an error inside hyperslab; please report it".to_owned(),
        },
    };
    let text = CString::new(failure.text.replace('\0', " ")).unwrap_or_default();
    let _ = LAST.try_with(|last| last.replace(text));
    failure.status
}

/// What went wrong in the last call of this thread that failed: one line, with the names of the file and the object. It is valid until
/// the next call that fails.
#[unsafe(no_mangle)]
pub extern "C" fn hs_last_error() -> *const c_char {
    const NOTHING: &CStr = c"";
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(NOTHING.as_ptr())
}

/// A word for a status, such as "not-found".
#[unsafe(no_mangle)]
pub extern "C" fn hs_status_name(status: i32) -> *const c_char {
    let name = match status {
        0 => c"ok",
        1 => c"not-found",
        2 => c"not-hdf5",
        3 => c"unsupported",
        4 => c"damaged",
        5 => c"invalid",
        6 => c"limit",
        7 => c"out-of-memory",
        8 => c"io",
        9 => c"changed",
        10 => c"cancelled",
        _ => c"internal",
    };
    name.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_error_has_a_status_of_its_name() {
        for kind in hyperslab::ErrorKind::ALL {
            // SAFETY: a text that ends with NUL.
            let name = unsafe { CStr::from_ptr(hs_status_name(status(*kind) as i32)) };
            assert_eq!(name.to_str().unwrap(), kind.code());
        }
    }

    #[test]
    fn a_panic_is_an_error() {
        std::panic::set_hook(Box::new(|_| {}));
        assert_eq!(run(|| panic!("no")), Status::HS_INTERNAL);
        let _ = std::panic::take_hook();
        assert_eq!(run(|| Err(Failure::invalid("a\0b"))), Status::HS_INVALID);
        // SAFETY: a text that ends with NUL.
        assert_eq!(unsafe { CStr::from_ptr(hs_last_error()) }, c"a b");
    }
}
