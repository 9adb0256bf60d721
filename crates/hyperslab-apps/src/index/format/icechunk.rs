//! Icechunk: a repository with virtual references.

use super::{Format, Writer};
use crate::index::place::{failed, parent};
use crate::{Error, Result};
use hyperslab_index::{FillMeaning, Index, Omitted, write_zarr};
use std::path::Path;
use std::process::Command;

/// Set by the command that Python starts: the interpreter, which has Icechunk's library.
const INTERPRETER: &str = "HYPERSLAB_INTERPRETER";

/// The format.
pub(super) const FORMAT: Format = Format {
    name: "icechunk",
    about: "Icechunk: a repository with virtual references (needs the package `icechunk` of Python)",
    ending: "icechunk",
    combines: true,
    has_template: false,
    names_local_files_by_url: true,
    fill: FillMeaning::Value,
    writer: Writer::Folder(write),
};

/// Lets Icechunk's own library write its repository, from the hierarchy of Zarr 3.
fn write(index: &Index, target: &Path, made: &Path) -> Result<Vec<Omitted>> {
    let interpreter = std::env::var_os(INTERPRETER).ok_or_else(|| {
        Error::wrong_request("the format icechunk needs the command of the Python package")
            .hint("pip install hyperslab[icechunk]")
    })?;
    let zarr = tempfile::tempdir_in(parent(target)).map_err(|error| failed(target, &error))?;
    let omitted = write_zarr(index, zarr.path()).map_err(|error| failed(target, &error))?;
    let mut command = Command::new(interpreter);
    let done = command.args(["-m", "hyperslab.icechunk"]).arg(zarr.path()).arg(made).output();
    let done = done.map_err(|error| failed(target, &error))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned);
        let last = last.unwrap_or_else(|| format!("it ended without a message ({})", done.status));
        return Err(Error::unreadable(format!("{}: icechunk: {last}", target.display())));
    }
    Ok(omitted)
}
