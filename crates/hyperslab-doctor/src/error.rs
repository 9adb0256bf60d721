//! What can be wrong with what the doctor was asked, said so that the asker can mend it.

/// A question that cannot be answered as put.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DoctorError {
    /// A read shape that is not a list of sizes.
    #[error(
        "cannot understand the read shape {text:?}: {problem}; write it as 1x1x1x717, or :x1x1 with ':' for a whole extent"
    )]
    ReadShape {
        /// As the user wrote it.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A read shape of another rank than the dataset.
    #[error("the read {text} has {given} dimensions, the dataset {path} has {rank} ({shape})")]
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
    /// An order that is not a permutation of the dimensions.
    #[error(
        "cannot sweep in the order {text:?}: {problem}; write each dimension once, slowest first, as 0,1,2"
    )]
    Order {
        /// As the user wrote it.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A cache setting that cannot be read.
    #[error(
        "cannot understand the cache {text:?}: {problem}; write it as NBYTES[,NSLOTS[,W0]], for instance 3MiB,521,0.75"
    )]
    Cache {
        /// As the user wrote it.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A dataset whose shape cannot be simulated.
    #[error("cannot simulate reads of {path}: {problem}")]
    Geometry {
        /// The dataset, or an empty text where it is not known.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
}
