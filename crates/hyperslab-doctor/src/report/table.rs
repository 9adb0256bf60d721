//! The table of reads and libraries: one column per library if the terminal is wide enough, otherwise one line each.

use super::model::{DatasetReport, ProfileReport, ReadReport};
use super::wrap::wrap;
use crate::numbers::{library_names, ratio_text};
use crate::predict::seconds_text;
use comfy_table::{Cell, CellAlignment, Table, presets};
use hyperslab_storage::pattern::shape_beside;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};

/// Adjacent profiles with the same results for every read share a column.
struct Column {
    title: String,
    cache: String,
    profile: usize,
}

/// The table, no wider than `width` if possible.
pub(super) fn reads_table(report: &DatasetReport, width: usize, times: Times) -> String {
    let columns = columns(report);
    let wide = wide(report, &columns, times);
    if wide.lines().all(|line| line.chars().count() <= width) { wide } else { tall(report, width, times) }
}

/// What predicted times are based on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Times {
    /// Parts of reads that were measured with the user's libhdf5.
    Measured,
    /// Constants.
    Constants,
}

impl Times {
    /// `0.21 s`, or `~0.21 s` by constants.
    pub(super) fn text(self, seconds: f64) -> String {
        let about = if self == Self::Constants { "~" } else { "" };
        format!("{about}{}", seconds_text(seconds))
    }
}

fn columns(report: &DatasetReport) -> Vec<Column> {
    let Some(first) = report.reads.first() else { return Vec::new() };
    let answers = |profile: usize| {
        let answer = |read: &ReadReport| {
            let profile = &read.profiles[profile];
            (profile.decodes, profile.driver_reads, profile.driver_bytes, profile.cache.nbytes)
        };
        report.reads.iter().map(answer).collect::<Vec<_>>()
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for profile in 0..first.profiles.len() {
        match groups.last_mut() {
            Some(group) if answers(group[0]) == answers(profile) => group.push(profile),
            _ => groups.push(vec![profile]),
        }
    }
    groups
        .into_iter()
        .map(|group| {
            let names: Vec<&str> =
                group.iter().map(|profile| first.profiles[*profile].name.as_str()).collect();
            let nbytes = first.profiles[group[0]].cache.nbytes;
            let cache = if nbytes == 0 { String::new() } else { bytes_text(nbytes) };
            Column { title: library_names(&names), cache, profile: group[0] }
        })
        .collect()
}

fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// Name of a read; its shape and the number of reads.
fn read_texts(read: &ReadReport) -> (String, String) {
    let reads = counted_text(read.reads, "read");
    let below = match shape_beside(&read.name, &read.shape) {
        Some(shape) => format!("{shape}, {reads}"),
        None => reads,
    };
    (read.name.clone(), below)
}

/// Decodes and decodes per chunk if the data is filtered, otherwise requests.
fn work_text(report: &DatasetReport, profile: &ProfileReport) -> (String, String) {
    let about = if profile.exact { "" } else { "~" };
    match profile.amplification {
        Some(ratio) => (format!("{about}{}", count_text(profile.decodes)), ratio_text(ratio)),
        None => {
            let ratio = profile.driver_bytes as f64 / report.stored_bytes.max(1) as f64;
            (format!("{about}{}", count_text(profile.driver_reads)), ratio_text(ratio))
        }
    }
}

fn engine_text(report: &DatasetReport, read: &ReadReport) -> (String, String) {
    let engine = &read.hyperslab;
    match engine.amplification {
        Some(ratio) => (count_text(engine.decodes), ratio_text(ratio)),
        None => {
            let ratio = engine.driver_bytes as f64 / report.stored_bytes.max(1) as f64;
            (count_text(engine.driver_reads), ratio_text(ratio))
        }
    }
}

fn wide(report: &DatasetReport, columns: &[Column], times: Times) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    let mut header = vec![Cell::new("read")];
    header.extend(columns.iter().map(|column| {
        let title = column.title.replacen(' ', "\n", 1);
        let has_size = !column.title.starts_with("cache ") && !column.cache.is_empty();
        right(if has_size { format!("{title}\n{}", column.cache) } else { title })
    }));
    header.push(right("hyperslab".to_owned()));
    table.set_header(header);
    for read in &report.reads {
        let (name, shape) = read_texts(read);
        let mut row = vec![Cell::new(format!("{name}\n{shape}"))];
        let cell = |(work, ratio): (String, String), seconds: f64| {
            right(format!("{work} {ratio}\n{}", times.text(seconds)).trim_start().to_owned())
        };
        row.extend(columns.iter().map(|column| {
            let profile = &read.profiles[column.profile];
            cell(work_text(report, profile), profile.predicted_seconds)
        }));
        row.push(cell(engine_text(report, read), read.hyperslab.predicted_seconds));
        table.add_row(row);
    }
    table.trim_fmt()
}

/// Under each read, one line for each distinct result with all libraries that have it.
fn tall(report: &DatasetReport, width: usize, times: Times) -> String {
    let headings =
        if report.filters.is_empty() { ["driver reads", "fetched"] } else { ["decodes", "per chunk"] };
    let mut lines = vec![(None, ["", headings[0], headings[1], "predicted"].map(str::to_owned))];
    for read in &report.reads {
        let (name, shape) = read_texts(read);
        let mut heading = Some(format!("{name}, {shape}"));
        for (title, work, ratio, seconds) in answers(report, read) {
            lines.push((heading.take(), [format!("  {title}"), work, ratio, times.text(seconds)]));
        }
        let (work, ratio) = engine_text(report, read);
        let seconds = times.text(read.hyperslab.predicted_seconds);
        lines.push((heading.take(), ["  hyperslab".to_owned(), work, ratio, seconds]));
    }
    aligned(lines, width)
}

/// A title and three numbers, perhaps below a heading.
pub(super) type Line = (Option<String>, [String; 4]);

/// Lines whose numbers stand below each other.
pub(super) fn aligned(lines: Vec<Line>, width: usize) -> String {
    let widest =
        |column: usize| lines.iter().map(|(_, cells)| cells[column].chars().count()).max().unwrap_or(0);
    let numbers = [widest(1), widest(2), widest(3)];
    let room = width.saturating_sub(numbers.iter().map(|n| n + 2).sum());
    let first = widest(0).min(room);
    let mut out = String::new();
    for (heading, [title, cells @ ..]) in lines {
        if let Some(heading) = heading {
            out.push_str(&heading);
            out.push('\n');
        }
        // A title that is too long gets a line to itself.
        let mut title = title;
        if title.chars().count() > first {
            wrap(&mut out, &title, width, "  ", "    ");
            title = String::new();
        }
        out.push_str(&format!("{title:<first$}"));
        for (cell, width) in cells.iter().zip(numbers) {
            out.push_str(&format!("  {cell:>width$}"));
        }
        out.push('\n');
    }
    out
}

type Answer = (String, String, String, f64);

/// The distinct results of a read, each with the libraries that have it and their caches.
fn answers(report: &DatasetReport, read: &ReadReport) -> Vec<Answer> {
    let result = |profile: &ProfileReport| (profile.decodes, profile.driver_reads, profile.driver_bytes);
    grouped(&read.profiles, result)
        .into_iter()
        .map(|group| {
            let named = group.iter().map(|profile| (profile.name.as_str(), profile.cache.nbytes)).collect();
            let title = title(named, read.profiles.len(), report.chunks.is_some());
            let (work, ratio) = work_text(report, group[0]);
            (title, work, ratio, group[0].predicted_seconds)
        })
        .collect()
}

/// The profiles with the same result together, in the order of the first of each.
pub(super) fn grouped<P, R: PartialEq>(profiles: &[P], result: impl Fn(&P) -> R) -> Vec<Vec<&P>> {
    let mut groups: Vec<Vec<&P>> = Vec::new();
    for profile in profiles {
        match groups.iter_mut().find(|group| result(group[0]) == result(profile)) {
            Some(group) => group.push(profile),
            None => groups.push(vec![profile]),
        }
    }
    groups
}

/// The libraries that have a result, of `all` that were simulated: their names and the bytes of their caches.
pub(super) fn title(libraries: Vec<(&str, u64)>, all: usize, has_cache: bool) -> String {
    let (names, caches): (Vec<&str>, Vec<u64>) = libraries.into_iter().unzip();
    let is_all = names.len() == all && all > 1;
    let names_text = if is_all { "every library".to_owned() } else { library_names(&names) };
    // The names of caches that the user set include their size; contiguous data has no chunk cache.
    if names.iter().all(|name| name.starts_with("cache ")) || !has_cache {
        return names_text;
    }
    format!("{names_text} ({})", range_text(&caches))
}

/// `1 MiB`, `1 to 16 MiB`
fn range_text(caches: &[u64]) -> String {
    let caches = caches.iter().copied();
    let (least, most) = (caches.clone().min().unwrap_or(0), caches.max().unwrap_or(0));
    if least == most {
        return bytes_text(most);
    }
    let (least, most) = (bytes_text(least), bytes_text(most));
    match (least.split_once(' '), most.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number} to {most}"),
        _ => format!("{least} to {most}"),
    }
}
