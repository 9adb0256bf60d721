//! `hyperslab bench`: what a program's reads cost with other chunks, filters and caches, measured.
//!
//! ```text
//! question (a Matrix) ──► runs, each in a process of its own (`bench-worker`) ──► Rows ──► text, JSON, CSV
//! ```

pub(crate) mod arguments;
mod csv;
mod engines;
mod progress;
mod question;
mod report;

use crate::doctor;
use crate::failure::{self, Failure};
use arguments::BenchArgs;
use hyperslab_bench::matrix::Rows;
use hyperslab_bench::process::{Launcher, serve};
use progress::Bar;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The hidden command by which a run is started in a process of its own.
const WORKER: &str = "bench-worker";

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Runs the command.
pub(crate) fn run(args: &BenchArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let (program, arguments) = worker_command()?;
    let launcher = Launcher { program, arguments, timeout: Duration::from_secs(args.timeout) };
    if args.list {
        return engines::list(args, &launcher, out);
    }
    let matrices = question::matrices(args)?;
    let folder = match &args.folder {
        Some(folder) => tempfile::Builder::new().prefix("hyperslab-bench-").tempdir_in(folder),
        None => tempfile::Builder::new().prefix("hyperslab-bench-").tempdir(),
    };
    let folder = folder.map_err(|error| Failure::wrong_request(format!("no folder to write to: {error}")))?;
    // What is complete is reported, and the folder goes; a second Ctrl-C ends the process.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    let facts = |path: &Path, name: &str| {
        let dataset = hyperslab::File::open(path).and_then(|file| file.dataset(name)).ok()?;
        doctor::layout_facts(&dataset).ok()
    };
    let mut rows = Rows::default();
    for matrix in matrices {
        let mut bar = Bar::new();
        let found = matrix.run(folder.path(), &launcher, &facts, &mut bar, &STOP);
        bar.finish();
        rows.rows.extend(found.rows);
        rows.skipped.extend(found.skipped);
        rows.notes.extend(found.notes);
    }
    rows.notes.dedup();
    if let Some(path) = &args.csv {
        let fail = |error: ::csv::Error| Failure::unreadable(format!("{}: {error}", path.display()));
        csv::write(&rows, path).map_err(fail)?;
    }
    let text = match args.json {
        true => serde_json::to_string(&rows).map_err(|error| Failure::unreadable(error.to_string()))? + "\n",
        false => report::text(&rows),
    };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    if STOP.load(Ordering::Relaxed) {
        let _ = writeln!(err, "interrupted: what was complete is above");
    }
    Ok(if rows.skipped.is_empty() { failure::DONE } else { failure::UNREADABLE })
}

/// Serves one run: a task on standard input, its outcome on standard output.
pub(crate) fn worker(out: &mut dyn Write) -> Result<i32, Failure> {
    serve(&mut std::io::stdin().lock(), out)?;
    Ok(failure::DONE)
}

/// How this very command is started again. Inside Python, whose interpreter runs the command, by its module.
fn worker_command() -> Result<(OsString, Vec<OsString>), Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::unreadable(format!("this command does not find itself: {error}")))?;
    let is_python = program.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("python"));
    let arguments: &[&str] = if is_python { &["-m", "hyperslab", WORKER] } else { &[WORKER] };
    Ok((python_or(program, is_python), arguments.iter().map(OsString::from).collect()))
}

/// A virtual environment's interpreter is a link: its own name leads to its packages, not what it points to.
fn python_or(program: std::path::PathBuf, is_python: bool) -> OsString {
    let named = std::env::var_os("HYPERSLAB_INTERPRETER").filter(|_| is_python);
    named.unwrap_or_else(|| program.into_os_string())
}
