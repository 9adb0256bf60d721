//! `hyperslab doctor`: the facts about a file, for the diagnosis that the doctor's crate makes of them.

use crate::args::DoctorArgs;
use crate::failure::Failure;
use std::io::Write;

/// Runs the command.
pub(crate) fn run(_args: &DoctorArgs, _out: &mut dyn Write, _err: &mut dyn Write) -> Result<i32, Failure> {
    Err(Failure::unreadable("not wired"))
}
