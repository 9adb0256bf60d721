//! Files for tests, and reading all that a file holds.
#![allow(dead_code, reason = "every test uses a part of this")]

mod folders;
mod stopwatch;
mod walk;

#[allow(unused_imports, reason = "every test uses a part of this")]
pub use folders::{corpus, fixtures};
use std::path::{Path, PathBuf};
#[allow(unused_imports, reason = "every test uses a part of this")]
pub use stopwatch::Stopwatch;
#[allow(unused_imports, reason = "every test uses a part of this")]
pub use walk::{Met, read_everything};

/// All HDF5 files below a folder that are at most this long, in a fixed order.
pub fn hdf5_files(folder: &Path, bytes_max: u64) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.metadata().is_ok_and(|metadata| metadata.len() <= bytes_max) {
                let head = std::fs::read(&path).unwrap_or_default();
                if head.starts_with(b"\x89HDF\r\n\x1a\n") {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    found
}
