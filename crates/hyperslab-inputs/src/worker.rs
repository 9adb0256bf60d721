//! The program that runs a library in a process of its own. Two libhdf5 in one process would mix their symbols.

use crate::{Error, Result};
use std::ffi::OsString;
use std::sync::OnceLock;

/// The hidden command by which a run is started.
pub const WORKER: &str = "bench-worker";

static COMMAND: OnceLock<(OsString, Vec<OsString>)> = OnceLock::new();

/// Says which program, with which arguments, serves a run: one that calls [`hyperslab_measure::process::serve`]. Set once. Until
/// then no library is measured, and seconds are predicted by constants.
pub fn set_command(program: OsString, arguments: Vec<OsString>) {
    let _ = COMMAND.set((program, arguments));
}

/// How a run is started.
///
/// # Errors
/// If no program is known.
pub fn command() -> Result<(OsString, Vec<OsString>)> {
    COMMAND.get().cloned().ok_or_else(|| {
        Error::unreadable("no program is known that runs libraries")
            .hint("a program that measures calls `hyperslab_inputs::worker::set_command` when it begins")
    })
}
