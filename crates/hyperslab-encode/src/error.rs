//! Errors of rewriting a file.

use hyperslab_filters::FilterError;
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
    /// A change that a dataset does not allow.
    #[error("`{option}`: {what}")]
    Refused {
        /// The option as the user wrote it.
        option: String,
        /// The dataset, and what stands against the change.
        what: String,
    },
    /// A change of an object that there is not.
    #[error("`{option}`: {what}")]
    Missing {
        /// The option as the user wrote it.
        option: String,
        /// What is not there, and perhaps what is meant.
        what: String,
    },
    /// A chunk could not be encoded.
    #[error("{object}: chunk at {offset:?}: {error}")]
    Encode {
        /// The path of the dataset.
        object: String,
        /// The coordinates of the first element of the chunk.
        offset: Vec<u64>,
        /// The error of the filter.
        error: Box<FilterError>,
    },
    /// The new file does not contain what was written.
    #[error("verification failed: {object}: {what}")]
    Differs {
        /// The path of the object.
        object: String,
        /// What differs.
        what: String,
    },
    /// The temporary file of a rechunk failed.
    #[error("temporary file in {folder}: {error}")]
    Temporary {
        /// The folder.
        folder: String,
        /// The error of the system.
        error: std::io::Error,
    },
}

impl From<EncodeError> for RepackError {
    fn from(error: EncodeError) -> Self {
        Self::Write(error.into())
    }
}

impl RepackError {
    /// True if the work was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Read(error) if error.kind() == hyperslab::ErrorKind::Cancelled)
    }

    /// The error of the operating system, if it refused to write.
    pub fn system(&self) -> Option<&std::io::Error> {
        match self {
            Self::Write(WriteError::Io { error, .. }) | Self::Temporary { error, .. } => Some(error),
            _ => None,
        }
    }

    /// True if the request is wrong, rather than the file or the system.
    pub fn is_wrong_request(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Missing { .. } | Self::Write(WriteError::Invalid(_)))
    }

    /// The object that an option names and that is not there.
    pub fn missing_object(&self) -> Option<&str> {
        let Self::Missing { option, .. } = self else { return None };
        let (_, named) = option.split_once(' ').unwrap_or(("", option));
        named.split([':', '=']).next()
    }
}
