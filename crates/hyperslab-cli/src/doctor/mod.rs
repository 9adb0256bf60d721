//! `hyperslab doctor`: prints what the doctor finds, as text, JSON, or a page.

mod several;

use crate::args::{DoctorArgs, FailOn};
use crate::failure::{self, Failure, one_line};
use crate::{absent, archive, terminal};
use hyperslab_apps::doctor::{Answer, Examiner, Request};
use hyperslab_apps::outputs::{check_file, write_file};
use hyperslab_apps::shell_line::shell_line;
use hyperslab_apps::{files, runner, schema};
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
        let is_one = matches!(paths.as_slice(), [file] if !files::is_folder(file));
        if !is_one {
            return Err(Failure::wrong_request("--html draws the page of one file")
                .hint("several files have a summary: use --json, or name one of them"));
        }
        check_file("--html", page)?;
    }
    // A log lists files, even a single one.
    let is_run = args.run.resume.is_some() || args.run.shard.is_some();
    if is_run && (dataset.is_some() || args.html.is_some()) {
        return Err(Failure::wrong_request(
            "`--resume` and `--shard` need a list of files, even a list of one, and no dataset or page",
        ));
    }
    let request = request(args, dataset);
    let examiner = Examiner::new(&request)?;
    match paths.as_slice() {
        [file] if is_run && !files::is_folder(file) => {
            let found = runner::Found { files: vec![file.clone()], ..runner::Found::default() };
            several::run(args, &examiner, &found, out, err)
        }
        [file] if request.dataset.is_some() || !files::is_folder(file) => {
            one(args, &request, examiner, file, out, err)
        }
        paths => several::run(args, &examiner, &runner::files(paths)?, out, err),
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
                && (file.is_file() || files::is_url(file))
                && files::look(file).is_ok_and(|file| file.get(name).is_ok())
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
    args: &DoctorArgs,
    request: &Request,
    examiner: Examiner<'_>,
    path: &Path,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<i32, Failure> {
    let examiner = if args.html.is_some() { examiner.with_evidence() } else { examiner };
    let Answer { report, notes, failures, evidence } = examiner.examine(path)?;
    if let (Some(page), Some(evidence)) = (&args.html, evidence) {
        write_file(
            page,
            &hyperslab_pages::doctor::page(&report, &evidence, &command(args, request, page)).html(),
        )?;
    }
    let text = if args.json {
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
    let unread = failures.into_iter().map(|error| Failure::from(error).report(err)).max();
    let is_found = fails(&report, args.fail_on);
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
fn command(args: &DoctorArgs, request: &Request, page: &Path) -> String {
    let mut words = Request { dataset: None, ..request.clone() }.words(&args.paths);
    words.extend(["--html".to_owned(), page.display().to_string()]);
    shell_line(&words)
}

/// What is asked about each file.
fn request(args: &DoctorArgs, dataset: Option<String>) -> Request {
    Request {
        dataset,
        reads: args.read.clone(),
        writes: args.write.clone(),
        reads_from: args.reads_from.clone(),
        order: args.order.clone(),
        places: args.pattern.places(),
        cache: args.cache.clone(),
        libhdf5: args.libhdf5.clone(),
        profiles: args.profile.clone(),
        all: args.all,
        cloud: args.cloud,
        place: args.place.clone(),
        select: args.select.clone(),
        ignore: args.ignore.clone(),
        baseline: args.baseline.clone(),
    }
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
