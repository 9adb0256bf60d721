//! The files that a bench writes, checked before it measures anything: hours of work are not lost for a folder that is
//! not there.

use super::arguments::BenchArgs;
use super::model::machine::free_bytes;
use super::request::Request;
use crate::failure::Failure;
use crate::size;
use crate::write_file::check_file;
use std::path::Path;

/// Fails where what is asked for cannot be written in the end.
pub(super) fn check(args: &BenchArgs) -> Result<(), Failure> {
    for (option, path) in [("--csv", &args.csv), ("--html", &args.html), ("--keep", &args.keep)] {
        if let Some(path) = path {
            check_file(option, path)?;
        }
    }
    Ok(())
}

/// Fails where the disk cannot hold the largest file that is made, or where several would be kept under one name.
pub(super) fn check_files(args: &BenchArgs, asked: &Request, folder: &Path) -> Result<(), Failure> {
    let matrices = &asked.matrices;
    let files: usize = matrices
        .iter()
        .map(|matrix| matrix.storages.iter().flatten().count() * matrix.strategies.len())
        .sum();
    if args.keep.is_some() && files != 1 {
        return Err(Failure::wrong_request(format!("--keep keeps one file, but {files} would be written"))
            .hint("name one storage, such as --chunks 1MiB --filter gzip=4"));
    }
    let made = matrices.iter().flat_map(|matrix| matrix.storages.iter().flatten());
    let Some(bytes) = made.map(|storage| storage.logical_bytes()).max() else { return Ok(()) };
    match free_bytes(folder) {
        Some(free) if bytes > free => Err(Failure::wrong_request(format!(
            "a file of up to {} would be written to {}, which has {} left",
            size::bytes(bytes),
            folder.display(),
            size::bytes(free)
        ))
        .hint("--folder names another disk")),
        _ => Ok(()),
    }
}
