//! The files and variables of an archive, ranked by what repacking would save.
//!
//! ```text
//! files ──► runner: jobs, share ──► a survey of each file ──► a line of JSON ──┐
//! lines of earlier runs, of other shares, of the log ──────────────────────────┴─► Summary
//! ```

mod file;
mod recipe;
mod records;
mod summary;

pub use file::{FileSurvey, SurveyRequest};
pub use recipe::recipe;
pub use summary::{Rank, RankedFile, Savings, Summary, Variable};

use crate::runner::{self, FilesObserver, Found, Settings};
use crate::{Error, files};
use file::FileSurveyor;
use hyperslab_advise::{Place, Reader};
use records::Log;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What is asked of an archive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// Files, folders, and lines (`.jsonl`) of earlier runs.
    pub paths: Vec<PathBuf>,
    /// Where the files lie; local if neither this nor an earlier run says it.
    pub place: Option<String>,
    /// Programs that read the files; the usual ones if there are none.
    pub readers: Vec<String>,
    /// Blocks that are read; the usual ones if there are none.
    pub reads: Vec<String>,
    /// What is to be saved.
    pub rank: Rank,
}

impl Request {
    /// The words of a command line that asks the same.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = ["hyperslab", "doctor", "--summary"].map(str::to_owned).to_vec();
        words.extend(self.paths.iter().map(|path| files::shown(path)));
        words.extend(self.reads.iter().flat_map(|read| ["--read".to_owned(), read.clone()]));
        if !self.readers.is_empty() {
            words.extend(["--readers".to_owned(), self.readers.join(",")]);
        }
        words.extend(self.place.iter().flat_map(|place| ["--place".to_owned(), place.clone()]));
        if self.rank != Rank::default() {
            words.extend(["--rank".to_owned(), self.rank.to_string()]);
        }
        words
    }
}

/// What came of it.
pub struct Answer {
    /// All files together.
    pub summary: Summary,
    /// True if a file or a folder could not be read, in this run or an earlier one.
    pub is_incomplete: bool,
}

/// Surveys the files that are not known yet. Each survey is handed to `each` as it is made, and those of earlier runs in the end:
/// the second argument is true for new ones.
///
/// # Errors
/// A request that is wrong, lines and logs that cannot be read, and those of `each`. A file that cannot be read is no error: its
/// survey says so.
pub fn run<E: From<Error> + Send>(
    request: &Request,
    settings: &Settings<'_>,
    observer: &dyn FilesObserver,
    mut each: impl FnMut(&FileSurvey, bool) -> Result<(), E>,
) -> Result<Answer, E> {
    let (lines, inputs): (Vec<PathBuf>, Vec<PathBuf>) = request
        .paths
        .iter()
        .cloned()
        .partition(|path| path.extension().is_some_and(|ending| ending == records::ENDING));
    let mut surveys: BTreeMap<String, FileSurvey> = BTreeMap::new();
    let mut know = |found: Vec<FileSurvey>| {
        surveys.extend(found.into_iter().map(|survey| (survey.file.clone(), survey)));
    };
    let mut passed_over_before = Vec::new();
    for path in &lines {
        know(records::read(path)?);
        passed_over_before.extend(records::passed_over(path)?);
    }
    let mut log = match settings.resume {
        Some(path) => {
            let (log, found) = Log::open(path)?;
            know(found);
            Some(log)
        }
        None => None,
    };
    let asked = asked(request, surveys.values())?;
    let place = Place::parse(&asked.place).map_err(|error| Error::wrong_request(error.to_string()))?;
    if let Some(missing) = inputs.iter().find(|path| !files::is_url(path) && !path.exists()) {
        let shown = files::shown(missing);
        return Err(Error::not_found(format!("{shown}: there is no such file")).about(shown).into());
    }
    let Found { files, mut passed_over } = runner::files(&inputs)?;
    passed_over.add(&passed_over_before);
    if files.is_empty() && surveys.is_empty() {
        return Err(Error::wrong_request(passed_over.nothing_found()).into());
    }
    // What could not be read is tried again.
    let is_read = |(_, survey): &(&String, &FileSurvey)| survey.problem.is_none();
    let done: BTreeSet<String> = surveys.iter().filter(is_read).map(|(file, _)| file.clone()).collect();
    let surveyor = FileSurveyor::new(&asked)?;
    let mut examined = BTreeSet::new();
    let deliver = |_: &Path, survey: FileSurvey| {
        examined.insert(survey.file.clone());
        if let Some(log) = &mut log {
            log.add(&survey)?;
        }
        each(&survey, true)?;
        surveys.insert(survey.file.clone(), survey);
        Ok::<_, E>(())
    };
    runner::run_others(&files, settings, observer, &done, |path| surveyor.survey(path), deliver)?;
    for (_, survey) in surveys.iter().filter(|(file, _)| !examined.contains(*file)) {
        each(survey, false)?;
    }
    let surveys: Vec<FileSurvey> = surveys.into_values().collect();
    // Those of earlier runs and other shares, too.
    let is_incomplete = passed_over.has_unreadable() || surveys.iter().any(|survey| survey.problem.is_some());
    let mut summary = Summary::of(&surveys, &asked, &place, request.rank);
    summary.passed_over = passed_over;
    Ok(Answer { summary, is_incomplete })
}

/// What is asked: by the request, or by the lines of earlier runs, which all must have been asked the same.
fn asked<'a>(
    request: &Request,
    mut known: impl Iterator<Item = &'a FileSurvey>,
) -> Result<SurveyRequest, Error> {
    let defaults = || Reader::defaults().into_iter().map(|reader| reader.name).collect();
    let given = |known: Option<&SurveyRequest>| SurveyRequest {
        place: request.place.clone().or(known.map(|known| known.place.clone())).unwrap_or("local".into()),
        readers: if request.readers.is_empty() {
            known.map_or_else(defaults, |known| known.readers.clone())
        } else {
            request.readers.clone()
        },
        reads: match known {
            Some(known) if request.reads.is_empty() => known.reads.clone(),
            _ => request.reads.clone(),
        },
    };
    let Some(first) = known.next() else { return Ok(given(None)) };
    let asked = given(Some(&first.asked));
    match std::iter::once(first).chain(known).find(|survey| survey.asked != asked) {
        Some(other) => {
            let what = format!("{} was examined for other reads, other readers or another place", other.file);
            Err(Error::wrong_request(what).hint("a summary is of files that were all asked the same"))
        }
        None => Ok(asked),
    }
}
