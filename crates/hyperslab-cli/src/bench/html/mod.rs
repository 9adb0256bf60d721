//! The results as a page: what was asked and found, then figures, each only where the rows have what it needs.
//!
//! ```text
//!   Document ─► matrix (heat map) · by_cache, by_chunk (curves) · by_ratio, simulated (points) · written · numbers ─► Page
//! ```

mod by_cache;
mod by_chunk;
mod by_ratio;
mod matrix;
mod numbers;
mod simulated;
mod written;

use super::document::{Document, Measured};
use super::finding::{self, count};
use crate::size;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Column, Facts, Figure, Page, Section, Table};

/// More pictures of a kind than this are not drawn: what differs most comes first, the rest is in the table.
const PICTURES_MAX: usize = 8;

/// The page.
pub(super) fn page(document: &Document) -> Page {
    let head = &document.head;
    let findings = finding::all(document.rows());
    let mut told: Vec<String> = findings.iter().take(PICTURES_MAX).map(finding::Finding::sentence).collect();
    told.extend(finding::one_for_all(&findings));
    let page = Page {
        topic: "hyperslab bench".to_owned(),
        findings: told,
        lead: lead(document),
        foot: format!("hyperslab {}, {}", head.hyperslab, head.date),
        ..Page::new(title(document))
    };
    page.section(matrix::section(document))
        .section(by_cache::section(document))
        .section(by_chunk::section(document))
        .section(by_ratio::section(document))
        .section(simulated::section(document))
        .section(written::section(document))
        .section(numbers::section(document))
        .section(not_measured(document))
        .section(conditions(document))
}

/// A section of pictures, the first of them, and the numbers behind these; nothing where there is no group.
fn pictures<'a, F: Into<Figure>>(
    section: Section,
    groups: &[Vec<&'a Measured>],
    numbers: &str,
    picture: impl Fn(&[&'a Measured]) -> F,
) -> Section {
    if groups.is_empty() {
        return Section::default();
    }
    let drawn = &groups[..groups.len().min(PICTURES_MAX)];
    let section = drawn.iter().fold(section, |section, group| section.figure(picture(group)));
    section.figure(numbers::behind(numbers, drawn.iter().flatten().copied()))
}

fn title(document: &Document) -> String {
    format!("Reading {}", document.head.data.name())
}

/// A duration beside an axis: `1 s`, `0.1 s`, `1000 s`.
fn seconds_label(seconds: f64) -> String {
    if seconds >= 100.0 { format!("{seconds:.0} s") } else { shortened(&seconds_text(seconds)) }
}

/// A size beside an axis: `4 MiB`.
fn bytes_label(bytes: f64) -> String {
    shortened(&size::bytes(bytes as u64))
}

/// A number with its unit, without zeros behind the point.
fn shortened(text: &str) -> String {
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text.to_owned(),
    }
}

/// What was asked, in words.
fn lead(document: &Document) -> Vec<String> {
    let data = &document.head.data;
    let shape = size::shape(&data.shape);
    let mut text = match &data.file {
        Some(_) => format!("A dataset of {shape} elements of type {}", data.element),
        None => format!("Made-up values: {shape} elements of type {}", data.element),
    };
    match (&data.chunks, data.file.is_some()) {
        (Some(chunks), _) => text += &format!(", in chunks of {}", size::shape(chunks)),
        (None, true) => text += ", without chunks",
        (None, false) => {}
    }
    let rows = count(document.rows.len() as u64, "cell");
    text += &format!(
        ". {rows} measured on {}, each run in a process of its own, the values of all engines compared.",
        document.head.date
    );
    let mut lead = vec![text];
    lead.extend(finding::harness(document.rows()).map(|harness| harness.sentence()));
    lead
}

fn not_measured(document: &Document) -> Section {
    let mut section = Section::new("Not measured, and notes");
    if !document.skipped.is_empty() {
        let columns = vec![Column::new("cell", Align::Left), Column::new("why", Align::Left)];
        let table = Table::new("What was asked and is not here", columns);
        let rows = document.skipped.iter().map(|skipped| [skipped.what.clone(), skipped.why.clone()]);
        section = section.figure(rows.fold(table, Table::row));
    }
    let strayed = document.rows().filter(|row| row.read.read.outliers > 0 && !finding::is_null(row));
    let notes = document.notes.iter().cloned().chain(strayed.map(super::report::outliers));
    let rows: Vec<String> = notes.collect();
    if !rows.is_empty() {
        let table = Table::new("What has to be known of the figures", vec![Column::new("note", Align::Left)]);
        section = section.figure(rows.into_iter().fold(table, |table, note| table.row([note])));
    }
    section
}

/// The question in full, the machine, and the engines that took part.
fn conditions(document: &Document) -> Section {
    let head = &document.head;
    let asked = head.asked.iter().fold(Facts::new("What was asked").command(&head.command), |facts, line| {
        let (name, value) = line.split_once(": ").unwrap_or(("Each cell", line));
        facts.fact(name, value)
    });
    let machine = &head.machine;
    let facts = Facts::new("Where")
        .fact("Processor", format!("{}, {}", machine.processor, count(machine.cores as u64, "core")))
        .fact("Memory", size::bytes(machine.memory_bytes))
        .fact("System", machine.system.as_str())
        .fact("File system of files that were made", machine.file_system.as_str())
        .fact("Load when it began", format!("{:.1}", machine.load))
        .fact("Page cache", head.page_cache.as_str())
        .fact("File", head.data.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default())
        .fact("Date", head.date.as_str());
    let columns = ["engine", "release", "libhdf5", "chunk cache by default", "library file"];
    let columns = columns.map(|title| Column::new(title, Align::Left)).to_vec();
    let engines = head.engines.iter().map(|engine| {
        let cache = engine.default_cache.map(finding::settings);
        [
            engine.name.clone(),
            engine.version.clone(),
            engine.hdf5_version.clone().unwrap_or_default(),
            cache.unwrap_or_default(),
            engine.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
        ]
    });
    let table = engines.fold(Table::new("Engines", columns), Table::row);
    Section::new("How it was measured").figure(asked).figure(facts).figure(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_axes_are_short() {
        let seconds = [0.000_01, 0.001, 0.1, 1.0, 20.0, 1000.0].map(seconds_label);
        assert_eq!(seconds, ["10 µs", "1 ms", "0.1 s", "1 s", "20 s", "1000 s"]);
        assert_eq!([1.0, 4194304.0, 1572864.0].map(bytes_label), ["1 B", "4 MiB", "1.5 MiB"]);
    }
}
