//! The command line, for the console script of the package.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Run the `hyperslab` command and return its exit code. The first of the `arguments` is the command's name.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> i32 {
    py.detach(|| hyperslab_cli::run(arguments))
}
