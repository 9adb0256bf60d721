//! `hyperslab doctor`: collects the facts about files and prints the diagnosis that the doctor's crate makes from
//! them.
//!
//! ```text
//! choose datasets ──► facts (layout, chunks, filters) + samples (speed of a few chunks) ──► diagnose ──► filter ──► text, JSON, page
//! ```

mod advice;
mod examine;
mod file_facts;
mod filter;
mod options;
mod page;
mod several;

pub(crate) use advice::{Advice, Advisor};

use crate::absent;
use crate::archive;
use crate::args::{DoctorArgs, FailOn};
use crate::failure::{self, Failure, one_line};
use crate::location;
use crate::shell_line::shell_line;
use crate::write_file::{check_file, write_file};
use crate::{runner, schema, terminal};
use examine::{Examined, Examiner};
use hyperslab_doctor::{Finding, Report, Severity, codes, render_text, why};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Runs the command.
pub(crate) fn run(args: &DoctorArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    if let Some(code) = &args.why {
        let page = why(code).ok_or_else(|| {
            let known = codes().collect::<Vec<_>>().join(", ");
            Failure::wrong_request(format!("unknown finding {code:?}"))
                .hint(format!("the findings are {known}"))
        })?;
        out.write_all(page.as_bytes())?;
        return Ok(failure::DONE);
    }
    if args.summary.summary {
        return archive::run(args, out, err);
    }
    if args.place.is_some() && !args.cloud {
        return Err(Failure::wrong_request("--place says where the files of --cloud or --summary lie"));
    }
    let (paths, dataset) = targets(&args.paths)?;
    if let Some(page) = &args.html {
        let is_one = matches!(paths.as_slice(), [file] if !location::is_folder(file));
        if !is_one {
            return Err(Failure::wrong_request("--html draws the page of one file")
                .hint("several files have a summary: use --json, or name one of them"));
        }
        check_file("--html", page)?;
    }
    let examiner = Examiner::new(args)?;
    // A log lists files, even a single one.
    let is_run = args.run.resume.is_some() || args.run.shard.is_some();
    if is_run && (dataset.is_some() || args.html.is_some()) {
        return Err(Failure::wrong_request(
            "`--resume` and `--shard` need a list of files, even a list of one, and no dataset or page",
        ));
    }
    match paths.as_slice() {
        [file] if is_run && !location::is_folder(file) => {
            let found = runner::Found { files: vec![file.clone()], ..runner::Found::default() };
            several::run(&examiner, &found, out, err)
        }
        [file] if dataset.is_some() || !location::is_folder(file) => {
            one(&examiner, file, dataset.as_deref(), out, err)
        }
        paths => several::run(&examiner, &runner::files(paths)?, out, err),
    }
}

/// The files and folders, and the dataset if one is named after a single file.
fn targets(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Option<String>), Failure> {
    if let [file, second] = paths
        && let Some(name) = second.to_str()
    {
        // A dataset may have the name of a folder, such as /data.
        let is_object = || {
            name.starts_with('/')
                && (file.is_file() || location::is_url(file))
                && location::open(file).is_ok_and(|file| file.get(name).is_ok())
        };
        if !second.exists() || is_object() {
            return Ok((vec![file.clone()], Some(name.to_owned())));
        }
    }
    match paths {
        [] => Err(Failure::wrong_request("no file was given")),
        paths => Ok((paths.to_vec(), None)),
    }
}

/// Examines one file, with all evidence.
fn one(
    examiner: &Examiner<'_>,
    path: &Path,
    dataset: Option<&str>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<i32, Failure> {
    let Examined { report, notes, failures, maps } = examiner.examine(path, dataset)?;
    if let (Some(page), Some(maps)) = (&examiner.args.html, maps) {
        write_file(page, &page::page(&report, maps, &command(examiner.args, page)).html())?;
    }
    let text = if examiner.args.json {
        schema::document(schema::DOCTOR, &report)?
    } else {
        render_text(&escaped(report.clone()), terminal::columns())
    };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    absent::warn(&report.file, &report.absent, err);
    for note in notes {
        let _ = writeln!(err, "note: {}", one_line(&note));
    }
    let unread = failures.iter().map(|failure| failure.report(err)).max();
    let is_found = fails(&report, examiner.args.fail_on);
    Ok(unread.unwrap_or(if is_found { failure::FOUND } else { failure::DONE }))
}

/// The report without control characters, which names in a file may contain: for a terminal.
fn escaped(mut report: Report) -> Report {
    let clean = |finding: &mut Finding| {
        finding.message = one_line(&finding.message);
        for fix in &mut finding.fixes {
            fix.line = one_line(&fix.line);
        }
    };
    report.file = one_line(&report.file);
    report.findings.iter_mut().for_each(clean);
    for dataset in &mut report.datasets {
        dataset.path = one_line(&dataset.path);
        dataset.findings.iter_mut().for_each(clean);
    }
    report
}

/// The line that makes a page again.
fn command(args: &DoctorArgs, page: &Path) -> String {
    let shown = |path: &Path| path.display().to_string();
    let mut words = vec!["hyperslab".to_owned(), "doctor".to_owned()];
    words.extend(args.paths.iter().map(|path| shown(path)));
    let several = [
        ("--read", &args.read),
        ("--write", &args.write),
        ("--profile", &args.profile),
        ("--select", &args.select),
        ("--ignore", &args.ignore),
    ];
    for (option, values) in several {
        words.extend(values.iter().flat_map(|value| [option.to_owned(), value.clone()]));
    }
    let libhdf5 = args.libhdf5.as_deref().map(shown);
    let baseline = args.baseline.as_deref().map(shown);
    let random = args.pattern.random.map(|count| count.to_string());
    let seed = args.pattern.random.map(|_| args.pattern.seed.to_string());
    let single = [
        ("--order", &args.order),
        ("--stride", &args.pattern.stride),
        ("--random", &random),
        ("--seed", &seed),
        ("--cache", &args.cache),
        ("--libhdf5", &libhdf5),
        ("--baseline", &baseline),
        ("--place", &args.place),
    ];
    for (option, value) in single {
        words.extend(value.iter().flat_map(|value| [option.to_owned(), value.clone()]));
    }
    words.extend(args.all.then(|| "--all".to_owned()));
    words.extend(args.cloud.then(|| "--cloud".to_owned()));
    words.extend(["--html".to_owned(), shown(page)]);
    shell_line(&words)
}

/// True where the user asked that a finding of this report counts as a failure.
fn fails(report: &Report, fail_on: Option<FailOn>) -> bool {
    let least = match fail_on {
        None => return false,
        Some(FailOn::Low) => Severity::Low,
        Some(FailOn::Medium) => Severity::Medium,
        Some(FailOn::High) => Severity::High,
    };
    let of_datasets = report.datasets.iter().flat_map(|dataset| &dataset.findings);
    report.findings.iter().chain(of_datasets).any(|finding| finding.severity >= least)
}
