//! `hyperslab doctor --summary`: ranks the files and variables of an archive by what repacking would save.
//!
//! ```text
//! files ──► runner: jobs, share ──► a survey of each file ──► a line of JSON ──┐
//! lines of earlier runs, of other shares, of the log ──────────────────────────┴─► summary ──► text, JSON, page, recipe
//! ```

pub(crate) mod arguments;
mod file;
mod page;
mod recipe;
mod records;
mod summary;
mod tables;
mod text;

use crate::args::DoctorArgs;
use crate::failure::{self, Failure, one_line};
use crate::runner::{self, Found};
use crate::shell_line::shell_line;
use crate::write_file::{check_file, write_file};
use crate::{location, schema};
use file::{FileSurvey, FileSurveyor, Request};
use hyperslab_advise::{Place, Reader};
use records::Log;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use summary::Summary;

/// Runs the command.
pub(crate) fn run(args: &DoctorArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    for (option, path) in [("--html", &args.html), ("--recipe-out", &args.summary.recipe_out)] {
        path.as_deref().map(|path| check_file(option, path)).transpose()?;
    }
    let (lines, inputs): (Vec<PathBuf>, Vec<PathBuf>) =
        args.paths.iter().cloned().partition(|path| path.extension().is_some_and(|e| e == records::ENDING));
    let mut surveys: BTreeMap<String, FileSurvey> = BTreeMap::new();
    let mut know = |found: Vec<FileSurvey>| {
        surveys.extend(found.into_iter().map(|survey| (survey.file.clone(), survey)));
    };
    let mut passed_over_before = Vec::new();
    for path in &lines {
        know(records::read(path)?);
        passed_over_before.extend(records::passed_over(path)?);
    }
    let mut log = match &args.run.resume {
        Some(path) => {
            let (log, found) = Log::open(path)?;
            know(found);
            Some(log)
        }
        None => None,
    };
    let asked = asked(args, surveys.values())?;
    let place = Place::parse(&asked.place).map_err(|error| Failure::wrong_request(error.to_string()))?;
    if let Some(missing) = inputs.iter().find(|path| !location::is_url(path) && !path.exists()) {
        return Err(Failure::wrong_request(format!("{}: there is no such file", location::shown(missing))));
    }
    let Found { files, mut passed_over } = runner::files(&inputs)?;
    passed_over.add(&passed_over_before);
    if files.is_empty() && surveys.is_empty() {
        return Err(Failure::wrong_request(passed_over.nothing_found()));
    }
    // What could not be read is tried again.
    let is_read = |(_, survey): &(&String, &FileSurvey)| survey.problem.is_none();
    let done: BTreeSet<String> = surveys.iter().filter(is_read).map(|(file, _)| file.clone()).collect();
    let surveyor = FileSurveyor::new(&asked)?;
    let mut examined = BTreeSet::new();
    let each = |_: &Path, survey: FileSurvey| {
        examined.insert(survey.file.clone());
        report_problem(&survey, err);
        if let Some(log) = &mut log {
            log.add(&survey)?;
        }
        if args.json {
            out.write_all(schema::document(schema::ARCHIVE_FILE, &survey)?.as_bytes())?;
        }
        surveys.insert(survey.file.clone(), survey);
        Ok(())
    };
    runner::run_others(&files, &args.run, &done, |path| surveyor.survey(path), each)?;
    let surveys: Vec<FileSurvey> = surveys.into_values().collect();
    // Those of earlier runs and other shares, too.
    let is_unreadable = passed_over.has_unreadable() || surveys.iter().any(|survey| survey.problem.is_some());
    surveys
        .iter()
        .filter(|survey| !examined.contains(&survey.file))
        .for_each(|survey| report_problem(survey, err));
    let mut summary = Summary::of(&surveys, &asked, &place, args.summary.rank.unwrap_or_default());
    summary.passed_over = passed_over;
    if let Some(path) = &args.html {
        write_file(path, &page::page(&summary, &command(args, path)).html())?;
    }
    if let Some(path) = &args.summary.recipe_out {
        write_file(path, &recipe::recipe(&summary))?;
    }
    let shown =
        if args.json { schema::document(schema::ARCHIVE_SUMMARY, &summary)? } else { text::render(&summary) };
    out.write_all(shown.as_bytes())?;
    out.flush()?;
    Ok(if is_unreadable { failure::UNREADABLE } else { failure::DONE })
}

/// Says why a file could not be read.
fn report_problem(survey: &FileSurvey, err: &mut dyn Write) {
    if let Some(problem) = &survey.problem {
        let is_named = problem.contains(&survey.file);
        let file = if is_named { String::new() } else { format!("{}: ", one_line(&survey.file)) };
        let _ = writeln!(err, "error: {file}{problem}");
    }
}

/// What is asked: by the command line, or by the lines of earlier runs, which all must have been asked the same.
fn asked<'a>(args: &DoctorArgs, mut known: impl Iterator<Item = &'a FileSurvey>) -> Result<Request, Failure> {
    let defaults = || Reader::defaults().into_iter().map(|reader| reader.name).collect();
    let given = |known: Option<&Request>| Request {
        place: args.place.clone().or(known.map(|known| known.place.clone())).unwrap_or("local".into()),
        readers: if args.summary.readers.is_empty() {
            known.map_or_else(defaults, |known| known.readers.clone())
        } else {
            args.summary.readers.clone()
        },
        reads: match known {
            Some(known) if args.read.is_empty() => known.reads.clone(),
            _ => args.read.clone(),
        },
    };
    let Some(first) = known.next() else { return Ok(given(None)) };
    let asked = given(Some(&first.asked));
    match std::iter::once(first).chain(known).find(|survey| survey.asked != asked) {
        Some(other) => {
            let what = format!("{} was examined for other reads, other readers or another place", other.file);
            Err(Failure::wrong_request(what).hint("a summary is of files that were all asked the same"))
        }
        None => Ok(asked),
    }
}

/// The line that makes a page again.
fn command(args: &DoctorArgs, page: &Path) -> String {
    let mut words: Vec<String> = ["hyperslab", "doctor", "--summary"].map(str::to_owned).to_vec();
    words.extend(args.paths.iter().map(|path| location::shown(path)));
    words.extend(args.read.iter().flat_map(|read| ["--read".to_owned(), read.clone()]));
    if !args.summary.readers.is_empty() {
        words.extend(["--readers".to_owned(), args.summary.readers.join(",")]);
    }
    words.extend(args.place.iter().flat_map(|place| ["--place".to_owned(), place.clone()]));
    if let Some(rank) = args.summary.rank {
        words.extend(["--rank".to_owned(), text::rank_text(rank).to_owned()]);
    }
    words.extend(["--html".to_owned(), page.display().to_string()]);
    shell_line(&words)
}
