//! The examination of many files: the findings of each, and a summary of causes, the worst first.

use super::examine::{Examined, Examiner};
use super::fails;
use crate::absent;
use crate::failure::{self, Failure, one_line};
use crate::forecast::ListingTotal;
use crate::location;
use crate::runner::{self, FileOutcome, Found, PassedOver};
use crate::schema;
use crate::terminal;
use hyperslab_doctor::{Finding, Report, Severity, render_findings};
use hyperslab_units::{count_text, counted_text};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// What was found in all files.
#[derive(Debug, Default, Serialize)]
struct Summary {
    /// Files that were examined.
    files: u64,
    /// Files that could not be read, or not completely.
    damaged: u64,
    /// Files without a finding.
    without_findings: u64,
    /// Files of the folders that were not examined, by kind.
    passed_over: PassedOver,
    /// What was found, the most severe first.
    causes: Vec<Cause>,
    /// What listing all files takes in an object store, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    listing: Option<ListingTotal>,
}

/// One code in all files.
#[derive(Debug, Serialize)]
struct Cause {
    code: String,
    severity: Severity,
    /// Files in which it was found.
    files: u64,
    /// Datasets in which it was found, and files as a whole.
    findings: u64,
    /// Seconds that it costs in all of them, where it costs time.
    seconds: f64,
    /// Bytes that it costs in all of them, where it costs space.
    bytes: u64,
    /// The file in which it is most severe.
    worst_file: String,
}

/// Examines the files, prints what is found in each, and a summary.
pub(super) fn run(
    examiner: &Examiner<'_>,
    found: &Found,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<i32, Failure> {
    let Found { files, passed_over } = found;
    if files.is_empty() {
        return Err(Failure::wrong_request(passed_over.nothing_found()));
    }
    let args = examiner.args;
    let listing = examiner.store().map(|store| ListingTotal::new(&store.name));
    let mut summary = Summary { listing, passed_over: passed_over.clone(), ..Summary::default() };
    let mut causes: BTreeMap<String, Cause> = BTreeMap::new();
    let (mut worst_code, mut is_found) = (failure::DONE, false);
    if passed_over.has_unreadable() {
        worst_code = failure::UNREADABLE;
    }
    let each = |path: &Path, result: Result<Examined, Failure>| {
        summary.files += 1;
        let Examined { report, failures, .. } = match result {
            Ok(examined) => examined,
            Err(failure) => {
                summary.damaged += 1;
                // A file that is named in a message need not be named again.
                let shown = location::shown(path);
                let is_named = failure.message.contains(&shown);
                let message =
                    if is_named { failure.message } else { format!("{shown}: {}", failure.message) };
                worst_code = worst_code.max(failure.code.min(failure::UNREADABLE));
                let _ = writeln!(err, "error: {}", one_line(&message));
                return Ok(FileOutcome::Unfinished);
            }
        };
        summary.damaged += u64::from(!failures.is_empty());
        for failure in &failures {
            failure.report(err);
            worst_code = failure::UNREADABLE;
        }
        absent::warn(&report.file, &report.absent, err);
        summary.without_findings += u64::from(all(&report).next().is_none());
        count(&report, &mut causes);
        if let (Some(listing), Some(forecast)) = (&mut summary.listing, &report.forecast) {
            listing.add(forecast);
        }
        is_found |= fails(&report, args.fail_on);
        if args.json {
            out.write_all(schema::document(schema::DOCTOR, &report)?.as_bytes())?;
        } else if all(&report).next().is_some() {
            writeln!(
                out,
                "== {}\n\n{}",
                one_line(&report.file),
                render_findings(&super::escaped(with_findings(report)), terminal::columns())
            )?;
        }
        Ok(if failures.is_empty() { FileOutcome::Finished } else { FileOutcome::Unfinished })
    };
    runner::run(files, &args.run, |path| examiner.examine(path, None), each)?;
    summary.causes = causes.into_values().collect();
    summary.causes.sort_by(|a, b| b.severity.cmp(&a.severity).then(b.seconds.total_cmp(&a.seconds)));
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

fn all(report: &Report) -> impl Iterator<Item = &Finding> {
    report.findings.iter().chain(report.datasets.iter().flat_map(|dataset| &dataset.findings))
}

fn with_findings(mut report: Report) -> Report {
    report.datasets.retain(|dataset| !dataset.findings.is_empty());
    report
}

fn count(report: &Report, causes: &mut BTreeMap<String, Cause>) {
    let mut here: Vec<&str> = Vec::new();
    for finding in all(report) {
        let cause = causes.entry(finding.code.clone()).or_insert_with(|| Cause {
            code: finding.code.clone(),
            severity: finding.severity,
            files: 0,
            findings: 0,
            seconds: 0.0,
            bytes: 0,
            worst_file: report.file.clone(),
        });
        if finding.severity > cause.severity {
            cause.severity = finding.severity;
            cause.worst_file.clone_from(&report.file);
        }
        cause.findings += 1;
        cause.seconds += finding.cost.seconds.unwrap_or(0.0);
        cause.bytes = cause.bytes.saturating_add(finding.cost.bytes.unwrap_or(0));
        if !here.contains(&finding.code.as_str()) {
            here.push(&finding.code);
            cause.files += 1;
        }
    }
}

/// `12 files, 3 causes, worst first:` and a line for each cause.
fn text(summary: &Summary) -> String {
    let mut text = counted_text(summary.files, "file");
    if summary.damaged > 0 {
        text.push_str(&format!(", {} of them damaged or not readable", count_text(summary.damaged)));
    }
    let listing = summary.listing.as_ref().map_or_else(String::new, ListingTotal::text);
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
