//! What goes wrong with an engine, whichever it is.

use crate::buffer::NoMemory;
use std::path::PathBuf;

/// What an engine cannot do, or failed to do.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A library cannot be loaded, or is too old.
    #[error("{path}: {why}")]
    Load {
        /// Where it lies.
        path: PathBuf,
        /// What the loader says.
        why: String,
    },
    /// A library lacks a function.
    #[error("the library has no {0}")]
    Missing(&'static str),
    /// A call of a library failed.
    #[error("{call}: {why}")]
    Call {
        /// The function.
        call: &'static str,
        /// What the library says.
        why: String,
    },
    /// Not enough memory.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// hyperslab.
    #[error(transparent)]
    Hyperslab(#[from] ::hyperslab::Error),
    /// The engine has no such feature.
    #[error("{0}")]
    Unsupported(String),
}

/// An error: the engine does not have this feature.
pub fn unsupported<T>(what: impl Into<String>) -> Result<T, EngineError> {
    Err(EngineError::Unsupported(what.into()))
}
