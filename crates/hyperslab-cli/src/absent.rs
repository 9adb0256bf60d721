//! Warnings of what a file lacks: a file that was not closed, missing sources, dangling links. Each is told once.

use crate::failure::one_line;
use hyperslab::File;
use hyperslab::internal::{self, Absent};
use std::io::Write;

/// What a file lacks, a sentence for each. This walks the whole file: after what fetches its metadata together, not before.
pub(crate) fn of(file: &File) -> Vec<String> {
    sentences(&internal::absent(file))
}

/// One sentence for each, as JSON has them.
pub(crate) fn sentences(absent: &[Absent]) -> Vec<String> {
    absent.iter().map(ToString::to_string).collect()
}

/// Writes the sentences about a file. If standard error cannot be written, there is nowhere left to report it.
pub(crate) fn warn(file: &str, sentences: &[String], err: &mut dyn Write) {
    for sentence in sentences {
        let _ = writeln!(err, "warning: {}", one_line(&format!("{file}: {sentence}")));
    }
}
