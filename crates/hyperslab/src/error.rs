//! Errors as a caller handles them: what kind, in which file, at which object, and what to do next.

use hyperslab_filters::{Cause, FilterError};
use hyperslab_format::FormatError;
use std::fmt;
use std::io;

/// The result of everything in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug)]
pub struct Error {
    /// What a caller may want to do about it.
    pub kind: ErrorKind,
    /// The file, if it is known.
    pub file: Option<String>,
    /// Path of the object in the file, if it is known.
    pub object: Option<String>,
    /// What happened, in one sentence without a full stop.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// Where in the file, if its bytes are to blame.
    pub format: Option<Box<FormatError>>,
    /// What a filter of the program's own failed with.
    pub cause: Option<Box<Cause>>,
}

/// Kinds of error. A kind exists only where a caller would do something different.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No such file, object or attribute.
    NotFound,
    /// The bytes are not an HDF5 file.
    NotHdf5,
    /// The file may be sound, but uses what this version does not read.
    Unsupported,
    /// The file breaks the specification.
    Damaged,
    /// The caller asked for what cannot be: a selection out of range, a dataset where a group is.
    Invalid,
    /// The operating system or the network did not deliver.
    Io,
}

impl ErrorKind {
    /// Stable name, as in `--json` and in Python's `.kind`.
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::NotFound => "not-found",
            ErrorKind::NotHdf5 => "not-hdf5",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Damaged => "damaged",
            ErrorKind::Invalid => "invalid",
            ErrorKind::Io => "io",
        }
    }
}

impl Error {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            file: None,
            object: None,
            message: message.into(),
            hint: None,
            format: None,
            cause: None,
        }
    }

    /// The caller asked for what cannot be.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Valid, but not read by this version.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    /// The file breaks the specification.
    pub fn damaged(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Damaged, message)
    }

    /// Adds what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Names the file, unless it is named already.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file.get_or_insert_with(|| file.into());
        self
    }

    /// The error as a source of bytes must give it; [`Error::from`] takes it out again.
    pub(crate) fn into_io(self) -> io::Error {
        let kind = match self.kind {
            ErrorKind::NotFound => io::ErrorKind::NotFound,
            ErrorKind::Unsupported => io::ErrorKind::Unsupported,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, self)
    }

    /// Names the object, unless it is named already.
    pub fn at_object(mut self, object: impl Into<String>) -> Self {
        self.object.get_or_insert_with(|| object.into());
        self
    }
}

impl From<FormatError> for Error {
    fn from(error: FormatError) -> Self {
        let kind = if error.is_unsupported() { ErrorKind::Unsupported } else { ErrorKind::Damaged };
        Self { format: Some(Box::new(error.clone())), ..Self::new(kind, error.to_string()) }
    }
}

impl From<FilterError> for Error {
    fn from(error: FilterError) -> Self {
        let kind = if error.is_unsupported() { ErrorKind::Unsupported } else { ErrorKind::Damaged };
        let made = Self::new(kind, error.to_string());
        match error {
            FilterError::Unknown { .. } => made.hint(
                "a program can bring its own decoder: filters::register in Rust, register_filter in Python",
            ),
            FilterError::Custom { cause, .. } => Self { cause: Some(Box::new(cause)), ..made },
            _ => made,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        // One of our own, that came through `into_io`.
        let error = match error.downcast::<Error>() {
            Ok(own) => return own,
            Err(error) => error,
        };
        let kind = if error.kind() == io::ErrorKind::NotFound { ErrorKind::NotFound } else { ErrorKind::Io };
        Self::new(kind, error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, &self.object) {
            (Some(file), Some(object)) => write!(f, "{file}: {object}: {}", self.message),
            (Some(place), None) | (None, Some(place)) => write!(f, "{place}: {}", self.message),
            (None, None) => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let format = self.format.as_deref().map(|error| error as _);
        format.or_else(|| self.cause.as_ref().map(|cause| cause.error() as _))
    }
}
