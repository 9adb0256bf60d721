//! What was not measured, and why.

use serde::{Deserialize, Serialize};

/// Something that was not measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The cell, in words.
    pub what: String,
    /// Why, and what to do about it.
    pub why: String,
}
