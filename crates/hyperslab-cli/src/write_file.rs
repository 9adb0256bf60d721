//! Files that a command writes beside its output: pages, recipes.

use std::path::Path;

use crate::failure::Failure;

/// Writes text to a file, or says that it cannot.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let written = std::fs::write(path, text);
    written.map_err(|error| Failure::unreadable(format!("{}: cannot be written: {error}", path.display())))
}
