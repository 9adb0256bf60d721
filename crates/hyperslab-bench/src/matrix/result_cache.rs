//! What was measured before: rows by the question that they answer.
//!
//! A contender's row is remembered as a whole or not at all: its rounds take turns with those of the others, and rounds
//! of different days are no turns. The key is a hash of all that the row depends on, so that another question, a file
//! that was changed or a library that was renewed has another key, and is measured.

use super::prepare::Plan;
use super::row::Row;
use super::run::{Matrix, Subject};
use crate::engine::{Engine, OpenOptions};
use crate::hex::hex;
use crate::process::Launcher;
use crate::study::Access;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Remembers rows.
pub trait ResultCache {
    /// The row of this key.
    fn recall(&mut self, key: &str) -> Option<CachedResult>;
    /// A row was measured.
    fn keep(&mut self, key: &str, kept: &CachedResult);
}

/// A row, and what is needed to hold other engines against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CachedResult {
    /// What was measured.
    pub row: Row,
    /// SHA-256 of the values that were read.
    pub checksum: Option<String>,
}

/// A hash of all that a contender's row depends on.
pub(super) fn key_of(
    matrix: &Matrix,
    plan: &Plan<'_>,
    access: &Access,
    engine: &Engine,
    options: &OpenOptions,
    launcher: &Launcher,
) -> String {
    let writer = plan.storage().and_then(|storage| matrix.writer(storage.format));
    let way = plan.storage().zip(plan.way()).map(|(storage, way)| (way.access(storage), way.cache));
    let question = json!({
        "hyperslab": [json!(env!("CARGO_PKG_VERSION")), stamp(Path::new(&launcher.program))],
        "subject": subject(&matrix.subject),
        "storage": plan.storage(),
        "written": [json!(way), json!(writer.map(stamped)), json!(matrix.write_repeats)],
        "access": access,
        "engine": stamped(engine),
        "options": options,
        "measured": [json!(matrix.repeats), json!(matrix.seconds_max), json!(matrix.reads_max), json!(matrix.cold)],
    });
    hex(&Sha256::digest(question.to_string()))
}

fn subject(subject: &Subject) -> Value {
    match subject {
        Subject::Dataset { file, path, .. } => {
            let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
            json!([whole, stamp(file), path])
        }
        Subject::Synthetic(synthetic) => json!(synthetic),
    }
}

/// An engine, and the library file that it is.
fn stamped(engine: &Engine) -> Value {
    json!([engine, engine.library().map(|found| stamp(&found.path))])
}

/// Changes when a file does.
fn stamp(path: &Path) -> Value {
    let Ok(metadata) = std::fs::metadata(path) else { return Value::Null };
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    json!([metadata.len(), changed.map(|since| since.as_nanos().to_string())])
}
