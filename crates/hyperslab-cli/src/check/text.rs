//! Findings and summaries as text.

use crate::failure::one_line;
use hyperslab_apps::check::Summary;
use hyperslab_apps::files;
use hyperslab_check::{Finding, Report};
use hyperslab_units::counted_text;
use std::path::Path;

/// `FILE: 1 error, 2 warnings, 1 note`, and a line for each finding.
pub(super) fn report(path: &Path, report: &Report) -> String {
    let mut text = format!("{}: {}\n", one_line(&files::shown(path)), counts(report));
    for finding in &report.findings {
        text.push_str(&line(finding));
    }
    if report.unlisted() > 0 {
        text.push_str(&format!("  ... and {} more of the same rules\n", report.unlisted()));
    }
    text
}

fn counts(report: &Report) -> String {
    let counted = |count, what: &str| match count {
        0 => format!("no {what}s"),
        count => counted_text(count, what),
    };
    let notes =
        if report.notes == 0 { String::new() } else { format!(", {}", counted(report.notes, "note")) };
    format!("{}, {}{notes}", counted(report.errors, "error"), counted(report.warnings, "warning"))
}

fn line(finding: &Finding) -> String {
    let object =
        if finding.object.is_empty() { String::new() } else { format!("{}: ", one_line(&finding.object)) };
    format!(
        "  {:<7}  {}: {object}{} at byte {:#x}: {} ({})\n",
        finding.rule.severity,
        finding.rule.code,
        finding.structure,
        finding.at,
        one_line(&finding.message),
        finding.source
    )
}

/// `12 files: 1 with errors, 3 with warnings only`, and the rules that were violated.
pub(super) fn summary(summary: &Summary) -> String {
    let mut text = format!(
        "\n{}: {} with errors, {} with warnings only",
        counted_text(summary.files, "file"),
        summary.with_errors,
        summary.with_warnings
    );
    if summary.unreadable > 0 {
        text.push_str(&format!(", {} not readable", summary.unreadable));
    }
    text.push('\n');
    text.push_str(&summary.passed_over.line());
    for (code, files) in &summary.rules {
        text.push_str(&format!("  {code}: {}\n", counted_text(*files, "file")));
    }
    text
}
