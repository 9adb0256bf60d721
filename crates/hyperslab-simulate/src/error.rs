//! Datasets that cannot be simulated.

/// A dataset whose shape cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot simulate reads of {path}: {problem}")]
pub struct GeometryError {
    /// The dataset; empty if it is not known.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}
