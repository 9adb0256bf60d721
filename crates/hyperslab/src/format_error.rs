//! Conversion of errors of the file format to errors of the engine.

use crate::{Error, ErrorKind, Result};
use hyperslab_format::{FormatError, Problem};

/// The error of the engine for a structure that cannot be parsed.
pub fn format_error(error: FormatError) -> Error {
    let kind = match error.problem {
        Problem::Unsupported(_) => ErrorKind::Unsupported,
        Problem::Limit { .. } => ErrorKind::Limit,
        _ => ErrorKind::Damaged,
    };
    let made = Error::new(kind, error.to_string()).at_field(error.structure, error.field, error.at);
    made.caused_by(error)
}

/// Converts the error of a `Result` to an error of the engine.
pub trait OrError<T> {
    /// The value, or the converted error.
    fn or_error(self) -> Result<T>;
}

impl<T> OrError<T> for std::result::Result<T, FormatError> {
    fn or_error(self) -> Result<T> {
        self.map_err(format_error)
    }
}

#[cfg(test)]
mod tests {
    use super::format_error;
    use crate::ErrorKind;
    use hyperslab_format::FormatError;
    use std::error::Error as _;

    #[test]
    fn a_damaged_structure_is_told_once_and_points_into_the_file() {
        let error =
            format_error(FormatError::invalid("object header", "version", 0x40, "9 is not a version"))
                .in_file("f.h5")
                .at_object("/x");
        assert_eq!(error.to_string(), "f.h5: /x: object header, version at byte 0x40: 9 is not a version");
        assert!(error.source().is_none());
        assert_eq!((error.structure(), error.field()), (Some("object header"), Some("version")));
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Damaged, Some(0x40)));
        assert!(error.cause().unwrap().is::<FormatError>());
    }

    #[test]
    fn limits_of_the_reader_are_told_from_damage() {
        let limit = FormatError::limit("dataspace message", "rank", 8, "RANK_MAX", 32, 33);
        assert_eq!(format_error(limit).kind(), ErrorKind::Limit);
    }
}
