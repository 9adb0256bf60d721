//! `hyperslab bench-worker`: one run of a library, in a process of its own.

use crate::failure::{self, Failure};
use hyperslab_measure::process::serve;
use std::io::Write;

/// Serves one run: a task on standard input, its outcome on standard output.
pub(crate) fn run(out: &mut dyn Write) -> Result<i32, Failure> {
    serve(&mut std::io::stdin().lock(), out)?;
    Ok(failure::DONE)
}
