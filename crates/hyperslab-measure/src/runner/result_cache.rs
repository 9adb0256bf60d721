//! What was measured before, by a key of everything that it depends on.
//!
//! A result is cached as a whole or not at all: its rounds take turns with those of other engines, and rounds of
//! different days are not turns.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Remembers results.
pub trait ResultCache<T> {
    /// The result of this key.
    fn recall(&mut self, key: &str) -> Option<CachedResult<T>>;
    /// Remembers what was measured.
    fn keep(&mut self, key: &str, cached: &CachedResult<T>);
}

/// A result, and what is needed to compare the values of other engines with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CachedResult<T> {
    /// What was measured.
    pub result: T,
    /// SHA-256 of the values that were read.
    pub checksum: Option<String>,
}

/// A cache for as long as it lives.
impl<T: Clone> ResultCache<T> for HashMap<String, CachedResult<T>> {
    fn recall(&mut self, key: &str) -> Option<CachedResult<T>> {
        self.get(key).cloned()
    }

    fn keep(&mut self, key: &str, cached: &CachedResult<T>) {
        self.entry(key.to_owned()).or_insert_with(|| cached.clone());
    }
}

/// Length and time of the last change: another value where a file was changed.
pub fn file_stamp(path: &Path) -> Value {
    let Ok(metadata) = std::fs::metadata(path) else { return Value::Null };
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    json!([metadata.len(), changed.map(|since| since.as_nanos().to_string())])
}
