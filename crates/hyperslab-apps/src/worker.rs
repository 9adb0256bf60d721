//! Runs of libraries, each in a process of its own: the program that runs, started again. Two libhdf5 in one process would
//! mix their symbols.

use crate::{Error, Result};
use std::ffi::OsString;
use std::path::PathBuf;

/// The hidden command by which a run is started.
pub const WORKER: &str = "bench-worker";

/// How this very command is started again. Inside Python, whose interpreter runs the command, by its module.
pub fn command() -> Result<(OsString, Vec<OsString>)> {
    let program = std::env::current_exe().map_err(|error| {
        Error::unreadable(format!("cannot determine the path of the hyperslab executable: {error}"))
    })?;
    let is_python = program.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("python"));
    let arguments: &[&str] = if is_python { &["-m", "hyperslab", WORKER] } else { &[WORKER] };
    Ok((python_or(program, is_python), arguments.iter().map(OsString::from).collect()))
}

/// A virtual environment's interpreter is a link: its own name leads to its packages, not what it points to.
fn python_or(program: PathBuf, is_python: bool) -> OsString {
    let named = std::env::var_os("HYPERSLAB_INTERPRETER").filter(|_| is_python);
    named.unwrap_or_else(|| program.into_os_string())
}
