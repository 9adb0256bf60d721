//! What requests for made-up values have in common.

use crate::{Error, Result};
use hyperslab_storage::WordError;
use hyperslab_storage::pattern::{BlockDim, BlockShape};

/// The ratio by which gzip makes them smaller, if none is named.
pub const DEFAULT_RATIO: f64 = 2.0;

/// A ratio.
///
/// # Errors
/// What is wrong with the text.
pub fn at_least_one(text: &str) -> Result<f64, String> {
    let ratio: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    let is_ratio = ratio.is_finite() && ratio >= 1.0;
    is_ratio.then_some(ratio).ok_or_else(|| "it has to be 1 or more".to_owned())
}

/// The shape that `--synthetic` names.
///
/// # Errors
/// A text that is no shape.
pub fn shape(text: &str) -> Result<Vec<u64>> {
    let wrong = |problem: &str| {
        Error::wrong_request(format!("--synthetic {text}: {problem}"))
            .hint("a shape is the size of each dimension, such as 365x721x1440")
    };
    let shape: BlockShape = text.parse().map_err(|error| match error {
        WordError::ReadShape { problem, .. } => wrong(&problem),
        other => wrong(&other.to_string()),
    })?;
    let size = |dim: &BlockDim| if let BlockDim::Elements(count) = dim { Some(*count) } else { None };
    let sizes: Option<Vec<u64>> = shape.dims().iter().map(size).collect();
    sizes.ok_or_else(|| wrong("each dimension is a number"))
}
