//! The engine's errors as Python exceptions; the exception classes are in `hyperslab.errors`.

use crate::source::Closed;
use hyperslab::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io;

/// The exception class of a kind of error.
fn class_of(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "NotFoundError",
        ErrorKind::NotHdf5 => "NotHdf5Error",
        ErrorKind::Unsupported => "UnsupportedError",
        ErrorKind::Damaged => "DamagedError",
        ErrorKind::Invalid => "InvalidError",
        ErrorKind::Limit => "LimitError",
        ErrorKind::OutOfMemory => "OutOfMemoryError",
        ErrorKind::Io => "ReadError",
        ErrorKind::Changed => "ChangedError",
        ErrorKind::Cancelled => "CancelledError",
        ErrorKind::Internal => "InternalError",
        // A kind that is newer than this package: `test_errors.py` finds it.
        _ => "HyperslabError",
    }
}

/// The engine's kinds of error, and the exception class of each.
#[pyfunction]
pub fn error_classes() -> Vec<(&'static str, &'static str)> {
    ErrorKind::ALL.iter().map(|&kind| (kind.code(), class_of(kind))).collect()
}

/// An exception for an error of the engine.
pub fn raise(error: Error) -> PyErr {
    let class = if is_closed(&error) { "ClosedError" } else { class_of(error.kind()) };
    raise_as(class, &error, None)
}

/// True if another thread closed the file during the read.
fn is_closed(error: &Error) -> bool {
    let through_io = || error.cause()?.downcast_ref::<io::Error>()?.get_ref();
    through_io().is_some_and(|inner| inner.is::<Closed>())
}

/// True if a writer has locked the file.
fn is_locked(error: &Error) -> bool {
    let cause = error.cause().and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::WouldBlock)
}

/// Warns that a part that cannot be read was left out. That the file was closed meanwhile is an error.
pub fn skipped(py: Python<'_>, what: &str, error: Error) -> PyResult<()> {
    if is_closed(&error) {
        return Err(raise(error));
    }
    warn(py, &format!("skipped {what}: {error}"))
}

/// An exception of a given class. An exception of the program's own (of its filter, of its file object) is its cause.
fn raise_as(class: &'static str, error: &Error, errno: Option<i32>) -> PyErr {
    let owned = |text: Option<&str>| text.map(str::to_string);
    let (hint, file, object) = (owned(error.hint()), owned(error.file()), owned(error.object()));
    let raised = Exception { class, message: error.to_string(), hint, file, object, errno }.raise();
    if let Some(exception) = raised_inside(error) {
        Python::attach(|py| raised.set_cause(py, Some(exception.clone_ref(py))));
    }
    raised
}

/// What the program's own filter or file object raised.
pub fn raised_inside(error: &Error) -> Option<&PyErr> {
    let cause = error.cause()?;
    let through_io = || cause.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref::<PyErr>();
    cause.downcast_ref::<PyErr>().or_else(through_io)
}

/// An exception for a user-defined link, which only the program that wrote it can follow (also a `KeyError`).
pub fn raise_unfollowed(error: Error) -> PyErr {
    raise_as("UnfollowedLinkError", &error, None)
}

/// An exception for a file that cannot be opened; a `FileNotFoundError` if it does not exist.
pub fn raise_opening(error: Error) -> PyErr {
    if is_locked(&error) {
        let hint =
            "close it there, or read it nevertheless with locking=False or HDF5_USE_FILE_LOCKING=FALSE";
        return raise_as("LockedError", &error.with_hint(hint), Some(libc::EAGAIN));
    }
    if error.kind() != ErrorKind::NotFound {
        return raise(error);
    }
    raise_as("MissingFileError", &error, Some(libc::ENOENT))
}

/// An exception for a file that the operating system cannot open.
pub fn not_opened(name: &str, error: &io::Error) -> PyErr {
    let (class, what, hint) = match error.kind() {
        io::ErrorKind::NotFound => {
            let hint = "check the path; it is used exactly as given".to_string();
            ("MissingFileError", "no such file".to_string(), Some(hint))
        }
        io::ErrorKind::IsADirectory => ("DirectoryError", "is a directory".to_string(), None),
        io::ErrorKind::PermissionDenied => ("ForbiddenError", "permission denied".to_string(), None),
        _ => ("ReadError", error.to_string(), None),
    };
    Exception {
        class,
        message: format!("{name}: {what}"),
        hint,
        file: Some(name.to_string()),
        object: None,
        errno: error.raw_os_error().or(match error.kind() {
            io::ErrorKind::NotFound => Some(libc::ENOENT),
            io::ErrorKind::IsADirectory => Some(libc::EISDIR),
            io::ErrorKind::PermissionDenied => Some(libc::EACCES),
            _ => None,
        }),
    }
    .raise()
}

/// The request is invalid (also a `ValueError`).
pub fn invalid(message: impl Into<String>) -> PyErr {
    simple("InvalidError", message)
}

/// Something that would write (also an `OSError`, as in h5py for a file that is open for reading).
pub fn read_only() -> PyErr {
    simple("ReadOnlyError", "hyperslab only reads files")
}

/// An argument of the wrong type (also a `TypeError`).
pub fn wrong_type(message: impl Into<String>) -> PyErr {
    simple("WrongTypeError", message)
}

/// An index outside the dataset (also an `IndexError`).
pub fn out_of_range(message: impl Into<String>) -> PyErr {
    simple("OutOfRangeError", message)
}

/// A file that may not be replaced (also a `FileExistsError`).
pub fn existing_file(name: &str) -> PyErr {
    Exception {
        class: "ExistingFileError",
        message: format!("{name}: the file exists"),
        hint: Some("replace it with overwrite=True".into()),
        file: Some(name.into()),
        object: None,
        errno: Some(libc::EEXIST),
    }
    .raise()
}

/// A new file that could not be written (also an `OSError`).
pub fn not_written(message: String, errno: Option<i32>) -> PyErr {
    Exception { class: "WriteError", message, hint: None, file: None, object: None, errno }.raise()
}

/// A datatype that NumPy cannot express (also a `TypeError`).
pub fn unsupported_type(message: impl Into<String>) -> PyErr {
    simple("UnsupportedTypeError", message)
}

/// A dataset that is not chunked was asked for its chunks (also a `RuntimeError`).
pub fn not_chunked(object: &str) -> PyErr {
    let message = format!("{object}: the dataset is not chunked");
    let object = Some(object.to_owned());
    Exception { class: "NotChunkedError", message, hint: None, file: None, object, errno: None }.raise()
}

/// The file was closed.
pub fn closed(name: &str) -> PyErr {
    simple("ClosedError", format!("{name}: the file is closed"))
}

/// A subclass of `File` whose `__init__` did not call that of `File`.
pub fn never_opened() -> PyErr {
    simple("ClosedError", "the file was never opened: call `super().__init__(path)` in `__init__`")
}

fn simple(class: &'static str, message: impl Into<String>) -> PyErr {
    Exception { class, message: message.into(), hint: None, file: None, object: None, errno: None }.raise()
}

struct Exception {
    class: &'static str,
    message: String,
    hint: Option<String>,
    file: Option<String>,
    object: Option<String>,
    errno: Option<i32>,
}

impl Exception {
    fn raise(self) -> PyErr {
        Python::attach(|py| match self.build(py) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        })
    }

    fn build(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let keywords = PyDict::new(py);
        keywords.set_item("hint", self.hint)?;
        keywords.set_item("file", self.file)?;
        keywords.set_item("object", self.object)?;
        keywords.set_item("errno", self.errno)?;
        crate::helper(py, "hyperslab.errors", self.class)?.call((self.message,), Some(&keywords))
    }
}

/// An exception for what an application could not do.
pub fn raise_application(error: hyperslab_apps::Error) -> PyErr {
    let hyperslab_apps::Error { kind, errno, message, hint, file, object } = error;
    let class = match errno {
        Some(libc::EEXIST) => "ExistingFileError",
        Some(libc::EISDIR) => "DirectoryError",
        Some(libc::EACCES | libc::EPERM) => "ForbiddenError",
        Some(libc::EAGAIN) => "LockedError",
        Some(libc::ENOSPC | libc::EROFS | libc::EDQUOT | libc::EFBIG) => "WriteError",
        _ if kind == ErrorKind::NotFound && object.is_none() => "MissingFileError",
        _ => class_of(kind),
    };
    let hint =
        if class == "ExistingFileError" { Some("replace it with overwrite=True".to_owned()) } else { hint };
    let errno = errno.or((class == "MissingFileError").then_some(libc::ENOENT));
    Exception { class, message, hint, file, object, errno }.raise()
}

/// Warns from a thread that does not hold the interpreter.
pub fn warn_anywhere(message: &str) {
    // A warning that is made an exception cannot be raised from here.
    let _ = Python::attach(|py| warn(py, message));
}

/// Warns about something that is not an error.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let message = std::ffi::CString::new(message.replace('\0', "?")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<pyo3::exceptions::PyRuntimeWarning>(), &message, 1)
}
