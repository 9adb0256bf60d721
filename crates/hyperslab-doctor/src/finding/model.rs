//! A finding: a problem, its severity, its evidence and its fixes.

use super::cost::Cost;
use crate::fix::Fix;
use serde::{Deserialize, Serialize};

/// How much a finding costs a program that makes the reads that were simulated. The greatest is the most severe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Low,
    /// Seconds that could be saved.
    Medium,
    /// Minutes instead of seconds, or a file that most readers cannot use well.
    High,
}

/// One problem of one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// A stable name, one of [`codes`](super::codes).
    pub code: String,
    /// The severity.
    pub severity: Severity,
    /// The problem, in one or two sentences with the numbers.
    pub message: String,
    /// What it costs.
    pub cost: Cost,
    /// The numbers, by name.
    pub evidence: serde_json::Value,
    /// What to do about it, each with its effect.
    pub fixes: Vec<Fix>,
}
