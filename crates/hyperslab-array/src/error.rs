//! Errors: the kind, the file, the object and the byte offset, and what the user can do.

use hyperslab_filters::{Cause, FilterError};
use hyperslab_io::{Cancelled, Changed};
use std::{fmt, io};

/// The result of everything in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of reading a file.
///
/// It is printed as one line: the file, the object and the message, which includes the message of the cause. Therefore
/// [`std::error::Error::source`] returns the source of the cause; [`Error::cause`] returns the cause itself.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    file: Option<String>,
    object: Option<String>,
    structure: Option<&'static str>,
    field: Option<&'static str>,
    offset: Option<u64>,
    message: String,
    hint: Option<String>,
    cause: Option<Original>,
}

/// The error of another crate that this one was created from.
#[derive(Debug)]
enum Original {
    Filter(Cause),
    Io(io::Error),
    Other(Box<dyn std::error::Error + Send + Sync>),
}

/// Declares the kinds once: the variant, its documentation and its stable name.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $code:literal,)*) => {
        /// Kinds of error. A kind exists only where a caller would do something different.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* $kind,)*
        }

        impl ErrorKind {
            /// Every kind, in the order of their declaration.
            pub const ALL: &[ErrorKind] = &[$(ErrorKind::$kind),*];

            /// Stable name, as in `--json` and in Python's `.kind`.
            pub fn code(self) -> &'static str {
                match self {
                    $(ErrorKind::$kind => $code,)*
                }
            }
        }
    };
}

kinds! {
    /// No such file, object or attribute.
    NotFound = "not-found",
    /// The bytes are not an HDF5 file.
    NotHdf5 = "not-hdf5",
    /// The file may be valid, but uses what this version does not read.
    Unsupported = "unsupported",
    /// The file breaks the specification.
    Damaged = "damaged",
    /// The request is invalid, for example a selection out of range, or a dataset at the path of a group.
    Invalid = "invalid",
    /// A limit that protects the reader from hostile files was reached: nesting, links, members, axes.
    Limit = "limit",
    /// There was not enough memory. A smaller selection may succeed.
    OutOfMemory = "out-of-memory",
    /// An I/O error of the operating system or the network.
    Io = "io",
    /// The file changed while it was being read. Values read before must not be combined with its present ones.
    Changed = "changed",
    /// The operation was cancelled.
    Cancelled = "cancelled",
    /// A mistake in this library. Please report it.
    Internal = "internal",
}

impl Error {
    /// An error of this kind. The message is one sentence without a full stop; it names neither the file nor the
    /// object.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            file: None,
            object: None,
            structure: None,
            field: None,
            offset: None,
            message: message.into(),
            hint: None,
            cause: None,
        }))
    }

    /// No such file, object or attribute.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// The request is invalid.
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

    /// A limit of this reader was reached.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Limit, message)
    }

    /// There was not enough memory.
    pub fn out_of_memory(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::OutOfMemory, message)
    }

    /// A mistake in this library.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message).with_hint("this is a mistake in hyperslab; please report it")
    }

    /// The kind of the error, for callers that handle it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file, if it is known.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// Path of the object in the file, if it is known.
    pub fn object(&self) -> Option<&str> {
        self.0.object.as_deref()
    }

    /// The affected structure of the file, named as in the specification, such as `"object header"`.
    pub fn structure(&self) -> Option<&str> {
        self.0.structure
    }

    /// The field of that structure, such as `"version"`.
    pub fn field(&self) -> Option<&str> {
        self.0.field
    }

    /// The offset of the error in the file, in bytes.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// The message, one sentence without a full stop, without the file and the object.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What the user can do.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The error of another library that this one was created from: an error of the file format, an [`io::Error`], or
    /// the error of a registered filter. Its message is part of this message.
    pub fn cause(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        match self.0.cause.as_ref()? {
            Original::Filter(cause) => Some(cause.error()),
            Original::Io(error) => Some(error),
            Original::Other(error) => Some(&**error),
        }
    }

    /// Replaces the kind.
    pub fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Replaces the message.
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    /// Adds a context before the message, separated by a colon.
    pub fn with_context(mut self, context: impl fmt::Display) -> Self {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// Sets the hint: what the user can do.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Sets the hint, unless there is one.
    pub fn or_hint(mut self, hint: impl FnOnce() -> String) -> Self {
        self.0.hint.get_or_insert_with(hint);
        self
    }

    /// Sets the file, unless it is already set.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.0.file.get_or_insert_with(|| file.into());
        self
    }

    /// Sets the object, unless it is already set.
    pub fn at_object(mut self, object: impl Into<String>) -> Self {
        self.0.object.get_or_insert_with(|| object.into());
        self
    }

    /// Sets the structure and its offset in the file, which should also be in the message.
    pub fn at_byte(mut self, structure: &'static str, offset: u64) -> Self {
        (self.0.structure, self.0.field, self.0.offset) = (Some(structure), None, Some(offset));
        self
    }

    /// Sets the field of a structure and its offset in the file, which should also be in the message.
    pub fn at_field(mut self, structure: &'static str, field: &'static str, offset: u64) -> Self {
        self = self.at_byte(structure, offset);
        self.0.field = Some(field);
        self
    }

    /// Sets the error of another library that this one was created from, which should also be in the message.
    pub fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.cause = Some(Original::Other(cause.into()));
        self
    }

    /// Converts the error for a [`hyperslab_io::Source`]; [`Error::from`] restores it.
    pub fn into_io(self) -> io::Error {
        let kind = match self.kind() {
            ErrorKind::NotFound => io::ErrorKind::NotFound,
            ErrorKind::Unsupported => io::ErrorKind::Unsupported,
            ErrorKind::OutOfMemory => io::ErrorKind::OutOfMemory,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, self)
    }
}

impl From<FilterError> for Error {
    fn from(error: FilterError) -> Self {
        let kind = match error {
            FilterError::Memory { .. } => ErrorKind::OutOfMemory,
            _ if error.is_unsupported() => ErrorKind::Unsupported,
            _ => ErrorKind::Damaged,
        };
        let mut made = Self::new(kind, error.to_string());
        if let Some(hint) = error.hint() {
            made = made.with_hint(hint);
        }
        match error {
            FilterError::Custom { cause, .. } => {
                made.0.cause = Some(Original::Filter(cause));
                made
            }
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
        let inner = error.get_ref();
        let kind = match error.kind() {
            _ if inner.is_some_and(|inner| inner.is::<Cancelled>()) => ErrorKind::Cancelled,
            _ if inner.is_some_and(|inner| inner.is::<Changed>()) => ErrorKind::Changed,
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            io::ErrorKind::OutOfMemory => ErrorKind::OutOfMemory,
            // An invalid path, URL or option: not an error of the system.
            io::ErrorKind::InvalidInput if error.raw_os_error().is_none() => ErrorKind::Invalid,
            _ => ErrorKind::Io,
        };
        let mut made = Self::new(kind, error.to_string());
        if let Some(Changed { name, opened, found }) = inner.and_then(|inner| inner.downcast_ref()) {
            made = made
                .with_message(format!("changed after it was opened ({opened}, now {found})"))
                .with_hint("open it again")
                .in_file(name);
        }
        made.0.cause = Some(Original::Io(error));
        made
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file(), self.object()) {
            (Some(file), Some(object)) => write!(f, "{file}: {object}: {}", self.message()),
            (Some(place), None) | (None, Some(place)) => write!(f, "{place}: {}", self.message()),
            (None, None) => f.write_str(self.message()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause()?.source()
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, ErrorKind};
    use hyperslab_filters::FilterError;
    use hyperslab_io::{Cancelled, Changed};
    use std::error::Error as _;
    use std::io;

    /// All lines that a program prints that follows `source()`.
    fn told(error: &Error) -> Vec<String> {
        let mut lines = vec![error.to_string()];
        let mut next = error.source();
        while let Some(error) = next {
            lines.push(error.to_string());
            next = error.source();
        }
        lines
    }

    #[test]
    fn what_is_behind_a_cause_is_told_after_it() {
        #[derive(Debug, thiserror::Error)]
        #[error("the outer")]
        struct Outer(#[source] io::Error);
        let failure: hyperslab_filters::Failure = Box::new(Outer(io::Error::other("the inner")));
        let error = Error::from(FilterError::Custom { id: 300, name: "mine".into(), cause: failure.into() });
        assert_eq!(told(&error), ["filter 300 (mine): the outer", "the inner"]);
        assert!(error.cause().unwrap().is::<Outer>());
    }

    #[test]
    fn kinds_follow_what_a_caller_can_do() {
        assert_eq!(Error::from(FilterError::Memory { bytes: 1 }).kind(), ErrorKind::OutOfMemory);
        assert_eq!(Error::from(io::Error::from(io::ErrorKind::OutOfMemory)).kind(), ErrorKind::OutOfMemory);
        assert_eq!(Error::from(io::Error::from(io::ErrorKind::PermissionDenied)).kind(), ErrorKind::Io);
    }

    #[test]
    fn sources_say_that_a_file_changed_and_that_work_was_cancelled() {
        let opened = hyperslab_io::Version { len: 7, modified: None, tag: Some("a".into()) };
        let changed = Changed { name: "f.h5".into(), opened, found: "8 bytes".into() };
        let error = Error::from(io::Error::from(changed)).in_file("f.h5");
        assert_eq!((error.kind(), error.hint()), (ErrorKind::Changed, Some("open it again")));
        assert_eq!(told(&error), ["f.h5: changed after it was opened (7 bytes tagged a, now 8 bytes)"]);
        assert_eq!(Error::from(io::Error::other(Cancelled)).kind(), ErrorKind::Cancelled);
    }

    #[test]
    fn an_error_survives_a_source_of_bytes() {
        let error = Error::limit("too deep").in_file("f.h5").with_hint("look up").at_byte("link", 7);
        let through = Error::from(error.into_io());
        assert_eq!(
            (through.kind(), through.file(), through.hint()),
            (ErrorKind::Limit, Some("f.h5"), Some("look up"))
        );
        assert_eq!(
            (through.offset(), through.or_hint(|| "not this".into()).hint()),
            (Some(7), Some("look up"))
        );
    }

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let mut codes: Vec<&str> = ErrorKind::ALL.iter().map(|kind| kind.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ErrorKind::ALL.len());
    }
}
