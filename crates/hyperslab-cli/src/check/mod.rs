//! `hyperslab check`: whether files follow the specification. The rules are in `hyperslab-check`; this module opens files
//! and prints what was found.

mod text;

use crate::absent;
use crate::args::CheckArgs;
use crate::failure::{self, Failure, one_line};
use hyperslab::internal::{Absent, source_with_metadata};
use hyperslab::io::Source;
use hyperslab::{ErrorKind, File};
use hyperslab_apps::files;
use hyperslab_apps::runner::{self, FileOutcome, Found, PassedOver};
use hyperslab_apps::schema;
use hyperslab_check::{CheckError, Finding, Options, Report};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What was found in one file.
struct Checked {
    report: Report,
    /// What the file refers to and lacks.
    absent: Vec<String>,
}

/// What was found in all files.
#[derive(Debug, Default, Serialize)]
struct Summary {
    /// Files that were checked.
    files: u64,
    /// Files that could not be checked.
    unreadable: u64,
    /// Files of the folders that were not checked, by kind.
    passed_over: PassedOver,
    /// Files with errors.
    with_errors: u64,
    /// Files with warnings, but without errors.
    with_warnings: u64,
    /// The number of files in which each rule was violated, by its code.
    rules: BTreeMap<&'static str, u64>,
}

/// A file with its findings, as JSON shows it.
#[derive(Debug, Serialize)]
struct Document<'r> {
    file: String,
    errors: u64,
    warnings: u64,
    notes: u64,
    /// Findings that are not listed, because their rule has many.
    unlisted: u64,
    findings: Vec<FindingDocument<'r>>,
    bytes: u64,
    objects: u64,
    structures: u64,
    chunks: u64,
    orphan_bytes: u64,
    free_bytes: u64,
    padding_bytes: u64,
    /// What the file refers to and lacks.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    absent: &'r [String],
}

/// A file that could not be checked, as JSON shows it.
#[derive(Debug, Serialize)]
struct Unreadable {
    file: String,
    error: String,
}

#[derive(Debug, Serialize)]
struct FindingDocument<'r> {
    code: &'static str,
    severity: String,
    object: &'r str,
    structure: &'static str,
    offset: u64,
    message: &'r str,
    source: &'static str,
}

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    if args.rules {
        out.write_all(hyperslab_check::page().as_bytes())?;
        return Ok(failure::DONE);
    }
    let options = Options { data: args.data };
    if let [file] = args.paths.as_slice()
        && !files::is_folder(file)
    {
        let Checked { report, absent } = examine(file, options)?;
        print(args, file, &report, &absent, out)?;
        out.flush()?;
        absent::warn(&files::shown(file), &absent, err);
        return Ok(exit_code(args, report.errors > 0, report.warnings > 0));
    }
    several(args, options, out, err)
}

fn several(
    args: &CheckArgs,
    options: Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<i32, Failure> {
    let Found { files, passed_over } = runner::files(&args.paths)?;
    if files.is_empty() {
        return Err(Failure::wrong_request(passed_over.nothing_found()));
    }
    let mut summary = Summary { passed_over, ..Summary::default() };
    let each = |path: &Path, result: Result<Checked, Failure>| {
        summary.files += 1;
        match result {
            Ok(Checked { report, absent }) => {
                summary.with_errors += u64::from(report.errors > 0);
                summary.with_warnings += u64::from(report.errors == 0 && report.warnings > 0);
                report.counts.keys().for_each(|code| *summary.rules.entry(code).or_default() += 1);
                print(args, path, &report, &absent, out)?;
                absent::warn(&files::shown(path), &absent, err);
                Ok::<_, Failure>(FileOutcome::Finished)
            }
            Err(failure) => {
                summary.unreadable += 1;
                // The other files are checked all the same.
                let _ = writeln!(err, "error: {}", one_line(&failure.message));
                if args.json {
                    let unreadable = Unreadable { file: files::shown(path), error: failure.message };
                    out.write_all(schema::document(schema::CHECK_UNREADABLE, &unreadable)?.as_bytes())?;
                }
                Ok(FileOutcome::Unfinished)
            }
        }
    };
    runner::run(&files, &args.run.settings(), &*args.run.observer(), |path| examine(path, options), each)?;
    let text =
        if args.json { schema::document(schema::CHECK_SUMMARY, &summary)? } else { text::summary(&summary) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    let is_damaged = summary.with_errors + summary.unreadable > 0 || summary.passed_over.has_unreadable();
    Ok(exit_code(args, is_damaged, summary.with_warnings > 0))
}

fn exit_code(args: &CheckArgs, has_errors: bool, has_warnings: bool) -> i32 {
    match (has_errors, has_warnings && args.strict) {
        (true, _) => failure::UNREADABLE,
        (false, true) => failure::FOUND,
        (false, false) => failure::DONE,
    }
}

fn print(
    args: &CheckArgs,
    path: &Path,
    report: &Report,
    absent: &[String],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let text = if args.json {
        schema::document(schema::CHECK, &document(path, report, absent))?
    } else {
        text::report(path, report)
    };
    Ok(out.write_all(text.as_bytes())?)
}

fn document<'r>(path: &Path, report: &'r Report, absent: &'r [String]) -> Document<'r> {
    let finding = |finding: &'r Finding| FindingDocument {
        code: finding.rule.code,
        severity: finding.rule.severity.to_string(),
        object: &finding.object,
        structure: finding.structure,
        offset: finding.at,
        message: &finding.message,
        source: finding.source,
    };
    Document {
        file: files::shown(path),
        errors: report.errors,
        warnings: report.warnings,
        notes: report.notes,
        unlisted: report.unlisted(),
        findings: report.findings.iter().map(finding).collect(),
        bytes: report.file_bytes,
        objects: report.objects,
        structures: report.structures,
        chunks: report.chunks,
        orphan_bytes: report.orphan_bytes,
        free_bytes: report.free_bytes,
        padding_bytes: report.padding_bytes,
        absent,
    }
}

/// Checks a file. Its members are joined if it consists of several.
fn examine(path: &Path, options: Options) -> Result<Checked, Failure> {
    let (source, absent) = open(path)?;
    let report = hyperslab_check::check(&*source, options);
    report.map(|report| Checked { report, absent }).map_err(|error| {
        let message = format!("{}: {error}", files::shown(path));
        match error {
            CheckError::NoSuperblock(_) if error.is_not_hdf5() => Failure::wrong_request(message),
            _ => Failure::unreadable(message),
        }
    })
}

/// The bytes of a file, and what it lacks. A file that cannot be opened as HDF5 because it is damaged is checked as it is.
fn open(path: &Path) -> Result<(Arc<dyn Source>, Vec<String>), Failure> {
    match files::open_file(path, &File::options()) {
        Ok(file) => {
            let source = source_with_metadata(&file);
            let mut absent = hyperslab::internal::absent(&file);
            // A finding of its own.
            absent.retain(|absent| *absent != Absent::Close);
            Ok((source, absent::sentences(&absent)))
        }
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotHdf5 | ErrorKind::Invalid => Err(error.into()),
            _ => match files::open_source(path) {
                Ok(bytes) => Ok((bytes, Vec::new())),
                Err(_) => Err(error.into()),
            },
        },
    }
}
