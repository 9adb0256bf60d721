//! The end of a command: an exit code, from one table for all commands, and the error message of a command that failed.

use hyperslab::{Error, ErrorKind};
use hyperslab_apps::error::is_of_request;
pub(crate) use hyperslab_apps::error::one_line;
use std::io::{self, Write};

/// The exit codes of every command, as its help shows them.
macro_rules! exit_codes {
    () => {
        "\
EXIT CODES
  0  done
  1  something could not be read or measured: it is damaged, not supported, or the system failed
  2  the request is wrong: unknown option, no such file or object, not HDF5, selection out of range
  3  done, and something was found that an option such as --fail-on makes a failure"
    };
}
pub(crate) use exit_codes;

/// Done.
pub const DONE: i32 = 0;
/// Something could not be read or measured.
pub const UNREADABLE: i32 = 1;
/// The request is wrong.
pub const WRONG_REQUEST: i32 = 2;
/// Done, and something was found that an option makes a failure.
pub const FOUND: i32 = 3;

/// The error of a command that failed.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: i32,
    /// What failed, in one line. Empty if the reader of the output is gone.
    pub message: String,
    /// What the user can do.
    pub hint: Option<String>,
}

impl Failure {
    /// An error in the request.
    pub fn wrong_request(message: impl Into<String>) -> Self {
        Self { code: WRONG_REQUEST, message: message.into(), hint: None }
    }

    /// An error of something that could not be read or measured.
    pub fn unreadable(message: impl Into<String>) -> Self {
        Self { code: UNREADABLE, message: message.into(), hint: None }
    }

    /// Adds what the user can do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Writes the message and returns the exit code.
    pub(crate) fn report(&self, err: &mut dyn Write) -> i32 {
        if !self.message.is_empty() {
            // If even this cannot be written, there is nowhere left to report it.
            let _ = writeln!(err, "error: {}", one_line(&self.message));
            if let Some(hint) = &self.hint {
                let _ = writeln!(err, "\nhint: {}", one_line(hint));
            }
        }
        self.code
    }
}

/// The exit code for an error of the engine.
pub fn exit_code(kind: ErrorKind) -> i32 {
    if is_of_request(kind) { WRONG_REQUEST } else { UNREADABLE }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            code: exit_code(error.kind()),
            message: error.to_string(),
            hint: error.hint().map(str::to_string),
        }
    }
}

impl From<hyperslab_apps::Error> for Failure {
    fn from(error: hyperslab_apps::Error) -> Self {
        // An empty message is that of an output whose reader has ended.
        let code = if error.message.is_empty() { DONE } else { exit_code(error.kind) };
        Self { code, message: error.message, hint: error.hint }
    }
}

impl From<io::Error> for Failure {
    /// Standard output could not be written. If its reader has ended (`| head`), that is not an error.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { code: DONE, message: String::new(), hint: None };
        }
        Self::unreadable(format!("cannot write the output: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(failure: &Failure) -> (i32, String) {
        let mut err = Vec::new();
        let code = failure.report(&mut err);
        (code, String::from_utf8(err).unwrap())
    }

    #[test]
    fn one_line_and_a_hint() {
        let failure =
            Failure::from(Error::invalid("a\nb").in_file("f.h5").at_object("/x").with_hint("try c"));
        assert_eq!(reported(&failure), (2, "error: f.h5: /x: a\\nb\n\nhint: try c\n".into()));
        assert_eq!(reported(&Failure::from(Error::damaged("broken"))), (1, "error: broken\n".into()));
    }

    #[test]
    fn a_reader_that_has_ended_is_not_an_error() {
        assert_eq!(reported(&io::Error::from(io::ErrorKind::BrokenPipe).into()), (0, String::new()));
        assert_eq!(reported(&io::Error::from(io::ErrorKind::StorageFull).into()).0, 1);
    }
}
