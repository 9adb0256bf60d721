//! A finding: a problem, its severity, its evidence and its fixes.

use crate::fix::Fix;
use serde::{Deserialize, Serialize};

/// How much it costs those who do the reads that were tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Minutes instead of seconds, or a file that most readers cannot use well.
    High,
    /// Seconds that could be spared.
    Medium,
    /// Worth knowing.
    Low,
}

/// One thing that is wrong with one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable name, see [`codes`].
    pub code: String,
    /// How much it costs.
    pub severity: Severity,
    /// What was found, in one or two sentences with the numbers.
    pub message: String,
    /// The numbers by name.
    pub evidence: serde_json::Value,
    /// What to do, each with what it brings.
    pub fixes: Vec<Fix>,
}
