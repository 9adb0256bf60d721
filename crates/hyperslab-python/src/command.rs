//! The command line, for the console script of the package.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the `hyperslab` command; `arguments` begin with its name. The result is its exit code.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> i32 {
    py.detach(|| hyperslab_cli::run(arguments))
}
