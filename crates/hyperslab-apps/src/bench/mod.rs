//! The bench: what a program's reads cost with other chunks, filters and caches, measured.
//!
//! ```text
//!   Request ─► asked (Matrices) ─► Plan ─► runs, each in a process of its own ─► Rows ─► Document
//!                                             └─ journal: what was measured before (`resume`)
//! ```

mod asked;
mod calibrations;
mod choice;
mod engines;
mod head;
mod journal;
mod line;
mod observer;
mod recipe;
mod remote_copy;
mod request;

pub use engines::Installed;
pub use hyperslab_bench::document::Document;
pub use line::word;
pub use observer::Observer;
pub use recipe::{named as recipe_named, run_recipe};
pub use request::{
    DEFAULT_CELL_SECONDS, DEFAULT_MEMORY, DEFAULT_REPEATS, DEFAULT_SECONDS_MAX, DEFAULT_SEED,
    DEFAULT_TIMEOUT, DEFAULT_WRITE_REPEATS, Request, Unlimited,
};

use crate::{Error, Result, facts, files, worker};
use asked::Measurements;
use calibrations::Calibrations;
use hyperslab_bench::document::{DocumentError, Head, free_bytes};
use hyperslab_bench::matrix::{Matrix, Row, Rows, Site, Subject};
use hyperslab_bench::plan::Plan;
use hyperslab_doctor::DatasetFacts;
use hyperslab_measure::process::Launcher;
use hyperslab_measure::runner::ResultCache;
use hyperslab_units::{counted_text, size};
use journal::Journal;
use line::Commands;
use remote_copy::RemoteCopy;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A bench that is predicted to take longer says so before it begins.
const LONG_SECONDS: f64 = 10.0;

/// A bench that is about to measure.
pub struct Bench<'r> {
    request: Cow<'r, Request>,
    folder: TempDir,
    launcher: Launcher,
    copy: Option<RemoteCopy>,
    asked: Measurements,
    head: Head,
    /// What it will take.
    pub plan: Plan,
}

impl<'r> Bench<'r> {
    /// Reads the request, asks the engines, and plans. A file behind a URL is fetched if it `fetches`: a plan needs its metadata
    /// only.
    ///
    /// # Errors
    /// A request that is wrong or that the disk has no room for, and a file that cannot be read.
    pub fn new(request: &'r Request, fetches: bool, observer: &mut dyn Observer) -> Result<Self> {
        let (request, listed) = choice::with_dataset(request)?;
        if let Some(listed) = listed {
            observer.note(listed.trim_end());
        }
        let folder = folder(&request)?;
        let copy = if fetches { RemoteCopy::of(&request, folder.path(), observer.stop())? } else { None };
        if let Some(copy) = &copy {
            observer.note(&copy.note);
        }
        let measured = copy.as_ref().map_or(&*request, |copy| &copy.request);
        let asked = asked::asked(measured)?;
        check_room(measured, &asked, folder.path())?;
        let launcher = launcher(request.timeout)?;
        let head = head::before(measured, &asked, &launcher, folder.path())?;
        let (file, dataset) = (measured.file.as_deref(), measured.dataset.as_deref());
        let as_is = file.zip(dataset).and_then(|(file, dataset)| dataset_facts(file, dataset));
        let calibrations = Calibrations::of(asked.matrices.iter().flat_map(|matrix| &matrix.engines));
        let plan = Plan::of(&asked.matrices, measured.max_seconds, &head, as_is.as_ref(), &calibrations);
        Ok(Self { request, folder, launcher, copy, asked, head, plan })
    }

    /// Measures. What was complete when it was stopped is in the document.
    ///
    /// # Errors
    /// If there is no place to remember what was measured, and that was asked for.
    pub fn run(self, observer: &mut dyn Observer) -> Result<Document> {
        let Self { request, folder, launcher, copy, asked, mut head, plan } = self;
        let request = &*request;
        if plan.seconds > LONG_SECONDS || plan.taken() < plan.cells.len() {
            observer.note(&plan.sentence());
        }
        // No bench can go on from a copy, which goes with its folder.
        let opened = copy.is_none().then(|| Journal::open(request, &asked.matrices)).transpose();
        let mut journal = match opened {
            Ok(journal) => journal,
            // Without a place to remember, everything can still be measured; unless remembering was asked for.
            Err(_) if request.resume.is_none() => None,
            Err(error) => {
                let message = format!("--resume: no place to remember: {error}");
                return Err(Error::request_of_system(message, &error));
            }
        };
        let Measurements { matrices, missing, notes, .. } = asked;
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
        let engines =
            matrices.first().map(|matrix| [matrix.engines.clone(), matrix.writers.clone()].concat());
        let site = Site {
            folder: folder.path(),
            launcher: &launcher,
            facts: &dataset_facts,
            stop: observer.stop(),
            leave_out: &|question| plan.leave_out(question),
            deadline: Instant::now().checked_add(Duration::from_secs_f64(request.max_seconds.min(1e9))),
            keep: request.keep.as_deref(),
        };
        let mut unkept = HashMap::new();
        for matrix in &matrices {
            let seconds = Some(plan.seconds / matrices.len() as f64);
            let cache: &mut dyn ResultCache<Row> = match &mut journal {
                Some(journal) => journal,
                None => &mut unkept,
            };
            let mut found = Rows::default();
            observer.watch(seconds, &|doing| plan.run_seconds(doing), &mut |progress| {
                found = matrix.run(&site, progress, cache);
            });
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
            end_journal(journal, rows.rows.len(), plan.taken(), request, observer);
        }
        let commands = Commands::new(request, engines.unwrap_or_default());
        Ok(Document::new(head, rows, |row| commands.of(row)))
    }
}

/// Every library that is found, with what it says of itself.
///
/// # Errors
/// If this program cannot be started again, which loads them.
pub fn libraries(request: &Request) -> Result<Vec<Installed>> {
    Ok(engines::installed(&launcher(request.timeout)?))
}

/// A document that was kept.
///
/// # Errors
/// A file that cannot be read, or that is no such document.
pub fn read(path: &Path) -> Result<Document> {
    Document::read(path).map_err(|DocumentError { why, hint }| {
        let error = Error::wrong_request(why).about(path.display().to_string());
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    })
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

/// Says what was not measured now, because it was before; and of a bench that was stopped, how to go on.
fn end_journal(journal: Journal, rows: usize, cells: usize, request: &Request, observer: &mut dyn Observer) {
    if journal.recalled > 0 {
        observer.note(&format!("resumed: {} of {cells} rows were measured before", journal.recalled));
    }
    if !observer.stop().load(Ordering::Relaxed) {
        return journal.finish();
    }
    let again = match &request.resume {
        Some(_) => "the same command goes on from there",
        None => "the same command with --resume goes on from there",
    };
    let (kept, place) = (counted_text(rows as u64, "row"), journal.path().display());
    observer.note(&format!("interrupted: {kept} of {cells} measured and kept in {place}; {again}"));
}

/// Fails where the disk cannot hold the largest file that is made, or where several would be kept under one name.
fn check_room(request: &Request, asked: &Measurements, folder: &Path) -> Result<()> {
    let matrices = &asked.matrices;
    let files: usize = matrices
        .iter()
        .map(|matrix| matrix.storages.iter().flatten().count() * matrix.strategies.len())
        .sum();
    if request.keep.is_some() && files != 1 {
        return Err(Error::wrong_request(format!("--keep keeps one file, but {files} would be written"))
            .hint("name one storage, such as --chunks 1MiB --filter gzip=4"));
    }
    let made = matrices.iter().flat_map(|matrix| matrix.storages.iter().flatten());
    let Some(bytes) = made.map(|storage| storage.logical_bytes()).max() else { return Ok(()) };
    match free_bytes(folder) {
        Some(free) if bytes > free => Err(Error::wrong_request(format!(
            "a file of up to {} would be written to {}, which has {} left",
            size::bytes(bytes),
            folder.display(),
            size::bytes(free)
        ))
        .hint("--folder names another disk")),
        _ => Ok(()),
    }
}

/// Where files are made; it goes when it is dropped.
fn folder(request: &Request) -> Result<TempDir> {
    let mut named = tempfile::Builder::new();
    named.prefix("hyperslab-bench-");
    let folder = match &request.folder {
        Some(folder) => named.tempdir_in(folder),
        None => named.tempdir(),
    };
    folder.map_err(|error| Error::request_of_system(format!("no folder to write to: {error}"), &error))
}

fn launcher(timeout: u64) -> Result<Launcher> {
    let (program, arguments) = worker::command()?;
    Ok(Launcher { program, arguments, timeout: Duration::from_secs(timeout) })
}

/// What the simulator needs to know of a dataset, and how fast its chunks decode, from which seconds are predicted.
fn dataset_facts(path: &Path, name: &str) -> Option<DatasetFacts> {
    facts::of(&dataset(path, name)?, facts::SampleScope::Decoding).ok()
}

/// The same for counts alone.
fn layout(path: &Path, name: &str) -> Option<DatasetFacts> {
    facts::layout_facts(&dataset(path, name)?).ok()
}

fn dataset(path: &Path, name: &str) -> Option<hyperslab::Dataset> {
    hyperslab_netcdf::find_dataset(&files::open(path).ok()?, name).ok()
}
