//! Why an application could not answer: the kind, for programs; the file and the object; one line for people, and what they
//! can do.

use hyperslab::ErrorKind;
use std::io;

/// Why an application could not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The kind, in the engine's words: what is wrong with a request is [`ErrorKind::Invalid`].
    pub kind: ErrorKind,
    /// The number of the operating system for it, where it has one, such as `ENOENT`.
    pub errno: Option<i32>,
    /// What failed, in one line, with the names of the file and the object.
    pub message: String,
    /// What the user can do.
    pub hint: Option<String>,
    /// The file that it is about.
    pub file: Option<String>,
    /// The object of that file.
    pub object: Option<String>,
}

/// What an application returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, errno: None, message: message.into(), hint: None, file: None, object: None }
    }

    /// An error in the request.
    pub fn wrong_request(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Something that the request names is not there.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// An error of something that could not be read, written or measured.
    pub fn unreadable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Io, message)
    }

    /// The work was ended before it was done.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Cancelled, message)
    }

    /// The operating system refused what was done with a file, which the message names.
    pub fn system(message: impl Into<String>, error: &io::Error) -> Self {
        Self { errno: number_of(error), ..Self::unreadable(message) }
    }

    /// What an application hands on could not be written. If its reader has ended (`| head`), there is nothing to say.
    pub fn output(error: &io::Error) -> Self {
        let message = match error.kind() {
            io::ErrorKind::BrokenPipe => String::new(),
            _ => format!("cannot write the output: {error}"),
        };
        Self::system(message, error)
    }

    /// A request that the operating system refused: a path that is not there, or that may not be used.
    pub fn request_of_system(message: impl Into<String>, error: &io::Error) -> Self {
        let kind =
            if error.kind() == io::ErrorKind::NotFound { ErrorKind::NotFound } else { ErrorKind::Invalid };
        Self { kind, ..Self::system(message, error) }
    }

    /// A file that may not be replaced.
    pub fn exists(message: impl Into<String>) -> Self {
        Self { errno: Some(libc::EEXIST), ..Self::wrong_request(message) }
    }

    /// Adds what the user can do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the number of the operating system.
    pub fn errno(mut self, errno: i32) -> Self {
        self.errno = Some(errno);
        self
    }

    /// Adds the file that it is about, where no other is known. The message names it already.
    pub fn about(mut self, file: impl Into<String>) -> Self {
        self.file.get_or_insert_with(|| file.into());
        self
    }

    /// True where the request is wrong: it names what is not there, or what cannot be done with what is there.
    pub fn is_of_request(&self) -> bool {
        is_of_request(self.kind)
    }
}

/// True for a kind of error that is the user's to correct.
pub fn is_of_request(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotHdf5 | ErrorKind::Invalid)
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&one_line(&self.message))
    }
}

impl std::error::Error for Error {}

impl From<hyperslab::Error> for Error {
    fn from(error: hyperslab::Error) -> Self {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let system = error.cause().and_then(|cause| cause.downcast_ref::<io::Error>());
        Self {
            kind: error.kind(),
            errno: system.and_then(number_of),
            message: error.to_string(),
            hint: owned(error.hint()),
            file: owned(error.file()),
            object: owned(error.object()),
        }
    }
}

/// The number of the operating system: its own, or that of the kind of an error with other words.
fn number_of(error: &io::Error) -> Option<i32> {
    error.raw_os_error().or(match error.kind() {
        io::ErrorKind::NotFound => Some(libc::ENOENT),
        io::ErrorKind::PermissionDenied => Some(libc::EACCES),
        io::ErrorKind::AlreadyExists => Some(libc::EEXIST),
        io::ErrorKind::WouldBlock => Some(libc::EAGAIN),
        io::ErrorKind::IsADirectory => Some(libc::EISDIR),
        io::ErrorKind::StorageFull => Some(libc::ENOSPC),
        _ => None,
    })
}

/// Escapes line breaks and other control characters, which names in a file may contain.
pub fn one_line(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// An error of the system as part of a sentence, without its number.
pub fn system_text(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        return "no such file".into();
    }
    let text = error.to_string();
    let text = text.split(" (os error ").next().unwrap_or_default();
    let mut rest = text.chars();
    rest.next().map(|first| first.to_lowercase().chain(rest).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_engine_keeps_what_it_knows() {
        let engine = hyperslab::Error::invalid("a\nb").in_file("f.h5").at_object("/x").with_hint("try c");
        let error = Error::from(engine);
        assert_eq!((error.file.as_deref(), error.object.as_deref()), (Some("f.h5"), Some("/x")));
        assert_eq!(error.to_string(), "f.h5: /x: a\\nb");
        assert!(error.is_of_request() && error.hint.as_deref() == Some("try c"));
        assert!(!Error::from(hyperslab::Error::damaged("broken")).is_of_request());
    }

    #[cfg(unix)]
    #[test]
    fn errors_of_the_system_have_no_numbers() {
        assert_eq!(system_text(&io::Error::from_raw_os_error(2)), "no such file");
        assert_eq!(system_text(&io::Error::from_raw_os_error(13)), "permission denied");
        assert_eq!(system_text(&io::Error::other("Other")), "other");
    }
}
