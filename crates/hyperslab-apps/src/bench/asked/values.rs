//! Values of options. What cannot be is refused by the name of its option.

use crate::{Error, Result};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::cache::parse_cache;
use serde::de::DeserializeOwned;

/// Each value once, in the order in which they come.
pub(in crate::bench) fn unique<'a, T: PartialEq + Clone + 'a>(
    values: impl IntoIterator<Item = &'a T>,
) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for value in values {
        if !found.contains(value) {
            found.push(value.clone());
        }
    }
    found
}

pub(super) fn wrong(error: impl std::fmt::Display) -> Error {
    Error::wrong_request(error.to_string())
}

/// The values of an option that may be repeated, or one where it is not given.
pub(super) fn list<T>(texts: &[String], absent: T, parse: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
    match texts {
        [] => Ok(vec![absent]),
        some => some.iter().map(|text| parse(text)).collect(),
    }
}

/// A name of a value that is a kebab-case word in JSON, too.
pub(super) fn word<T: DeserializeOwned>(what: &str, known: &str) -> impl Fn(&str) -> Result<T> {
    move |text| {
        let value = serde_json::Value::String(text.to_owned());
        serde_json::from_value(value)
            .map_err(|_| wrong(format!("{text:?} is not a {what}; there are {known}")))
    }
}

pub(super) fn size(option: &str, text: &str) -> Result<u64> {
    hyperslab::parse_bytes(text).map_err(|error| wrong(format!("{option} {text}: {error}")))
}

/// `None` is the library's own default.
pub(super) fn cache(option: &str, text: &str) -> Result<Option<CacheSettings>> {
    match text {
        "default" => Ok(None),
        text => parse_cache(text).map(Some).map_err(|error| wrong(format!("{option}: {error}"))),
    }
}
