//! The `hyperslab` command: its arguments and its output.
//!
//! There is one file or folder per subcommand: [`ls`], [`explain`], [`chunks`], [`digest`], [`doctor`], `advise`, [`bench`],
//! `check`, `index`, [`repack`]. All of
//! them get their facts from the engine; this crate does not know the file format. Data goes to standard output, messages
//! to standard error.
//!
//! A command either succeeds or fails with a one-line message that says what to do ([`failure`]). With `--json`, the
//! document is complete before its first byte is printed.

mod absent;
mod advise;
mod archive;
mod args;
pub mod bench;
mod check;
pub mod chunks;
pub mod digest;
pub mod doctor;
pub mod explain;
pub mod failure;
mod file_progress;
mod help;
mod index;
mod listing_total;
pub mod ls;
mod named_files;
#[cfg(feature = "remote")]
mod network;
mod network_args;
mod output;
mod pattern_args;
#[cfg(target_os = "linux")]
mod preloaded;
#[cfg(feature = "remote")]
mod prices;
pub mod repack;
#[cfg(target_os = "linux")]
mod run;
mod run_options;
mod terminal;
#[cfg(target_os = "linux")]
mod trace;
mod worker;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use failure::Failure;
use hyperslab_apps::{files, outputs};
use network_args::NetworkArgs;
use std::ffi::OsString;
use std::io::Write;

/// Runs the command with these arguments (the first is the name of the program), using the process's standard output
/// and standard error. Returns the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> i32 {
    let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut err = std::io::stderr();
    worker::register();
    run_with(args, &mut out, &mut err)
}

/// Runs the command with these arguments, writing to `out` and `err`. Returns the exit code.
pub fn run_with(args: impl IntoIterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    let cli = match parse(args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, out, err),
    };
    let network = cli.network;
    let named = outputs::check_outputs(&cli.command.outputs(&network), &cli.command.inputs());
    // Before the log of requests is begun, which may be one of them.
    if let Err(failure) = named {
        return Failure::from(failure).report(err);
    }
    files::on_written_file(warn);
    let done = begin(&network).and_then(|()| match cli.command {
        Command::Ls(args) => ls::run(&args, out, err),
        Command::Explain(args) => explain::run(&args, out, err),
        Command::Chunks(args) => chunks::run(&args, out, err),
        Command::Digest(args) => digest::run(&args, out, err),
        Command::Doctor(args) => doctor::run(&args, out, err),
        Command::Advise(args) => advise::run(&args, out, err),
        Command::Bench(args) => bench::run(&args, out, err),
        Command::Check(args) => check::run(&args, out, err),
        Command::Index(args) => index::run(&args, out, err),
        Command::Repack(args) => repack::run(&args, out, err),
        #[cfg(target_os = "linux")]
        Command::Run(args) => run::run(&args),
        #[cfg(target_os = "linux")]
        Command::Trace(args) => trace::run(&args, out, err),
        Command::BenchWorker => worker::run(out),
    });
    let done = done.and_then(|code| out.flush().map(|()| code).map_err(Failure::from));
    let code = match done {
        Ok(code) => code,
        Err(failure) => failure.report(err),
    };
    #[cfg(feature = "remote")]
    network::end(&network, err);
    code
}

fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut command = help::with_paragraphs(Cli::command());
    let matches = command.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Sets what all subcommands have in common.
fn begin(network: &NetworkArgs) -> Result<(), Failure> {
    #[cfg(feature = "remote")]
    network::begin(network)?;
    let _ = network;
    Ok(())
}

/// Help and version are written to standard output, usage errors to standard error.
fn usage(error: &clap::Error, out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    let text = error.render().to_string();
    let to: &mut dyn Write = if error.use_stderr() { err } else { out };
    // If even this cannot be written, there is nowhere left to report it.
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
    if error.use_stderr() { failure::WRONG_REQUEST } else { failure::DONE }
}

/// Warns of a file from wherever it is opened.
fn warn(text: &str) {
    let _ = writeln!(std::io::stderr(), "warning: {}", failure::one_line(text));
}
