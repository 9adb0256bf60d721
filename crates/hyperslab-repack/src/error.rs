//! Errors of rewriting a file.

use hyperslab_format::EncodeError;
use hyperslab_write::WriteError;

/// A reason why a file could not be rewritten.
#[derive(Debug, thiserror::Error)]
pub enum RepackError {
    /// The source cannot be read.
    #[error(transparent)]
    Read(#[from] hyperslab::Error),
    /// The new file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// What is in the source cannot be copied by this version.
    #[error("{object}: {what}")]
    Unsupported {
        /// The path of the object.
        object: String,
        /// What is not copied.
        what: String,
    },
}

impl From<EncodeError> for RepackError {
    fn from(error: EncodeError) -> Self {
        Self::Write(error.into())
    }
}
