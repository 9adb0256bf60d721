//! `hyperslab bench`: what a program's reads cost with other chunks, filters and caches, measured.
//!
//! ```text
//! question (a Matrix) ──► runs, each in a process of its own (`bench-worker`) ──► Rows ──► Document ──► text, JSON, CSV, HTML
//!                            └─ journal: what was measured before (`--resume`)                ▲
//!                                                                                   RESULTS ──┘ (`--from`)
//! ```

pub(crate) mod arguments;
mod command;
mod csv;
mod document;
mod engines;
mod finding;
mod html;
mod machine;
mod progress;
mod question;
mod recipe;
mod report;
mod resume;

use crate::doctor;
use crate::failure::{self, Failure};
use arguments::BenchArgs;
use command::Commands;
use document::{Document, Head};
use hyperslab_bench::matrix::{Matrix, Row, Rows, Site, Subject};
use hyperslab_bench::process::{Launcher, serve};
use hyperslab_bench::runner::ResultCache;
use hyperslab_doctor::DatasetFacts;
use progress::Bar;
use resume::Journal;
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
    if !args.render.is_empty() {
        return recipe::render(&args.render, out);
    }
    if args.recipe.is_some() {
        return recipe::run(args, &launcher(args)?, out, err);
    }
    if args.scale.is_some() || args.about {
        return Err(Failure::wrong_request("--scale and --about go with --recipe")
            .hint("--recipe list names the recipes"));
    }
    let document = match &args.from {
        Some(path) => Document::read(path)?,
        None => {
            let launcher = launcher(args)?;
            if args.list {
                return engines::list(args, &launcher, out);
            }
            measure(args, &launcher, err)?
        }
    };
    if let Some(path) = &args.csv {
        let fail = |error: ::csv::Error| Failure::unreadable(format!("{}: {error}", path.display()));
        csv::write_file(document.rows(), path).map_err(fail)?;
    }
    if let Some(path) = &args.html {
        let fail = |error: std::io::Error| Failure::unreadable(format!("{}: {error}", path.display()));
        std::fs::write(path, html::page(&document).html()).map_err(fail)?;
    }
    let text = if args.json { document.json()? } else { report::text(&document) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(if document.skipped.is_empty() { failure::DONE } else { failure::UNREADABLE })
}

/// Measures what the command line asks for; what was complete when the user stopped it is in the document.
fn measure(args: &BenchArgs, launcher: &Launcher, err: &mut dyn Write) -> Result<Document, Failure> {
    let (matrices, missing) = question::matrices(args)?;
    let folder = folder(args)?;
    end_by_interrupt();
    let mut journal = match Journal::open(args, &matrices) {
        Ok(journal) => Some(journal),
        // Without a place to remember, everything can still be measured; unless remembering was asked for.
        Err(_) if args.resume.is_none() => None,
        Err(error) => return Err(Failure::wrong_request(format!("--resume: no place to remember: {error}"))),
    };
    let head = Head::before(args, &matrices, launcher, folder.path())?;
    let mut rows = Rows::default();
    rows.notes.extend(missing.into_iter().map(|family| {
        format!("no {} was found, so none takes part; {}", family.name(), family.how_to_get())
    }));
    // The same for every type of element.
    let cast = matrices.first().map(|matrix| [matrix.engines.clone(), matrix.writers.clone()].concat());
    let types = matrices.len();
    for matrix in matrices {
        let mut bar = Bar::new();
        let site = Site { folder: folder.path(), launcher, facts: &facts, stop: &STOP };
        let cache = journal.as_mut().map(|journal| journal as &mut dyn ResultCache<Row>);
        let mut found = matrix.run(&site, &mut bar, cache);
        bar.finish();
        if types > 1 {
            name_type(&mut found, &matrix);
        }
        rows.rows.extend(found.rows);
        rows.skipped.extend(found.skipped);
        for note in found.notes {
            if !rows.notes.contains(&note) {
                rows.notes.push(note);
            }
        }
    }
    if let Some(journal) = journal {
        say_what_is_kept(journal, rows.rows.len(), args, err);
    }
    Ok(Document::new(head, rows, &Commands::new(args, cast.unwrap_or_default())))
}

/// Where several types are measured, what is stored is told apart by them too.
fn name_type(found: &mut Rows, matrix: &Matrix) {
    let Subject::Synthetic(synthetic) = &matrix.subject else { return };
    let element = synthetic.element;
    for row in &mut found.rows {
        row.stored_as = format!("{element} in {}", row.stored_as);
    }
    for skipped in &mut found.skipped {
        skipped.what = format!("{element}: {}", skipped.what);
    }
}

/// What was not measured now, because it was before; and after Ctrl-C, how to go on.
fn say_what_is_kept(journal: Journal, rows: usize, args: &BenchArgs, err: &mut dyn Write) {
    if journal.recalled > 0 {
        let _ = writeln!(err, "resumed: {} of {rows} rows were measured before", journal.recalled);
    }
    if !STOP.load(Ordering::Relaxed) {
        return journal.finish();
    }
    let again = match &args.resume {
        Some(_) => "the same command goes on from there",
        None => "the same command with --resume goes on from there",
    };
    let kept = finding::count(rows as u64, "row");
    let _ = writeln!(err, "interrupted: {kept} measured and kept in {}; {again}", journal.path().display());
}

/// Where files are made; it goes when it is dropped.
fn folder(args: &BenchArgs) -> Result<tempfile::TempDir, Failure> {
    let mut named = tempfile::Builder::new();
    named.prefix("hyperslab-bench-");
    let folder = match &args.folder {
        Some(folder) => named.tempdir_in(folder),
        None => named.tempdir(),
    };
    folder.map_err(|error| Failure::wrong_request(format!("no folder to write to: {error}")))
}

fn launcher(args: &BenchArgs) -> Result<Launcher, Failure> {
    let (program, arguments) = worker_command()?;
    Ok(Launcher { program, arguments, timeout: Duration::from_secs(args.timeout) })
}

/// What is complete is reported, and the folder goes; a second Ctrl-C ends the process.
fn end_by_interrupt() {
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// What the simulator needs to know of a dataset, and how fast its chunks decode, from which seconds are predicted.
fn facts(path: &Path, name: &str) -> Option<DatasetFacts> {
    doctor::facts_of(path, &dataset(path, name)?, doctor::SampleScope::Decoding).ok()
}

/// The same for counts alone.
fn layout(path: &Path, name: &str) -> Option<DatasetFacts> {
    doctor::layout_facts(&dataset(path, name)?).ok()
}

fn dataset(path: &Path, name: &str) -> Option<hyperslab::Dataset> {
    hyperslab::File::open(path).and_then(|file| file.dataset(name)).ok()
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
