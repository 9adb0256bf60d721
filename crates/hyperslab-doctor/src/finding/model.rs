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

impl Severity {
    /// Of a read that takes `excess` seconds more than `ideal`, the least possible. It is lower for a read that nobody asked for
    /// and that crosses the storage order of the data.
    pub(super) fn of_time(excess: f64, ideal: f64, matters: bool) -> Self {
        let ratio = (excess + ideal) / ideal.max(1e-9);
        match excess {
            _ if !matters && excess >= 60.0 && ratio >= 10.0 => Self::Medium,
            _ if !matters => Self::Low,
            _ if excess >= 5.0 && ratio >= 5.0 => Self::High,
            _ if excess >= 1.0 && ratio >= 3.0 => Self::Medium,
            _ => Self::Low,
        }
    }
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
