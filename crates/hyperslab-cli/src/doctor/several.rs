//! The examination of many files: the findings of each, and a summary of causes, the worst first.

use super::fails;
use crate::args::DoctorArgs;
use crate::failure::{self, Failure, one_line};
use crate::listing_total::listing_text;
use crate::{absent, terminal};
use hyperslab_apps::doctor::{Answer, Examiner, Summary, findings};
use hyperslab_apps::runner::{self, FileOutcome, Found};
use hyperslab_apps::{Error, files, schema};
use hyperslab_doctor::{Report, Severity, render_findings};
use hyperslab_units::{count_text, counted_text};
use std::io::Write;
use std::path::Path;

/// Examines the files, prints what is found in each, and a summary.
pub(super) fn run(
    args: &DoctorArgs,
    examiner: &Examiner<'_>,
    found: &Found,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<i32, Failure> {
    let Found { files, passed_over } = found;
    if files.is_empty() {
        return Err(Failure::wrong_request(passed_over.nothing_found()));
    }
    let mut summary = Summary::new(examiner, passed_over.clone());
    let (mut worst_code, mut is_found) = (failure::DONE, false);
    if passed_over.has_unreadable() {
        worst_code = failure::UNREADABLE;
    }
    let each = |path: &Path, result: Result<Answer, Error>| {
        summary.add(result.as_ref().ok());
        let Answer { report, failures, .. } = match result {
            Ok(answer) => answer,
            Err(error) => {
                // A file that is named in a message need not be named again.
                let shown = files::shown(path);
                let is_named = error.message.contains(&shown);
                let message = if is_named { error.message } else { format!("{shown}: {}", error.message) };
                worst_code = failure::UNREADABLE;
                let _ = writeln!(err, "error: {}", one_line(&message));
                return Ok::<_, Failure>(FileOutcome::Unfinished);
            }
        };
        let is_whole = failures.is_empty();
        for error in failures {
            Failure::from(error).report(err);
            worst_code = failure::UNREADABLE;
        }
        absent::warn(&report.file, &report.absent, err);
        is_found |= fails(&report, args.fail_on);
        if args.json {
            out.write_all(schema::document(schema::DOCTOR, &report)?.as_bytes())?;
        } else if findings(&report).next().is_some() {
            writeln!(
                out,
                "== {}\n\n{}",
                one_line(&report.file),
                render_findings(&super::escaped(with_findings(report)), terminal::columns())
            )?;
        }
        Ok(if is_whole { FileOutcome::Finished } else { FileOutcome::Unfinished })
    };
    let (settings, observer) = (args.run.settings(), args.run.observer());
    runner::run(files, &settings, &*observer, |path| examiner.examine(path), each)?;
    let summary = summary.finished();
    let text = if args.json { schema::document(schema::DOCTOR_SUMMARY, &summary)? } else { text(&summary) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(if worst_code != failure::DONE {
        worst_code
    } else if is_found {
        failure::FOUND
    } else {
        failure::DONE
    })
}

fn with_findings(mut report: Report) -> Report {
    report.datasets.retain(|dataset| !dataset.findings.is_empty());
    report
}

/// `12 files, 3 causes, worst first:` and a line for each cause.
fn text(summary: &Summary) -> String {
    let mut text = counted_text(summary.files, "file");
    if summary.damaged > 0 {
        text.push_str(&format!(", {} of them damaged or not readable", count_text(summary.damaged)));
    }
    let listing = summary.listing.as_ref().map_or_else(String::new, listing_text);
    let listing = summary.passed_over.line() + &listing;
    if summary.causes.is_empty() {
        return text + ", no problems found\n" + &listing;
    }
    text.push_str(&format!(", {}, worst first:\n", counted_text(summary.causes.len() as u64, "cause")));
    for cause in &summary.causes {
        let severity = match cause.severity {
            Severity::High => "HIGH",
            Severity::Medium => "MEDIUM",
            Severity::Low => "LOW",
        };
        text.push_str(&format!(
            "  {severity:<6}  {}: {} in {}, worst in {}\n",
            cause.code,
            counted_text(cause.findings, "finding"),
            counted_text(cause.files, "file"),
            one_line(&cause.worst_file),
        ));
    }
    text + &listing
}
