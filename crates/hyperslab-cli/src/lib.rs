//! The `hyperslab` command: what it is asked, and what it prints.
//!
//! One folder or file a subcommand: [`ls`], [`explain`], [`digest`], [`doctor`]. All of them get their facts from the
//! engine; nothing about the file format is known here. Data goes to standard output, talk to standard error.
//!
//! A command either answers, or fails with one line that says what to do ([`failure`]). With `--json` a document is
//! complete before its first byte is printed.

mod args;
pub mod bench;
pub mod digest;
pub mod doctor;
pub mod dtype;
mod element;
pub mod explain;
pub mod failure;
pub mod json;
pub mod ls;
mod output;
mod places;
mod schema;
mod size;
mod walk;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use std::ffi::OsString;
use std::io::Write;

/// Runs the command with these arguments (the first is the name of the program) on the process's own standard
/// output and standard error. The result is the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> i32 {
    let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut err = std::io::stderr();
    run_with(args, &mut out, &mut err)
}

/// Runs the command with these arguments on any output.
pub fn run_with(args: impl IntoIterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, out, err),
    };
    let done = match cli.command {
        Command::Ls(args) => ls::run(&args, out, err),
        Command::Explain(args) => explain::run(&args, out),
        Command::Digest(args) => digest::run(&args, out, err),
        Command::Doctor(args) => doctor::run(&args, out, err),
        Command::Bench(args) => bench::run(&args, out, err),
        Command::BenchWorker => bench::worker(out),
    };
    let done = done.and_then(|code| out.flush().map(|()| code).map_err(Failure::from));
    match done {
        Ok(code) => code,
        Err(failure) => failure.report(err),
    }
}

/// Help and version go to standard output; a wrong command line to standard error.
fn usage(error: &clap::Error, out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    let text = error.render().to_string();
    let to: &mut dyn Write = if error.use_stderr() { err } else { out };
    // Nobody is left to tell where even this cannot be written.
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
    if error.use_stderr() { failure::WRONG_REQUEST } else { failure::DONE }
}
