//! The report as plain text: readable without colour, with lines to paste on separate lines.

use super::forecast::render_forecast;
use super::model::{DatasetReport, Report};
use super::table::{Times, reads_table};
use super::wrap::wrap;
use super::writes::writes_text;
use crate::facts::VariableLength;
use crate::finding::{Finding, Severity};
use crate::fix::{Fix, FixKind, WriterLine, others_text};
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};
use std::fmt::Write;

/// The narrowest text.
const WIDTH_MIN: usize = 40;

/// Renders a report as text of at most `width` columns: first what is wrong, then the evidence. Lines to paste are never
/// broken and may be longer.
pub fn render_text(report: &Report, width: usize) -> String {
    let mut out = render_findings(report, width);
    let width = width.max(WIDTH_MIN);
    let times = if report.prediction.library.is_some() { Times::Measured } else { Times::Constants };
    for dataset in report.datasets.iter().filter(|dataset| !dataset.reads.is_empty()) {
        out.push('\n');
        evidence_text(&mut out, dataset, width, times);
    }
    for dataset in report.datasets.iter().filter(|dataset| !dataset.writes.is_empty()) {
        out.push('\n');
        writes_text(&mut out, dataset, width);
    }
    if report.datasets.iter().any(|dataset| !dataset.reads.is_empty()) {
        out.push('\n');
        let basis = match &report.prediction.release {
            Some(release) => {
                format!("Times are predicted for libhdf5 {release}, as it was measured on this machine.")
            }
            None => "Times are about (~): no library was measured, and they are predicted by constants."
                .to_owned(),
        };
        wrap(&mut out, &basis, width, "", "");
    }
    if let Some(forecast) = &report.forecast {
        out.push('\n');
        out.push_str(&render_forecast(forecast, width));
    }
    out
}

/// Renders what is wrong with a file as text of at most `width` columns, without the tables of simulated reads.
pub fn render_findings(report: &Report, width: usize) -> String {
    let width = width.max(WIDTH_MIN);
    let mut out = String::new();
    if !report.findings.is_empty() {
        out.push_str("The file\n");
    }
    for finding in &report.findings {
        out.push('\n');
        finding_text(&mut out, finding, width);
    }
    for dataset in &report.datasets {
        if !out.is_empty() {
            out.push('\n');
        }
        dataset_text(&mut out, dataset, width);
    }
    summary(&mut out, report, width);
    out
}

fn dataset_text(out: &mut String, report: &DatasetReport, width: usize) {
    out.push_str(&report.path);
    out.push('\n');
    wrap(out, &facts_text(report), width, "  ", "  ");
    for finding in &report.findings {
        out.push('\n');
        finding_text(out, finding, width);
    }
    if report.findings.is_empty() {
        out.push_str(if report.reads.is_empty() {
            "\nNothing to simulate: reading this layout touches no chunk.\n"
        } else {
            "\nNo problems found.\n"
        });
    }
}

/// What each read costs in each library.
fn evidence_text(out: &mut String, report: &DatasetReport, width: usize, times: Times) {
    let what = if report.filters.is_empty() {
        "driver reads, bytes fetched per byte stored, predicted time"
    } else {
        "decodes, decodes per chunk, predicted time"
    };
    let how = if report.speed_measured || report.filters.is_empty() {
        ""
    } else {
        " (decoder speed assumed, not measured)"
    };
    wrap(out, &format!("Reads of {}: {what}{how}", report.path), width, "", "");
    out.push('\n');
    for line in reads_table(report, width, times).lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// `60x30x9x717 >f4, chunks 4x30x9x717 (2.95 MiB) x 15, gzip level 6, 44.3 MiB stored as 41.2 MiB (1.076:1)`
fn facts_text(report: &DatasetReport) -> String {
    let mut text = format!("{} {}", shape_text(&report.shape), report.dtype);
    match (&report.chunks, report.chunk_bytes) {
        (Some(chunk), Some(bytes)) => {
            let _ = write!(text, ", chunks {} ({})", shape_text(chunk), bytes_text(bytes));
            if let Some(stored) = report.stored_chunks {
                let _ = write!(text, " x {}", count_text(stored));
            }
        }
        _ => {
            let _ = write!(text, ", {}", report.layout);
        }
    }
    for filter in &report.filters {
        let _ = write!(
            text,
            ", {}",
            if filter.description.is_empty() { &filter.name } else { &filter.description }
        );
    }
    let _ = write!(text, ", {}", bytes_text(report.logical_bytes));
    if report.stored_bytes != report.logical_bytes {
        let _ = write!(text, " stored as {}", bytes_text(report.stored_bytes));
        // The ratio of references says nothing of what they refer to.
        if report.stored_bytes > 0 && report.variable_length.is_none() {
            let ratio = report.logical_bytes as f64 / report.stored_bytes as f64;
            let _ = write!(text, " ({ratio:.3}:1)");
        }
    }
    if let Some(VariableLength { elements, heap_bytes, .. }) = report.variable_length {
        let _ = write!(
            text,
            ", {} {} to {} in the global heap",
            counted_text(elements, "element"),
            if elements == 1 { "refers" } else { "refer" },
            bytes_text(heap_bytes)
        );
    }
    text
}

fn finding_text(out: &mut String, finding: &Finding, width: usize) {
    let severity = match finding.severity {
        Severity::High => "HIGH",
        Severity::Medium => "MEDIUM",
        Severity::Low => "LOW",
    };
    let _ = writeln!(out, "{severity} {}", finding.code);
    wrap(out, &finding.message, width, "  ", "  ");
    // One heading for each kind and effect, with the lines for the individual libraries below it.
    let mut heading: Option<(FixKind, &str)> = None;
    for fix in &finding.fixes {
        let Fix { kind, target, line, effect, others, writers, .. } = fix;
        if heading != Some((*kind, effect)) {
            heading = Some((*kind, effect));
            wrap(out, &format!("{}: {effect}{}", kind.text(), others_text(others)), width, "  - ", "    ");
        }
        let _ = writeln!(out, "      {target:<9} {line}");
        // What slows other reads is not worth five lines.
        for WriterLine { target, line } in writers.iter().filter(|_| !fix.slows_others) {
            let _ = writeln!(out, "      {target:<9} {line}");
        }
    }
}

fn summary(out: &mut String, report: &Report, width: usize) {
    let of_datasets = report.datasets.iter().flat_map(|dataset| &dataset.findings);
    let findings: Vec<&Finding> = report.findings.iter().chain(of_datasets).collect();
    if findings.is_empty() {
        return;
    }
    let mut codes: Vec<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    let noun = if findings.len() == 1 { "finding" } else { "findings" };
    let datasets = report.datasets.iter().filter(|dataset| !dataset.findings.is_empty()).count();
    let place = match datasets {
        0 => "the file".to_owned(),
        1 => "1 dataset".to_owned(),
        datasets => format!("{datasets} datasets"),
    };
    let why = if codes.len() == 1 { codes[0] } else { "CODE" };
    let text = format!(
        "{} {noun} in {place}. To learn why it costs, and when it is fine: hyperslab doctor --why {why}",
        findings.len()
    );
    out.push('\n');
    wrap(out, &text, width, "", "");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::diagnose;
    use crate::options::Options;
    use crate::report::Prediction;
    use crate::testing::{case_study, chunked, contiguous};

    fn text(facts: &crate::DatasetFacts, width: usize) -> String {
        let dataset = diagnose(facts, &Options { threads: 2, ..Options::default() }).unwrap();
        render_text(
            &Report {
                file: "in.h5".to_owned(),
                prediction: Prediction::default(),
                findings: Vec::new(),
                datasets: vec![dataset],
                absent: Vec::new(),
                forecast: None,
            },
            width,
        )
    }

    #[test]
    fn the_case_study_reads_as_a_story() {
        let text = text(&case_study(), 120);
        for part in [
            "/All_Data/CrIS-SDR_All/ES_ImaginaryLW\n",
            "60x30x9x717 >f4, chunks 4x30x9x717 (2.95 MiB) x 15, gzip level 6, 44.3 MiB stored as 41.2 MiB (1.076:1)",
            "16,200 1080x",
            "HIGH cache-smaller-than-chunk",
            "rdcc_nbytes=3145728",
            "4x30x9x717",
            "CHUNK=1x30x9x717",
            "LOW compression-saves-nothing",
            "hyperslab doctor --why CODE",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
        assert!(text.find("HIGH").unwrap() < text.find("LOW").unwrap());
    }

    #[test]
    fn text_keeps_to_its_width_but_for_lines_to_paste() {
        for width in [60, 80, 100, 160] {
            for line in text(&case_study(), width).lines() {
                let is_paste = line.starts_with("      ");
                assert!(is_paste || line.chars().count() <= width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn where_nothing_is_wrong_it_says_so() {
        let text = text(&chunked(&[100, 100], &[50, 50], 4), 100);
        assert!(text.contains("\nNo problems found.\n"), "{text}");
        assert!(text.find("No problems found.").unwrap() < text.find("Reads of /d:").unwrap(), "{text}");
        let mut compact = contiguous(&[3], 4);
        compact.layout = crate::Layout::Compact;
        assert!(super::tests::text(&compact, 100).contains("Nothing to simulate"));
    }
}
