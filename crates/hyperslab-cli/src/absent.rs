//! Warnings of what a file lacks. Each is told once.

use crate::failure::one_line;
use hyperslab::Absent;
pub(crate) use hyperslab_apps::absent::sentences;
use std::io::Write;

/// True if something is about the object at a path.
pub(crate) fn names(absent: &[Absent], path: &str) -> bool {
    absent.iter().any(|absent| absent.path() == Some(path))
}

/// Writes the sentences about a file. If standard error cannot be written, there is nowhere left to report it.
pub(crate) fn warn(file: &str, sentences: &[String], err: &mut dyn Write) {
    for sentence in sentences {
        let _ = writeln!(err, "warning: {}", one_line(&format!("{file}: {sentence}")));
    }
}
