//! Errors of writing a new file.

use crate::data::DataError;
use hyperslab_encode::RepackError;
use std::io;

/// A reason why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// An object that cannot be as it was asked for.
    #[error("{object}: {what}")]
    Invalid {
        /// The path of the object in the new file.
        object: String,
        /// What is wrong with it.
        what: String,
    },
    /// The data of a dataset could not be read.
    #[error("{object}: {error}")]
    Data {
        /// The path of the dataset in the new file.
        object: String,
        /// The error of its source.
        error: DataError,
    },
    /// The file could not be created, or not be given its name.
    #[error("{path}: {error}")]
    Io {
        /// The path of the new file.
        path: String,
        /// The error of the system.
        error: io::Error,
    },
    /// A chunk could not be encoded, the file not written, or its verification failed.
    #[error(transparent)]
    Write(#[from] RepackError),
}

impl CreateError {
    pub(crate) fn invalid(object: &str, what: impl Into<String>) -> Self {
        Self::Invalid { object: object.into(), what: what.into() }
    }
}

impl From<hyperslab::Error> for CreateError {
    fn from(error: hyperslab::Error) -> Self {
        Self::Write(error.into())
    }
}

impl From<hyperslab_write::WriteError> for CreateError {
    fn from(error: hyperslab_write::WriteError) -> Self {
        Self::Write(error.into())
    }
}
