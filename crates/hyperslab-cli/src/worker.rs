//! Runs of libraries, each in a process of its own: this very command, started again. Two libhdf5 in one process would
//! mix their symbols.

use crate::failure::{self, Failure};
use hyperslab_measure::process::serve;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// The hidden command by which a run is started.
const WORKER: &str = "bench-worker";

/// Serves one run: a task on standard input, its outcome on standard output.
pub(crate) fn run(out: &mut dyn Write) -> Result<i32, Failure> {
    serve(&mut std::io::stdin().lock(), out)?;
    Ok(failure::DONE)
}

/// How this very command is started again. Inside Python, whose interpreter runs the command, by its module.
pub(crate) fn command() -> Result<(OsString, Vec<OsString>), Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::unreadable(format!("cannot determine the path of the hyperslab executable: {error}"))
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
