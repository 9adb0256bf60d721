//! Advice: which chunks and filters serve the reads of a dataset.
//!
//! ```text
//! choose datasets ──► facts + axes + samples of the values ──► hyperslab_advise::advise ──► Document
//! ```

mod axes;
mod case;
mod hard_path;
mod inflate;
mod pages;
mod parsed;
mod recipe;
mod request;
mod sample_folder;
mod samples;
mod storage;
mod subject;
mod together;
mod user_library;

pub use pages::Pages;
pub use recipe::recipe;
pub use request::{MadeUp, Request};
pub use sample_folder::remove_sample_folders;
pub use storage::{brief_text, chunk_text, kept_text, storage_text};

pub(crate) use axes::Axes;
pub(crate) use samples::Samples;
pub(crate) use storage::recipe_entry;

use crate::facts::{Library, choose, is_netcdf};
use crate::forecast::{Sessions, SweptRead};
use crate::{Error, Result};
use case::Case;
use hyperslab::datatypes::Class;
use hyperslab::{Dataset, Dataspace, File};
use hyperslab_advise::{Advice, AdviseError, Origin, Question, Target, Together, UsualRead, advise};
use hyperslab_doctor::Options;
use hyperslab_doctor::forecast::Forecast;
use parsed::Parsed;
use serde::Serialize;
use std::path::Path;
use subject::Subject;

/// The document that `--json` prints.
#[derive(Debug, Serialize)]
pub struct Document {
    /// The file's name.
    pub file: String,
    /// The libhdf5 whose seconds are predicted, or null where the built-in constants were used.
    pub library: Option<String>,
    /// True if the reads are the usual ones, because none was named.
    pub reads_are_usual: bool,
    /// The advice, one for each dataset.
    pub datasets: Vec<Advice>,
    /// One shape for datasets that are read together.
    pub together: Vec<Together>,
    /// Datasets that there is no advice for.
    pub skipped: Vec<Skipped>,
    /// The pages that serve the readers best, where the file will lie in an object store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<Pages>,
    /// What the file takes in an object store as it is, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<Forecast>,
}

/// A dataset that there is no advice for.
#[derive(Debug, Serialize)]
pub struct Skipped {
    /// The dataset.
    pub path: String,
    /// Why not.
    pub reason: String,
}

/// What came of it.
pub struct Answer {
    /// The advice.
    pub document: Document,
    /// Remarks on what was asked.
    pub notes: Vec<String>,
    /// Datasets that could not be read.
    pub failures: Vec<Error>,
}

/// The most datasets that are named in a file without any that there could be advice on.
const NAMED_MAX: usize = 6;
/// The share of the time for the datasets one by one.
const SHARE_ALONE: f64 = 0.8;

/// Advises on datasets of a file, or on data that do not exist yet.
///
/// # Errors
/// A request that is wrong or that fits no dataset, and a file of which nothing can be read.
pub fn run(request: &Request) -> Result<Answer> {
    let parsed = Parsed::of(request)?;
    let subject = Subject::of(request)?;
    let file = &subject.file;
    let library = match &request.libhdf5 {
        Some(path) => Library::named(path)?,
        None => Library::of_python(),
    };
    let (datasets, mut notes) = chosen(request, &parsed, file)?;
    notes.extend(parsed.notes_on_max_error(&datasets));
    let axes = Axes::of(file);
    // A part of the time is for what the datasets have in common.
    let share = if datasets.len() > 1 { SHARE_ALONE } else { 1.0 };
    let seconds = request.seconds * share / datasets.len().max(1) as f64;
    let mut document = Document {
        file: file.name(),
        library: library.calibrated.as_ref().and_then(|calibrated| calibrated.prediction().library),
        reads_are_usual: parsed.reads.is_empty() && parsed.observed.is_none(),
        datasets: Vec::new(),
        together: Vec::new(),
        skipped: Vec::new(),
        pages: None,
        forecast: None,
    };
    let mut failures: Vec<Error> = Vec::new();
    let mut cases: Vec<Case<'_>> = Vec::new();
    for dataset in &datasets {
        let path = dataset.path().to_owned();
        if let Some(reason) = unsuitable(dataset) {
            document.skipped.push(Skipped { path, reason: reason.to_owned() });
            continue;
        }
        let answer = Case::new(&subject.path, &parsed, &library, &axes, dataset).and_then(|case| {
            let question = case.question(&parsed, &library, file, seconds);
            let advice = advise(&question, &mut case.samples(&parsed, &library, seconds)).map_err(refused)?;
            Ok(advice.map(|advice| (case, advice)))
        });
        match answer {
            Ok(Some((case, advice))) => {
                document.datasets.push(advice);
                cases.push(case);
            }
            Ok(None) => document.skipped.push(Skipped { path, reason: "it has no values".to_owned() }),
            // A dataset that cannot be read does not hide the others.
            Err(error) => failures.push(named(&document.file, error)),
        }
    }
    for members in together::groups(&cases) {
        let questions: Vec<Question<'_>> =
            members.iter().map(|at| cases[*at].question(&parsed, &library, file, seconds)).collect();
        let advice: Vec<&Advice> = members.iter().map(|at| &document.datasets[*at]).collect();
        let mut samples: Vec<Samples<'_>> =
            members.iter().map(|at| cases[*at].samples(&parsed, &library, seconds)).collect();
        let agreed = together::agreed(&questions, &advice, &mut samples).map_err(refused)?;
        document.together.extend(agreed);
    }
    if document.datasets.is_empty() && !failures.is_empty() {
        return Err(failures.swap_remove(0));
    }
    if document.datasets.is_empty() && !request.datasets.is_empty() {
        let reasons: Vec<String> =
            document.skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason)).collect();
        return Err(Error::wrong_request(format!("{}: {}", document.file, reasons.join("; "))));
    }
    if request.cloud || parsed.place.is_store() {
        let answer = in_a_store(request, &subject.path, &parsed, file, &cases, &mut document);
        failures.extend(answer.err());
    }
    Ok(Answer { document, notes, failures })
}

/// What the file takes as it is, and the pages that serve it: for its first dataset that there is advice on, read as it was
/// asked.
fn in_a_store(
    request: &Request,
    path: &Path,
    parsed: &Parsed,
    file: &File,
    cases: &[Case<'_>],
    document: &mut Document,
) -> Result<(), Error> {
    let mut reads = Vec::new();
    if let Some(advice) = document.datasets.first() {
        let dataset = file.dataset(&advice.path)?;
        let case = cases.iter().find(|case| case.dataset.path() == advice.path);
        let swept = |read: &UsualRead| SweptRead::new(&dataset, &read.name, &read.sweep(dataset.shape()));
        reads = case.map_or(&[][..], |case| &case.reads).iter().map(swept).collect();
    }
    let sessions = Sessions::of(path, file, &reads, &parsed.place)?;
    document.forecast = request.cloud.then(|| sessions.forecast());
    document.pages = pages::pages(&sessions, parsed, file, cases, &document.datasets)?;
    if let Some(pages) = &document.pages {
        for (case, advice) in cases.iter().zip(&mut document.datasets) {
            advice.with_target(&target(file, parsed, pages.advice.page_bytes), &case.facts);
        }
    }
    Ok(())
}

/// The file that the lines to paste are about.
fn target(file: &File, parsed: &Parsed, page_bytes: Option<u64>) -> Target {
    let is_older = file.named_dimensions().is_some();
    let origin = match (parsed.is_planned, is_older) {
        (true, _) => Origin::Planned,
        (false, true) => Origin::Older,
        (false, false) => Origin::Hdf5,
    };
    let is_netcdf = is_netcdf(file) || is_older && file.format_name() != "HDF4";
    Target { file: file.name(), origin, is_netcdf, page_bytes }
}

/// The datasets that are named, or the largest.
fn chosen(request: &Request, parsed: &Parsed, file: &File) -> Result<(Vec<Dataset>, Vec<String>), Error> {
    let read =
        || parsed.observed.iter().flat_map(|observed| observed.datasets()).map(str::to_owned).collect();
    let named: Vec<String> = if request.datasets.is_empty() { read() } else { request.datasets.clone() };
    if !named.is_empty() {
        let mut datasets: Vec<Dataset> = Vec::new();
        let mut notes = Vec::new();
        for path in &named {
            // What a soft link leads to: the lines to paste must be about the object itself.
            let dataset = hyperslab_netcdf::find_dataset(file, path)?;
            let hard = hard_path::hard_path(file, dataset.path())?;
            let is_linked =
                hard.trim_matches('/') != dataset.path().trim_matches('/') && request.reads_from.is_none();
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
    let options = Options { reads: parsed.reads.clone(), ..Options::default() };
    let nothing = || Error::wrong_request(format!("{}: this file contains no dataset", file.name()));
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
pub fn unsuitable(dataset: &Dataset) -> Option<&'static str> {
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

/// The error with the name of the file, if its message has none.
fn named(file: &str, mut error: Error) -> Error {
    if !error.message.is_empty() && !error.message.contains(file) {
        error.message = format!("{file}: {}", error.message);
    }
    error
}

fn refused(error: AdviseError) -> Error {
    match error {
        AdviseError::Doctor(error) => Error::unreadable(error.to_string()),
        _ => Error::wrong_request(error.to_string()),
    }
}
