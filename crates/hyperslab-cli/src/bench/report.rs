//! What was measured, as people read it: a table for each storage and access, and at the end what is fastest and why.

use super::document::{Document, Measured};
use super::finding::{self, count, is_null};
use crate::output::{Align, Line, table};
use crate::size;
use hyperslab_bench::matrix::{Row, WriteFigures};
use hyperslab_bench::runner::Summary;
use hyperslab_doctor::predict::seconds_text;

const HEAD: [(&str, Align); 10] = [
    ("engine", Align::Left),
    ("chunk cache", Align::Left),
    ("read", Align::Right),
    ("spread", Align::Right),
    ("open+read+close", Align::Right),
    ("a read", Align::Right),
    ("decodes", Align::Right),
    ("requests", Align::Right),
    ("memory", Align::Right),
    ("", Align::Right),
];

/// The whole report.
pub(super) fn text(document: &Document) -> String {
    let head = &document.head;
    let machine = head.machine.text();
    let mut text =
        format!("{}: hyperslab {}, {machine}, {}\n\n", head.data.name(), head.hyperslab, head.date);
    let same =
        |a: &Measured, b: &Measured| a.row.stored_as == b.row.stored_as && a.row.read_as == b.row.read_as;
    for group in document.rows.chunk_by(same) {
        let group: Vec<&Row> = group.iter().map(|measured| &measured.row).collect();
        text += &group_text(&group);
        text.push('\n');
    }
    text += &written(document.rows());
    for note in &document.notes {
        text += &format!("note: {note}\n");
    }
    for skipped in &document.skipped {
        text += &format!("not measured: {}: {}\n", skipped.what, skipped.why);
    }
    text + &conclusion(document)
}

/// The fastest engine at each access, and one choice for all of them.
fn conclusion(document: &Document) -> String {
    let findings = finding::all(document.rows());
    let mut lines: Vec<String> = findings.iter().map(finding::Finding::sentence).collect();
    lines.extend(finding::one_for_all(&findings));
    lines.extend(finding::harness(document.rows()).map(|harness| harness.sentence()));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// One storage read in one way, the fastest first; last the harness alone, where it was measured.
fn group_text(group: &[&Row]) -> String {
    let mut sorted: Vec<&Row> = group.to_vec();
    sorted.sort_by(|a, b| is_null(a).cmp(&is_null(b)).then(a.seconds().total_cmp(&b.seconds())));
    let first = sorted[0];
    let best = if is_null(first) { 0.0 } else { first.seconds() };
    let reads = match first.read.reads == first.read.reads_in_all {
        true => count(first.read.reads, "read"),
        false => format!(
            "{} of {}, the time of all extrapolated",
            first.read.reads,
            count(first.read.reads_in_all, "read")
        ),
    };
    let mut text =
        format!("{}, read {}: {reads}, {}\n", first.stored_as, first.read_as, size::bytes(first.read.bytes));
    let lines: Vec<Line> = sorted.iter().map(|row| Line::Cells(cells(row, best))).collect();
    text += &table(&HEAD, &lines);
    for row in group {
        if row.read.read.outliers > 0 && !is_null(row) {
            text += &format!("  warning: {}\n", outliers(row));
        }
        if let (Some(counted), Some(simulated)) = (row.read.decodes, row.read.simulated_decodes)
            && counted != simulated
        {
            text += &format!(
                "  note: {}: {} counted, {simulated} simulated\n",
                finding::who(row),
                count(counted, "decode")
            );
        }
    }
    text
}

/// Runs of a row that strayed.
pub(super) fn outliers(row: &Row) -> String {
    let Summary { outliers, runs, min, max, .. } = row.read.read;
    format!(
        "{}: {} of {runs} strayed far from the others ({} to {}); something else was at work",
        finding::who(row),
        count(outliers as u64, "run"),
        seconds_text(min),
        seconds_text(max)
    )
}

fn cells(row: &Row, best: f64) -> Vec<String> {
    let cache = match finding::cache(row) {
        cache if cache.is_empty() => "none to set".to_owned(),
        cache => cache,
    };
    let engine = match is_null(row) {
        true => "null (the harness alone)".to_owned(),
        false => finding::engine(row),
    };
    let times = match best > 0.0 && !is_null(row) {
        true => format!("{:.2}x", row.seconds() / best),
        false => String::new(),
    };
    vec![
        engine,
        cache,
        seconds_text(row.seconds()),
        spread(&row.read.read),
        seconds_text(row.read.open_read_close.median),
        seconds_text(row.read.average),
        decodes(row),
        row.read.read_calls.to_string(),
        size::bytes(row.read.memory_bytes),
        times,
    ]
}

/// Counted where that was possible, else simulated.
pub(super) fn decodes(row: &Row) -> String {
    match (row.read.decodes, row.read.simulated_decodes) {
        (Some(counted), _) => counted.to_string(),
        (None, Some(simulated)) => format!("{simulated} (simulated)"),
        (None, None) => String::new(),
    }
}

/// `±3 % of 5`.
pub(super) fn spread(summary: &Summary) -> String {
    if summary.runs < 2 || summary.median == 0.0 {
        return count(summary.runs as u64, "run");
    }
    let half = (summary.max - summary.min) / 2.0 / summary.median;
    format!("±{:.0} % of {}", half * 100.0, summary.runs)
}

/// What has a row, each with a file that was made in another way, and how it was.
pub(super) fn files<'a, T>(
    items: impl Iterator<Item = &'a T>,
    row: impl Fn(&T) -> &Row,
) -> Vec<(&'a T, &'a WriteFigures)> {
    let mut found: Vec<(&T, &WriteFigures)> = Vec::new();
    for item in items {
        let Some(write) = &row(item).write else { continue };
        if !found.iter().any(|(known, _)| row(known).stored_as == row(item).stored_as) {
            found.push((item, write));
        }
    }
    found
}

/// The files that were made, each once.
fn written<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    let head = [
        ("stored as", Align::Left),
        ("written in blocks of", Align::Left),
        ("write", Align::Right),
        ("spread", Align::Right),
        ("open+write+close", Align::Right),
        ("encodes", Align::Right),
        ("file", Align::Right),
        ("beyond the values", Align::Right),
    ];
    let line = |(row, write): (&Row, &WriteFigures)| {
        Line::Cells(vec![
            row.stored_as.clone(),
            write.written_as.clone(),
            seconds_text(write.write.median),
            spread(&write.write),
            seconds_text(write.open_write_close.median),
            write.encodes.map(|encodes| encodes.to_string()).unwrap_or_default(),
            size::bytes(write.file_bytes),
            overhead(write.overhead_bytes),
        ])
    };
    let lines: Vec<Line> = files(rows, |row| row).into_iter().map(line).collect();
    if lines.is_empty() { String::new() } else { table(&head, &lines) + "\n" }
}

/// `3.2 KiB`, `-40.0 MiB`.
pub(super) fn overhead(bytes: i64) -> String {
    let sign = if bytes < 0 { "-" } else { "" };
    format!("{sign}{}", size::bytes(bytes.unsigned_abs()))
}
