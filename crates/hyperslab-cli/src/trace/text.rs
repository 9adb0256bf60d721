//! A trace for people.

use crate::output::{Align, Line, table};
use hyperslab_apps::trace::{Answer, Cure, Traced};
use hyperslab_trace::{Order, TracedPattern};
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};
use std::fmt::Write;

/// The most datasets that are listed.
const DATASETS_MAX: usize = 20;
/// The most patterns of a dataset that are listed.
const PATTERNS_SHOWN: usize = 3;
/// What saves less than this share of the whole run is not told of.
const SAVED_SHARE_MIN: f64 = 0.01;
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
    let cured: Vec<(&Traced, &Cure)> =
        answer.datasets.iter().filter_map(|traced| Some((traced, traced.cure.as_ref()?))).collect();
    let saves = |(traced, cure): &(&Traced, &Cure)| {
        traced.reads.seconds - cure.seconds >= SAVED_SHARE_MIN * answer.seconds
    };
    let cured: Vec<(&Traced, &Cure)> = cured.into_iter().filter(saves).collect();
    for (traced, cure) in cured.iter().take(CURES_MAX) {
        text.push('\n');
        text.push_str(&cure_text(traced, cure));
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
        lines.extend(
            traced.patterns.iter().take(PATTERNS_SHOWN).map(|pattern| Line::Text(pattern_text(pattern))),
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
    table(&head, &lines)
}

/// `  16,200 times --read 1x1x1x717, 3.1 s`
fn pattern_text(pattern: &TracedPattern) -> String {
    let shape = hyperslab_storage::pattern::shape_text(&pattern.shape);
    let block = match (&pattern.step, pattern.irregular) {
        _ if pattern.write => format!("--write {shape}"),
        (_, true) => "elements here and there".to_owned(),
        (Some(step), _) => {
            format!("--read {shape} --stride {}", hyperslab_storage::pattern::shape_text(step))
        }
        (None, _) => format!("--read {shape}"),
    };
    let order = match &pattern.order {
        None => String::new(),
        Some(Order::Sweep(order)) => {
            let order: Vec<String> = order.iter().map(usize::to_string).collect();
            format!(" --order {}", order.join(","))
        }
        Some(Order::Named(name)) if name == "repeat" => " (the same block)".to_owned(),
        Some(Order::Named(_)) => format!(" --random {}", pattern.count),
    };
    format!("  {} times {block}{order}, {}", count_text(pattern.count), seconds_text(pattern.seconds))
}

fn cure_text(traced: &Traced, cure: &Cure) -> String {
    let decodes = traced.reads.decodes.unwrap_or(0);
    let mut text = format!(
        "{}: {} decodes {} instead of {}: about {} instead of {}\n",
        traced.dataset,
        cure.text(),
        counted_text(cure.decodes, "chunk"),
        count_text(decodes),
        seconds_text(cure.seconds),
        seconds_text(traced.reads.seconds)
    );
    for (target, line) in &cure.lines {
        let _ = writeln!(text, "  {target}: {line}");
    }
    text
}

/// `12.3 s`, `45 ms`.
fn seconds_text(seconds: f64) -> String {
    if seconds >= 1.0 { format!("{seconds:.1} s") } else { format!("{:.0} ms", seconds * 1e3) }
}
