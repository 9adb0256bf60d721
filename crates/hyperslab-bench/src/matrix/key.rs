//! The key under which a row is cached: a hash of everything that it depends on. Another question, a file that was changed
//! or a library that was renewed has another key, and is measured.

use super::question::Question;
use super::subject::{Matrix, Subject};
use hyperslab_engines::Engine;
use hyperslab_measure::process::Launcher;
use hyperslab_measure::runner::file_stamp;
use hyperslab_units::hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;

pub(super) fn of(matrix: &Matrix, question: &Question<'_>, launcher: &Launcher) -> String {
    let Question { made, access, engine, options } = question;
    let writer = made.and_then(|(storage, _)| matrix.writer(storage.format));
    let strategy = made.map(|(storage, strategy)| (strategy.access(storage), strategy.cache));
    let question = json!({
        "hyperslab": [json!(env!("CARGO_PKG_VERSION")), file_stamp(Path::new(&launcher.program))],
        "subject": subject(&matrix.subject),
        "storage": made.map(|(storage, _)| storage),
        "written": [json!(strategy), json!(writer.map(stamped)), json!(matrix.write_repeats)],
        "access": access,
        "engine": stamped(engine),
        "options": options,
        "measured": [json!(matrix.repeats), json!(matrix.seconds_max), json!(matrix.part(access)), json!(matrix.cold)],
    });
    hex(&Sha256::digest(question.to_string()))
}

fn subject(subject: &Subject) -> Value {
    match subject {
        Subject::Dataset { file, path, .. } => {
            let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
            json!([whole, file_stamp(file), path])
        }
        Subject::Synthetic(synthetic) => json!(synthetic),
    }
}

/// An engine, and the library file that it is.
fn stamped(engine: &Engine) -> Value {
    json!([engine, engine.library().map(|found| file_stamp(&found.path))])
}
