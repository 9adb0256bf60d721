//! `hyperslab advise`: collects facts and samples of datasets, and prints which chunks and filters serve their reads.
//!
//! ```text
//! choose datasets ──► facts + axes + samples of the values ──► hyperslab_advise::advise ──► text, JSON, page, recipe
//! ```

pub(crate) mod arguments;
mod axes;
mod case;
mod hard_path;
mod inflate;
mod observed;
mod page;
mod pages;
mod recipe;
mod request;
mod sample_folder;
mod samples;
mod storage;
mod subject;
mod text;
mod together;
mod user_library;

use crate::facts::{Library, choose, is_netcdf};
use crate::failure::{self, Failure, one_line};
use crate::forecast::{Sessions, SweptRead};
use crate::shell_line::shell_line;
use crate::write_file::{check_file, write_file};
use crate::{location, schema};
use arguments::AdviseArgs;
pub(crate) use axes::Axes;
use case::Case;
use hyperslab::datatypes::Class;
use hyperslab::{Dataset, Dataspace, File};
use hyperslab_advise::{Advice, AdviseError, Question, Target, Together, UsualRead, advise};
use hyperslab_doctor::Options;
use hyperslab_doctor::forecast::Forecast;
use pages::Pages;
use request::Request;
pub(crate) use samples::Samples;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
pub(crate) use storage::{brief_text, recipe_entry};
use subject::Subject;

/// The document that `--json` prints.
#[derive(Debug, Serialize)]
struct Document {
    /// The file's name.
    file: String,
    /// The libhdf5 whose seconds are predicted, or null where the built-in constants were used.
    library: Option<String>,
    /// True if the reads are the usual ones, because none was named.
    reads_are_usual: bool,
    /// The advice, one for each dataset.
    datasets: Vec<Advice>,
    /// One shape for datasets that are read together.
    together: Vec<Together>,
    /// Datasets that there is no advice for.
    skipped: Vec<Skipped>,
    /// The pages that serve the readers best, where the file will lie in an object store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<Pages>,
    /// What the file takes in an object store as it is, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    forecast: Option<Forecast>,
}

/// A dataset that there is no advice for.
#[derive(Debug, Serialize)]
struct Skipped {
    path: String,
    reason: String,
}

/// The most datasets that are named in a file without any that there could be advice on.
const NAMED_MAX: usize = 6;
/// The share of the time for the datasets one by one.
const SHARE_ALONE: f64 = 0.8;

/// Runs the command.
pub(crate) fn run(args: &AdviseArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let request = Request::parse(args)?;
    for (option, path) in [("--html", &args.html), ("--recipe-out", &args.recipe_out)] {
        path.as_deref().map(|path| check_file(option, path)).transpose()?;
    }
    let subject = Subject::of(args)?;
    let file = &subject.file;
    let library = match &args.libhdf5 {
        Some(path) => Library::named(path)?,
        None => Library::of_python(),
    };
    let (datasets, mut notes) = chosen(args, &request, file)?;
    notes.extend(request.notes_on_max_error(&datasets));
    let axes = Axes::of(file);
    // A part of the time is for what the datasets have in common.
    let share = if datasets.len() > 1 { SHARE_ALONE } else { 1.0 };
    let seconds = args.seconds * share / datasets.len().max(1) as f64;
    let mut document = Document {
        file: file.name(),
        library: library.calibrated.as_ref().and_then(|calibrated| calibrated.prediction().library),
        reads_are_usual: request.reads.is_empty() && request.observed.is_none(),
        datasets: Vec::new(),
        together: Vec::new(),
        skipped: Vec::new(),
        pages: None,
        forecast: None,
    };
    let mut failures: Vec<Failure> = Vec::new();
    let mut cases: Vec<Case<'_>> = Vec::new();
    for dataset in &datasets {
        let path = dataset.path().to_owned();
        if let Some(reason) = unsuitable(dataset) {
            document.skipped.push(Skipped { path, reason: reason.to_owned() });
            continue;
        }
        let answer = Case::new(&subject.path, &request, &library, &axes, dataset).and_then(|case| {
            let question = case.question(&request, &library, file, seconds);
            let advice =
                advise(&question, &mut case.samples(&request, &library, seconds)).map_err(refused)?;
            Ok(advice.map(|advice| (case, advice)))
        });
        match answer {
            Ok(Some((case, advice))) => {
                document.datasets.push(advice);
                cases.push(case);
            }
            Ok(None) => document.skipped.push(Skipped { path, reason: "it has no values".to_owned() }),
            // A dataset that cannot be read does not hide the others.
            Err(failure) => failures.push(named(&document.file, failure)),
        }
    }
    for members in together::groups(&cases) {
        let questions: Vec<Question<'_>> =
            members.iter().map(|at| cases[*at].question(&request, &library, file, seconds)).collect();
        let advice: Vec<&Advice> = members.iter().map(|at| &document.datasets[*at]).collect();
        let mut samples: Vec<Samples<'_>> =
            members.iter().map(|at| cases[*at].samples(&request, &library, seconds)).collect();
        let agreed = together::agreed(&questions, &advice, &mut samples).map_err(refused)?;
        document.together.extend(agreed);
    }
    if document.datasets.is_empty() && !failures.is_empty() {
        return Err(failures.swap_remove(0));
    }
    if document.datasets.is_empty() && !args.datasets.is_empty() {
        let reasons: Vec<String> =
            document.skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason)).collect();
        return Err(Failure::wrong_request(format!("{}: {}", document.file, reasons.join("; "))));
    }
    if args.cloud || request.place.is_store() {
        let answer = in_a_store(args, &subject.path, &request, file, &cases, &mut document);
        failures.extend(answer.err());
    }
    if let Some(path) = &args.html {
        write_file(path, &page::page(&document, &command(args, path)).html())?;
    }
    if let Some(path) = &args.recipe_out {
        write_file(path, &recipe::recipe(&document))?;
    }
    let shown =
        if args.json { schema::document(schema::ADVISE, &document)? } else { text::render(&document) };
    out.write_all(shown.as_bytes())?;
    out.flush()?;
    for note in notes {
        let _ = writeln!(err, "note: {}", one_line(&note));
    }
    Ok(failures.iter().map(|failure| failure.report(err)).max().unwrap_or(failure::DONE))
}

/// What the file takes as it is, and the pages that serve it: for its first dataset that there is advice on, read as it was
/// asked.
fn in_a_store(
    args: &AdviseArgs,
    path: &Path,
    request: &Request,
    file: &File,
    cases: &[Case<'_>],
    document: &mut Document,
) -> Result<(), Failure> {
    let mut reads = Vec::new();
    if let Some(advice) = document.datasets.first() {
        let dataset = file.dataset(&advice.path)?;
        let case = cases.iter().find(|case| case.dataset.path() == advice.path);
        let swept = |read: &UsualRead| SweptRead::new(&dataset, &read.name, &read.sweep(dataset.shape()));
        reads = case.map_or(&[][..], |case| &case.reads).iter().map(swept).collect();
    }
    let sessions = Sessions::of(path, file, &reads, &request.place)?;
    document.forecast = args.cloud.then(|| sessions.forecast());
    document.pages = pages::pages(&sessions, request, file, cases, &document.datasets)?;
    if let Some(pages) = &document.pages {
        for (case, advice) in cases.iter().zip(&mut document.datasets) {
            advice.with_target(&target(file, request, pages.advice.page_bytes), &case.facts);
        }
    }
    Ok(())
}

/// The file that the lines to paste are about.
fn target(file: &File, request: &Request, page_bytes: Option<u64>) -> Target {
    let is_planned = request.is_planned;
    Target { file: file.name(), is_planned, is_netcdf: is_netcdf(file), page_bytes }
}

/// The line that makes a page again.
fn command(args: &AdviseArgs, page: &Path) -> String {
    let mut words = vec!["hyperslab".to_owned(), "advise".to_owned()];
    words.extend(Subject::words(args));
    words.extend(args.datasets.iter().cloned());
    words.extend(args.read.iter().flat_map(|read| ["--read".to_owned(), read.clone()]));
    if let Some(path) = &args.reads_from {
        words.extend(["--reads-from".to_owned(), location::shown(path)]);
    }
    words.extend(args.write.iter().flat_map(|write| ["--write".to_owned(), write.clone()]));
    if !args.readers.is_empty() {
        words.extend(["--readers".to_owned(), args.readers.join(",")]);
    }
    words.extend(["--size-bound".to_owned(), args.size_bound.clone()]);
    if let Some(max_error) = args.max_error {
        words.extend(["--max-error".to_owned(), max_error.to_string()]);
    }
    words.extend(args.cloud.then(|| "--cloud".to_owned()));
    words.extend(args.place.iter().flat_map(|place| ["--place".to_owned(), place.clone()]));
    words.extend([
        "--seconds".to_owned(),
        args.seconds.to_string(),
        "--html".to_owned(),
        location::shown(page),
    ]);
    shell_line(&words)
}

/// The datasets that are named, or the largest.
fn chosen(args: &AdviseArgs, request: &Request, file: &File) -> Result<(Vec<Dataset>, Vec<String>), Failure> {
    let read =
        || request.observed.iter().flat_map(|observed| observed.datasets()).map(str::to_owned).collect();
    let named: Vec<String> = if args.datasets.is_empty() { read() } else { args.datasets.clone() };
    if !named.is_empty() {
        let mut datasets: Vec<Dataset> = Vec::new();
        let mut notes = Vec::new();
        for path in &named {
            // What a soft link leads to: the lines to paste must be about the object itself.
            let dataset = hyperslab_netcdf::find_dataset(file, path)?;
            let hard = hard_path::hard_path(file, dataset.path())?;
            let is_linked =
                hard.trim_matches('/') != dataset.path().trim_matches('/') && args.reads_from.is_none();
            let dataset = if is_linked { file.dataset(&hard).unwrap_or(dataset) } else { dataset };
            if is_linked {
                notes.push(format!("{path} is a soft link to {}", dataset.path()));
            }
            if !datasets.iter().any(|known| known.path() == dataset.path()) {
                datasets.push(dataset);
            }
        }
        return Ok((datasets, notes));
    }
    let options = Options { reads: request.reads.clone(), ..Options::default() };
    let nothing = || Failure::wrong_request(format!("{}: this file contains no dataset", file.name()));
    let chosen = choose::datasets(file, &options)?.ok_or_else(nothing)?;
    let mut notes = Vec::new();
    if chosen.datasets.is_empty() {
        // Why there is no advice on them is said of each.
        return Ok((chosen.unfit.into_iter().take(NAMED_MAX).collect(), notes));
    }
    if !chosen.others.is_empty() {
        let (advised, all) = (chosen.datasets.len(), chosen.datasets.len() + chosen.others.len());
        notes
            .push(format!("advised on the largest {advised} of {all} datasets; name another after the file"));
    }
    Ok((chosen.datasets, notes))
}

/// Why there are no chunks to choose for a dataset.
pub(crate) fn unsuitable(dataset: &Dataset) -> Option<&'static str> {
    match (&dataset.datatype().class, dataset.layout_name()) {
        (Class::VlenString { .. } | Class::VlenSequence { .. }, _) => Some(
            "its values are of variable length and lie in the heap, which chunks and filters do not reach",
        ),
        (Class::Reference(_), _) => Some("its values are references"),
        (_, "virtual") => Some("it is virtual: its values are those of other datasets"),
        (_, "external") => Some("its values lie in other files"),
        (_, "compact") => Some("it is compact: its values lie in its object header"),
        _ if *dataset.dataspace() == Dataspace::Null => Some("it has no values: its dataspace is null"),
        _ if dataset.shape().is_empty() => Some("it is a scalar"),
        _ if dataset.elements() == 0 => Some("it has no elements"),
        _ => None,
    }
}

/// The failure with the name of the file, if its message has none.
fn named(file: &str, mut failure: Failure) -> Failure {
    if !failure.message.is_empty() && !failure.message.contains(file) {
        failure.message = format!("{file}: {}", failure.message);
    }
    failure
}

fn refused(error: AdviseError) -> Failure {
    match error {
        AdviseError::Doctor(error) => Failure::unreadable(error.to_string()),
        _ => Failure::wrong_request(error.to_string()),
    }
}
