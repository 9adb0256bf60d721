//! `hyperslab bench-worker`: one run of a library, in a process of its own.

use crate::failure::{self, Failure};
use hyperslab_apps::worker::{WORKER, set_command};
use hyperslab_measure::process::serve;
use std::ffi::OsString;
use std::io::Write;

/// Serves one run: a task on standard input, its outcome on standard output.
pub(crate) fn run(out: &mut dyn Write) -> Result<i32, Failure> {
    serve(&mut std::io::stdin().lock(), out)?;
    Ok(failure::DONE)
}

/// Says how this very command is started again. Inside Python, whose interpreter runs the command, by its module.
pub(crate) fn register() {
    let Ok(program) = std::env::current_exe() else { return };
    let is_python = program.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("python"));
    let arguments: &[&str] = if is_python { &["-m", "hyperslab", WORKER] } else { &[WORKER] };
    // A virtual environment's interpreter is a link: its own name leads to its packages, not what it points to.
    let named = std::env::var_os("HYPERSLAB_INTERPRETER").filter(|_| is_python);
    let program = named.unwrap_or_else(|| program.into_os_string());
    set_command(program, arguments.iter().map(OsString::from).collect());
}
