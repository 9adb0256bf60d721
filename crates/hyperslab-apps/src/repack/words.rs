//! Words that options and recipes have in common.

use crate::Error;
use hyperslab_repack::{ObjectChoice, PathPattern};

/// The objects that an option means.
pub(super) fn choice(option: &str, text: &str) -> Result<ObjectChoice, Error> {
    let objects = PathPattern::parse(text).map_err(|why| wrong(option, &why))?;
    Ok(ObjectChoice { option: option.into(), objects })
}

/// An error that names the option.
pub(super) fn wrong(option: &str, why: &str) -> Error {
    Error::wrong_request(format!("`{option}`: {why}"))
}
