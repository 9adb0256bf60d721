//! Where an index is written: beside its place, then renamed, so that it has its name only when it is complete.

use crate::{Error, Result};
use hyperslab_index::Omitted;
use std::path::Path;
use std::{fs, io};

/// Files that a folder of ours contains: only such a folder is replaced.
const MARKS: [&str; 4] = [".zmetadata", "zarr.json", "repo", "config.yaml"];

/// The names of indexes that are not complete.
const TEMPORARY: &str = ".hyperslab-index-";

pub(super) fn failed(path: &Path, error: &io::Error) -> Error {
    Error::system(format!("{}: {error}", path.display()), error)
}

pub(super) fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a file beside its place, and gives it its name when it is complete. A device or pipe is written to.
pub(super) fn new_file(target: &Path, write: impl FnOnce(&mut fs::File) -> Result<()>) -> Result<()> {
    let failed = |error: io::Error| failed(target, &error);
    if fs::metadata(target).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let mut file = fs::OpenOptions::new().write(true).open(target).map_err(failed)?;
        return write(&mut file);
    }
    // A link keeps leading to the file.
    let place = target.canonicalize();
    let target = place.as_deref().unwrap_or(target);
    let mut made = open_to_all(&mut tempfile::Builder::new(), 0o666)
        .prefix(TEMPORARY)
        .tempfile_in(parent(target))
        .map_err(|error| not_begun(target, &error))?;
    write(made.as_file_mut())?;
    made.persist(target).map_err(|error| failed(error.error))?;
    Ok(())
}

/// What is made has the permissions of any new file: the user's mask takes from them what it does not allow.
#[cfg(unix)]
fn open_to_all<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
    mode: u32,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn open_to_all<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
    _: u32,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder
}

/// The name of the temporary file is nothing to the user.
fn not_begun(target: &Path, error: &io::Error) -> Error {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        io::ErrorKind::PermissionDenied => "no file may be written in this folder".to_owned(),
        // The words of the system, without the temporary name.
        _ => error.to_string().split(" at path ").next().unwrap_or_default().to_owned(),
    };
    let message = format!("-o {}: cannot be written: {reason}", target.display());
    Error::request_of_system(message, error)
        .hint("nothing was written; name a file in a folder that is there")
}

/// Fills a new folder that then replaces `target`, if that is an earlier index or does not exist.
pub(super) fn folder(
    target: &Path,
    write: impl FnOnce(&Path) -> Result<Vec<Omitted>>,
) -> Result<Vec<Omitted>> {
    let is_ours = || MARKS.iter().any(|mark| target.join(mark).exists());
    let is_empty = || fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
    if target.exists() && !is_empty() && !is_ours() {
        let message = format!("{}: there is something else than an index", target.display());
        return Err(Error::wrong_request(message).hint("name another folder"));
    }
    let failed = |error: io::Error| failed(target, &error);
    let made = open_to_all(&mut tempfile::Builder::new(), 0o777)
        .prefix(TEMPORARY)
        .tempdir_in(parent(target))
        .map_err(|error| not_begun(target, &error))?;
    let omitted = write(made.path())?;
    if target.exists() {
        fs::remove_dir_all(target).map_err(failed)?;
    }
    fs::rename(made.path(), target).map_err(failed)?;
    // It has another name now, and is not removed.
    let _ = made.keep();
    Ok(omitted)
}
