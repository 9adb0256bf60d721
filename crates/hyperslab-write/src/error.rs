//! Errors of writing.

use hyperslab_format::EncodeError;
use std::io;

/// A reason why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A value that the format cannot express, in this object.
    #[error("object {object}: {error}")]
    Object {
        /// The number of the object in the tree.
        object: usize,
        /// What cannot be expressed.
        error: EncodeError,
    },
    /// A value outside of any object that the format cannot express.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The sink failed.
    #[error("{name}: {error}")]
    Io {
        /// The name of the sink.
        name: String,
        /// Its error.
        error: io::Error,
    },
    /// The calls or the tree contradict each other.
    #[error("{0}")]
    Invalid(String),
}
