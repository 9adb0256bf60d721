//! The doctor: which reads of a file are slow, why, and what helps.
//!
//! ```text
//! Request ──► Examiner ──► choose datasets ──► facts + samples ──► diagnose ──► filter ──► Answer ──► Summary of many
//! ```

mod advice;
mod examine;
mod file_facts;
mod filter;
pub(crate) mod older;
mod options;
mod request;
mod summary;

pub use advice::{Advice, advice};
pub use examine::{Answer, Evidence, Examiner};
pub use request::Request;
pub use summary::{Cause, Summary, findings};

use crate::Result;
use std::path::Path;

/// Examines one file.
///
/// # Errors
/// A request that is wrong, and a file that cannot be read. What cannot be read of a part of it is in the answer.
pub fn run(file: &Path, request: &Request) -> Result<Answer> {
    Examiner::new(request)?.examine(file)
}
