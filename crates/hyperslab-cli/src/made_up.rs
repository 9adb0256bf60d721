//! What the options for made-up values have in common.

/// The ratio by which gzip makes them smaller, if none is named.
pub(crate) const DEFAULT_RATIO: f64 = 2.0;

/// A ratio.
pub(crate) fn at_least_one(text: &str) -> Result<f64, String> {
    let ratio: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    let is_ratio = ratio.is_finite() && ratio >= 1.0;
    is_ratio.then_some(ratio).ok_or_else(|| "it has to be 1 or more".to_owned())
}
