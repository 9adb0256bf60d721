//! A trace: what a program read, what libhdf5 decoded for it, and what would have helped most.
//!
//! ```text
//! lines of all processes ──► datasets, added up (traced.rs, when.rs) ──► the cure of each (cure.rs) ──► Answer
//! ```

mod cure;
mod traced;
mod when;

pub use cure::Cure;
pub use traced::{Answer, Traced};

use crate::{Error, Result};
use hyperslab_trace::{Trace, TraceError};
use std::path::Path;

/// What the trace in a folder, or in one of its files, says.
///
/// # Errors
/// A folder without a trace, and lines that are none.
pub fn run(path: &Path) -> Result<Answer> {
    let trace = Trace::read(path).map_err(|error| match &error {
        TraceError::Unreadable { error: reason, .. } => Error::request_of_system(error.to_string(), reason),
        TraceError::Line { .. } | TraceError::Empty { .. } => Error::wrong_request(error.to_string()),
    })?;
    Ok(Answer::of(&trace, &path.display().to_string()))
}
