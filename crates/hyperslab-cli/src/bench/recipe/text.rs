//! What a recipe came to, for a terminal.

use crate::output::{Align, Line, table};
use hyperslab_bench::recipe::{Judged, Kind, Measured, Metric, Report, TableReport, Verdict};
use hyperslab_doctor::count_text;
use hyperslab_doctor::pattern::bytes_text;

/// The whole report.
pub(super) fn report(report: &Report) -> String {
    let mut text = format!("{}: {}\n", report.recipe, report.publication);
    text += &format!("measured with {}\n", engines_text(report));
    if report.shrink != 1.0 {
        text += &format!("data and caches are {:.4} of the published size\n", report.shrink);
    }
    for part in &report.tables {
        text += &format!("\n{}\n", part.title);
        text += &part_text(part);
    }
    text.push('\n');
    text += &counts_text(report);
    text
}

/// The engines that took part: `libhdf5 (h5py 3.16.0) 2.0.0, hyperslab 0.1.0`.
pub(super) fn engines_text(report: &Report) -> String {
    let engines = report.engines.iter().map(|used| format!("{} {}", used.engine, used.version));
    engines.collect::<Vec<_>>().join(", ")
}

fn part_text(part: &TableReport) -> String {
    let metrics = metrics(part);
    let mut head = head(&metrics);
    head.insert(0, (String::new(), Align::Left));
    let mut lines = Vec::new();
    let mut last = "";
    for cell in &part.cells {
        let name = if cell.cell == last { String::new() } else { cell.cell.clone() };
        last = &cell.cell;
        lines.push(Line::Cells([vec![name], cells(cell, &metrics)].concat()));
    }
    let head: Vec<(&str, Align)> = head.iter().map(|(title, align)| (title.as_str(), *align)).collect();
    let mut text = table(&head, &lines);
    for note in &part.notes {
        text += &format!("  note: {note}\n");
    }
    for not_run in &part.not_run {
        text += &format!("  not run: {}: {}\n", not_run.what, not_run.why);
    }
    for effect in &part.effects {
        text += &effect_text(effect);
    }
    text
}

pub(super) fn cells(cell: &Measured, metrics: &[Metric]) -> Vec<String> {
    let mut cells = vec![cell.by.name().to_owned()];
    for metric in metrics {
        let published = cell.published.iter().find(|published| published.metric == *metric);
        cells.push(published.map(|published| metric.text(published.value)).unwrap_or_default());
        let measured = cell.value(*metric).filter(|_| metric.is_of(cell.kind));
        cells.push(measured.map(|value| metric.text(value)).unwrap_or_default());
    }
    let is_filtered = cell.cache.is_some_and(|cache| cache.is_filtered);
    let simulated = cell.simulated.filter(|_| is_filtered);
    cells.push(cell.decodes.filter(|decodes| *decodes > 0).map(count_text).unwrap_or_default());
    cells.push(simulated.map(|simulated| count_text(simulated.decodes)).unwrap_or_default());
    let is_read = cell.kind == Kind::Read;
    cells.push(if is_read { count_text(cell.read_calls) } else { String::new() });
    cells.push(if is_read { bytes_text(cell.read_bytes) } else { String::new() });
    cells
}

/// What was published of any cell of the table; where nothing was, the size of files and seconds of all else.
pub(super) fn metrics(part: &TableReport) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = Vec::new();
    for published in part.cells.iter().flat_map(|cell| &cell.published) {
        if !metrics.contains(&published.metric) {
            metrics.push(published.metric);
        }
    }
    if metrics.is_empty() {
        let are_files = part.cells.iter().all(|cell| cell.kind == Kind::File);
        metrics.push(if are_files { Metric::FileBytes } else { Metric::Seconds });
        if part.cells.iter().any(|cell| cell.kind == Kind::Write && cell.objects.is_some()) {
            metrics.push(Metric::Overhead);
        }
    }
    metrics
}

pub(super) fn prefixed(metric: Metric) -> &'static str {
    match metric {
        Metric::First => "first, ",
        Metric::Average => "average, ",
        Metric::Total => "with open and close, ",
        Metric::Overhead => "beyond the values, ",
        Metric::PageAccesses => "accesses, ",
        Metric::PageHits => "hits, ",
        Metric::PageMisses => "misses, ",
        Metric::PageEvictions => "evictions, ",
        _ => "",
    }
}

/// As people say it.
pub(super) fn verdict_text(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::AsPublished => "as published",
        Verdict::Weaker => "weaker",
        Verdict::NoLonger => "no longer",
        Verdict::Reversed => "reversed",
        Verdict::Confirmed => "confirmed",
        Verdict::NotConfirmed => "not confirmed",
        Verdict::NotRun => "not run",
    }
}

/// The columns of a table of measurements, after that of their names.
pub(super) fn head(metrics: &[Metric]) -> Vec<(String, Align)> {
    let mut head = vec![("engine".to_owned(), Align::Left)];
    for metric in metrics {
        head.push((format!("{}published", prefixed(*metric)), Align::Right));
        head.push((format!("{}measured", prefixed(*metric)), Align::Right));
    }
    head.extend(["decodes", "simulated", "requests", "read"].map(|title| (title.to_owned(), Align::Right)));
    head
}

/// The verdict, then what it is about.
fn effect_text(effect: &Judged) -> String {
    let verdict = verdict_text(effect.verdict);
    format!("  {verdict:13}  {}\n                 {}\n", effect.says, effect.text)
}

/// Whether the simulator agrees with the library.
pub(super) fn counts_text(report: &Report) -> String {
    let counts = &report.counts;
    let cells = || report.tables.iter().flat_map(|part| &part.cells);
    if cells().all(|cell| cell.cache.is_none_or(|cache| !cache.is_filtered)) {
        return "decodes: nothing passes filters here\n".to_owned();
    }
    if counts.compared == 0 {
        return "decodes: this build of libhdf5 hides its filters, so they cannot be counted; those shown are simulated\n".to_owned();
    }
    let mut text = match counts.differing.len() {
        0 => format!(
            "decodes: in all {} cells where they are both counted and simulated, they are as many\n",
            counts.compared
        ),
        some => format!(
            "decodes: {some} of {} cells where they are both counted and simulated DIFFER\n",
            counts.compared
        ),
    };
    for differing in &counts.differing {
        text += &format!("  {differing}\n");
    }
    text
}
