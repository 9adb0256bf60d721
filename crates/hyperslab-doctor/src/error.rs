//! Errors in what the caller asked of the doctor, worded so that the user can correct them.

use hyperslab_simulate::GeometryError;
use hyperslab_storage::WordError;

/// A request that the doctor cannot answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DoctorError {
    /// What the user wrote cannot be understood.
    #[error(transparent)]
    Word(#[from] WordError),
    /// A read shape of another rank than the dataset.
    #[error("the read {text} has {given} dimensions, but the dataset {path} has {rank} ({shape})")]
    Rank {
        /// As the user wrote it.
        text: String,
        /// Dimensions of the read.
        given: usize,
        /// The dataset.
        path: String,
        /// Dimensions of the dataset.
        rank: usize,
        /// Its shape, written as `60x30x9x717`.
        shape: String,
    },
    /// A dataset whose shape cannot be simulated.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
}
