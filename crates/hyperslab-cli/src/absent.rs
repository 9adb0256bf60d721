//! Warnings of what a file lacks. Each is told once.

use crate::failure::one_line;
pub(crate) use hyperslab_apps::absent::{of, sentences};
use std::io::Write;

/// True if one of the sentences is about the object at a path.
pub(crate) fn names(sentences: &[String], path: &str) -> bool {
    sentences.iter().any(|sentence| sentence.strip_prefix(path).is_some_and(|rest| rest.starts_with(": ")))
}

/// Writes the sentences about a file. If standard error cannot be written, there is nowhere left to report it.
pub(crate) fn warn(file: &str, sentences: &[String], err: &mut dyn Write) {
    for sentence in sentences {
        let _ = writeln!(err, "warning: {}", one_line(&format!("{file}: {sentence}")));
    }
}
