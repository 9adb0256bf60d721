//! `hyperslab bench`: what a program's reads cost with other chunks, filters and caches, measured.
//!
//! ```text
//!   request (Matrices) ─► cost (Plan) ─► runs, each in a process of its own (`bench-worker`) ─► Rows ─► model (Document) ─► render: text, JSON, CSV, page
//!                            └─ --dry-run        └─ journal: what was measured before (`--resume`)          ▲
//!                                                                                                 RESULTS ──┘ (`--from`, `--compare`)
//! ```

pub(crate) mod arguments;
mod choice;
mod command;
mod cost;
mod engines;
mod journal;
mod model;
mod outputs;
mod progress;
mod recipe;
mod remote_copy;
mod render;
mod request;
mod tables;

use crate::failure::{self, Failure};
use arguments::BenchArgs;
use command::Commands;
use cost::{Calibrations, Plan};
use hyperslab_apps::facts;
use hyperslab_apps::files;
use hyperslab_apps::schema;
use hyperslab_bench::matrix::{Matrix, Row, Rows, Site, Subject};
use hyperslab_doctor::DatasetFacts;
use hyperslab_measure::process::Launcher;
use hyperslab_measure::runner::ResultCache;
use hyperslab_units::counted_text;
use journal::Journal;
use model::document::Document;
use model::head::Head;
use progress::Bar;
use remote_copy::RemoteCopy;
use render::{csv, html};
use request::Request;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A bench that is predicted to take longer says so before it begins.
const LONG_SECONDS: f64 = 10.0;

/// Set by Ctrl-C, by a request to end, and by a terminal that is closed.
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
    outputs::check(args)?;
    let older = args.compare.as_deref().map(Document::read).transpose()?;
    let mut document = match &args.from {
        Some(path) => Document::read(path)?,
        None => {
            let launcher = launcher(args)?;
            if args.list {
                return engines::list(args, &launcher, out);
            }
            let args = &*choice::with_dataset(args, err)?;
            match measure(args, &launcher, out, err)? {
                Some(document) => document,
                None => return Ok(failure::DONE),
            }
        }
    };
    if let (Some(older), Some(path)) = (&older, &args.compare) {
        document.compare(&path.display().to_string(), older);
    }
    if let Some(path) = &args.csv {
        let fail = |error: ::csv::Error| written_too_late(path, &error);
        csv::write_file(&document, path).map_err(fail)?;
    }
    if let Some(path) = &args.html {
        let fail = |error: std::io::Error| written_too_late(path, &error);
        std::fs::write(path, html::page(&document).html()).map_err(fail)?;
    }
    let text = if args.json { document.json()? } else { render::text(&document) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(if document.skipped.is_empty() { failure::DONE } else { failure::UNREADABLE })
}

/// What could be written before the bench, and cannot be after it.
fn written_too_late(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::unreadable(format!("{}: {error}", path.display()))
        .hint("keep what --json prints: --from makes every other form of it")
}

/// Measures what the command line asks for; what was complete when the user stopped it is in the document. Nothing for
/// a dry run, which prints its plan.
fn measure(
    args: &BenchArgs,
    launcher: &Launcher,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Option<Document>, Failure> {
    let folder = folder(args)?;
    end_by_interrupt();
    // A plan needs the metadata of a remote file only.
    let copy = if args.dry_run { None } else { RemoteCopy::of(args, folder.path())? };
    if let Some(copy) = &copy {
        let _ = writeln!(err, "{}", copy.note);
    }
    let measured = copy.as_ref().map_or(args, |copy| &copy.args);
    let asked = request::asked(measured)?;
    outputs::check_files(measured, &asked, folder.path())?;
    let mut head = Head::before(measured, &asked, launcher, folder.path())?;
    let (file, dataset) = (measured.file.as_deref(), measured.dataset.as_deref());
    let as_is = file.zip(dataset).and_then(|(file, dataset)| facts(file, dataset));
    let calibrations = Calibrations::of(asked.matrices.iter().flat_map(|matrix| &matrix.engines));
    let plan = Plan::of(measured, &asked, &head, as_is.as_ref(), &calibrations);
    if args.dry_run {
        let text = match args.json {
            true => schema::document(schema::BENCH_PLAN, &plan)?,
            false => format!("{}\n{}\n", tables::text(&plan.table()), plan.sentence()),
        };
        out.write_all(text.as_bytes())?;
        return Ok(None);
    }
    if plan.seconds > LONG_SECONDS || plan.taken() < plan.cells.len() {
        let _ = writeln!(err, "{}", plan.sentence());
    }
    // No bench can go on from a copy, which goes with its folder.
    let opened = copy.is_none().then(|| Journal::open(args, &asked.matrices)).transpose();
    let mut journal = match opened {
        Ok(journal) => journal,
        // Without a place to remember, everything can still be measured; unless remembering was asked for.
        Err(_) if args.resume.is_none() => None,
        Err(error) => return Err(Failure::wrong_request(format!("--resume: no place to remember: {error}"))),
    };
    let Request { matrices, missing, notes, .. } = asked;
    let missing = missing
        .into_iter()
        .map(|kind| format!("no {} was found, so none takes part; {}", kind.name(), kind.how_to_get()));
    let fetched = copy.as_ref().map(|copy| copy.note.clone());
    let notes = fetched.into_iter().chain(notes).chain(missing);
    let mut rows = Rows { notes: notes.collect(), ..Rows::default() };
    if let Some(copy) = &copy {
        head.data.file = Some(copy.url.clone());
    }
    // The same for every type of element.
    let engines = matrices.first().map(|matrix| [matrix.engines.clone(), matrix.writers.clone()].concat());
    let site = Site {
        folder: folder.path(),
        launcher,
        facts: &facts,
        stop: &STOP,
        leave_out: &|question| plan.leave_out(question),
        deadline: Instant::now().checked_add(Duration::from_secs_f64(args.max_seconds.min(1e9))),
        keep: args.keep.as_deref(),
    };
    let mut unkept = HashMap::new();
    for matrix in &matrices {
        let seconds_of = |doing: &str| plan.run_seconds(doing);
        let mut bar = Bar::new(Some(plan.seconds / matrices.len() as f64), &seconds_of);
        let cache: &mut dyn ResultCache<Row> = match &mut journal {
            Some(journal) => journal,
            None => &mut unkept,
        };
        let mut found = matrix.run(&site, &mut bar, cache);
        bar.finish();
        if matrices.len() > 1 {
            name_type(&mut found, matrix);
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
        say_what_is_kept(journal, rows.rows.len(), plan.taken(), args, err);
    }
    Ok(Some(Document::new(head, rows, &Commands::new(args, engines.unwrap_or_default()))))
}

/// Where several types are measured, what is stored is distinguished by them, too.
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
fn say_what_is_kept(journal: Journal, rows: usize, cells: usize, args: &BenchArgs, err: &mut dyn Write) {
    if journal.recalled > 0 {
        let _ = writeln!(err, "resumed: {} of {cells} rows were measured before", journal.recalled);
    }
    if !STOP.load(Ordering::Relaxed) {
        return journal.finish();
    }
    let again = match &args.resume {
        Some(_) => "the same command goes on from there",
        None => "the same command with --resume goes on from there",
    };
    let (kept, place) = (counted_text(rows as u64, "row"), journal.path().display());
    let _ = writeln!(err, "interrupted: {kept} of {cells} measured and kept in {place}; {again}");
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
    let (program, arguments) = hyperslab_apps::worker::command()?;
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
    facts::of(&dataset(path, name)?, facts::SampleScope::Decoding).ok()
}

/// The same for counts alone.
fn layout(path: &Path, name: &str) -> Option<DatasetFacts> {
    facts::layout_facts(&dataset(path, name)?).ok()
}

fn dataset(path: &Path, name: &str) -> Option<hyperslab::Dataset> {
    hyperslab_netcdf::find_dataset(&files::open(path).ok()?, name).ok()
}
