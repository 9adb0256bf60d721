//! Errors in what a user wrote, worded so that it can be corrected.

/// A word about storage or reads that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
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
    /// A cache setting that cannot be parsed.
    #[error(
        "cannot understand the cache {text:?}: {problem}; write it as NBYTES[,NSLOTS[,W0]], for example 3MiB,521,0.75"
    )]
    Cache {
        /// As the user wrote it.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An encoder that does not exist.
    #[error("there is no encoder {text:?}; it is one of auto, fast, small")]
    Encoder {
        /// As the user wrote it.
        text: String,
    },
}
