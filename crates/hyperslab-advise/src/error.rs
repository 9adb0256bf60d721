//! Errors in what the caller asked, worded so that the user can correct them.

use hyperslab_doctor::DoctorError;

/// A question that cannot be answered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AdviseError {
    /// A reader that is not known.
    #[error("unknown reader {text:?}: {problem}")]
    Reader {
        /// As the user wrote it.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A bound of the size that cannot be parsed.
    #[error(
        "cannot understand the size bound {text:?}: write it as 500MiB, as 1.2x of the present size, or as none"
    )]
    SizeBound {
        /// As the user wrote it.
        text: String,
    },
    /// A place that cannot be parsed.
    #[error("cannot understand the place {text:?}: {problem}")]
    Place {
        /// As the user wrote it.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A read or a write of another rank than the dataset.
    #[error("the block {block} has {given} dimensions, but the dataset {path} has {rank}")]
    Rank {
        /// The block, as `1x361x720`.
        block: String,
        /// Its dimensions.
        given: usize,
        /// The dataset.
        path: String,
        /// Its dimensions.
        rank: usize,
    },
    /// The dataset cannot be simulated.
    #[error(transparent)]
    Doctor(#[from] DoctorError),
}
