//! A trace for people.

use crate::output::{Align, Line, table};
use hyperslab_apps::trace::{Answer, Cure, Traced};
use hyperslab_pages::trace::words::{cure_text, cured, pattern_text, seconds_text};
use hyperslab_trace::{Calls, TracedPattern};
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;
use std::fmt::Write;

/// The most datasets that are listed.
const DATASETS_MAX: usize = 20;
/// The most patterns of a dataset that are listed.
const PATTERNS_SHOWN: usize = 3;
/// The most cures that are printed.
const CURES_MAX: usize = 3;

/// The summary: the datasets that took most time, and what would help most.
pub(super) fn text(answer: &Answer) -> String {
    let mut text = String::new();
    let share = 100.0 * answer.seconds_in_hdf5 / answer.seconds.max(1e-9);
    let (inside, all) = (seconds_text(answer.seconds_in_hdf5), seconds_text(answer.seconds));
    if answer.processes == 1 {
        let _ = writeln!(text, "{}: {inside} of {all} in HDF5 ({share:.0} %)", answer.trace);
    } else {
        let processes = answer.processes;
        let _ = writeln!(
            text,
            "{}: {processes} processes, {inside} in HDF5 together; the longest ran {all}",
            answer.trace
        );
    }
    if !answer.ended {
        text.push_str("A process did not end by itself: its last reads may be missing.\n");
    }
    text.push('\n');
    text.push_str(&datasets(answer));
    let cured: Vec<(&Traced, &Cure)> = cured(answer).collect();
    for (traced, cure) in cured.iter().take(CURES_MAX) {
        text.push('\n');
        text.push_str(&cure_lines(traced, cure));
    }
    if cured.is_empty() && answer.datasets.iter().any(|traced| traced.reads.decodes.is_some()) {
        text.push_str("\nNo chunk cache would have saved much of this time.\n");
    }
    text
}

fn datasets(answer: &Answer) -> String {
    let head = [
        ("dataset", Align::Left),
        ("reads", Align::Right),
        ("bytes", Align::Right),
        ("seconds", Align::Right),
        ("decodes", Align::Right),
        ("needed", Align::Right),
        ("", Align::Left),
    ];
    let row = |traced: &Traced| {
        let count = |count: Option<u64>| count.map(count_text).unwrap_or_default();
        let why = traced.not_counted.as_ref().map(|why| format!("not counted: {why}"));
        Line::Cells(vec![
            traced.dataset.clone(),
            count_text(traced.reads.calls),
            bytes_text(traced.reads.bytes),
            seconds_text(traced.seconds()),
            count(traced.reads.decodes),
            count(traced.decodes_least),
            why.unwrap_or_default(),
        ])
    };
    let mut lines = Vec::new();
    let mut file = "";
    for traced in answer.datasets.iter().take(DATASETS_MAX) {
        if traced.file != file {
            file = &traced.file;
            lines.push(Line::Text(file.to_owned()));
        }
        lines.push(row(traced));
        if !traced.stored_chunks.is_empty() {
            lines.push(Line::Text(stored_line(&traced.stored_chunks)));
        }
        lines.extend(
            traced.patterns.iter().take(PATTERNS_SHOWN).map(|pattern| Line::Text(pattern_line(pattern))),
        );
    }
    let others = answer.datasets.len().saturating_sub(DATASETS_MAX);
    if others > 0 {
        lines.push(Line::Text(format!(
            "{} datasets more: --show {} --json lists all",
            count_text(others as u64),
            answer.trace
        )));
    }
    if let Some(others) = &answer.others {
        let (datasets, reads) = (count_text(others.datasets), count_text(others.reads.calls));
        let seconds = seconds_text(others.seconds());
        lines.push(Line::Text(format!(
            "{datasets} datasets that took less time, together: {reads} reads, {seconds}"
        )));
    }
    table(&head, &lines)
}

/// `  20 chunks as they are stored (H5Dread_chunk): 1.2 MiB, 3 ms`
fn stored_line(calls: &Calls) -> String {
    let (count, bytes) = (count_text(calls.calls), bytes_text(calls.bytes));
    format!("  {count} chunks as they are stored (H5Dread_chunk): {bytes}, {}", seconds_text(calls.seconds))
}

/// `  16,200 times --read 1x1x1x717, 3.1 s`
fn pattern_line(pattern: &TracedPattern) -> String {
    let (calls, seconds) = (count_text(pattern.count), seconds_text(pattern.seconds));
    format!("  {calls} times {}, {seconds}", pattern_text(pattern))
}

fn cure_lines(traced: &Traced, cure: &Cure) -> String {
    let mut text = format!("{}: {}\n", traced.dataset, cure_text(traced, cure));
    if let (Some(cache), Some(from)) = (traced.cache, traced.cache_from.as_deref()) {
        let whose = match from {
            "default" => "the default",
            "netCDF-C" => "set by netCDF-C",
            "file" => "set by the program for the file",
            _ => "set by the program for the dataset",
        };
        let _ = writeln!(text, "  in force: {}, {whose}", bytes_text(cache.nbytes));
    }
    for (target, line) in &cure.lines {
        let _ = writeln!(text, "  {target}: {line}");
    }
    text
}
