//! The report as a page: at the top one sentence and a table of storages by accesses, then figures, each only where the
//! rows have what it needs.
//!
//! ```text
//!   Document ─► storages (heat map) · points, by_cache (figures) · engines (heat map) · written · all numbers ─► Page
//! ```

mod by_cache;
pub mod changes;
// Their titles say what they are.
#[allow(missing_docs)]
pub mod columns;
mod engines;
pub mod matrix;
mod points;
mod written;

use columns::Column;
use hyperslab_bench::document::names::{self, Names, is_null};
use hyperslab_bench::document::paste::{self, Paste};
use hyperslab_bench::document::{Document, Measured, finding};
use hyperslab_bench::matrix::Row;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Facts, Figure, Page, Section, Table};
use hyperslab_units::{counted_text, size};
use matrix::Matrix;

/// More pictures of a kind than this are not drawn: what differs most comes first, the rest is in the table.
const PICTURES_MAX: usize = 8;

const EVERYTHING: [Column; 18] = [
    columns::STORED_AS,
    columns::READ_AS,
    columns::ENGINE,
    columns::CACHE,
    columns::READ_TIME,
    columns::SPREAD,
    columns::OPEN_READ_CLOSE,
    columns::FIRST_READ,
    columns::A_READ,
    columns::CPU,
    columns::READS,
    columns::READ_SPEED,
    columns::DECODES,
    columns::REQUESTS,
    columns::FETCHED,
    columns::MEMORY,
    columns::RATIO,
    columns::COMMAND,
];
const IN_SHORT: [Column; 8] = [
    columns::STORED_AS,
    columns::READ_AS,
    columns::ENGINE,
    columns::CACHE,
    columns::READ_TIME,
    columns::DECODES,
    columns::REQUESTS,
    columns::COMMAND,
];

/// What is drawn, and how it is called.
struct Drawn<'a> {
    document: &'a Document,
    names: &'a Names,
}

/// The page.
pub fn page(document: &Document) -> Page {
    let head = &document.head;
    let names = document.names();
    let drawn = Drawn { document, names: &names };
    let page = Page {
        topic: "hyperslab bench".to_owned(),
        findings: drawn.sentence().into_iter().collect(),
        lead: vec![drawn.lead()],
        foot: format!("hyperslab {}, {}", head.hyperslab, head.date),
        ..Page::new(format!("Reading {}", head.data.name()))
    };
    page.section(drawn.storages())
        .section(points::by_ratio(&drawn))
        .section(by_cache::section(&drawn))
        .section(points::by_chunk(&drawn))
        .section(engines::section(&drawn))
        .section(points::simulated(&drawn))
        .section(written::section(&drawn))
        .section(drawn.changes())
        .section(drawn.numbers())
        .section(drawn.not_measured())
        .section(conditions(document))
}

impl<'a> Drawn<'a> {
    /// What to store, where there was a choice; else which engine is fastest.
    fn sentence(&self) -> Option<String> {
        let verdict = self.document.verdicts.first()?;
        if verdict.is_choice() {
            return verdict.sentence(self.names);
        }
        finding::all(self.document.rows()).first().map(|finding| finding.sentence(self.names))
    }

    /// Each storage, the best first; then what else the rows say, and what to paste.
    fn storages(&self) -> Section {
        let document = self.document;
        let Some(matrix) = Matrix::of(document, self.names) else { return Section::default() };
        let mut section = Section::new("Storages").figure(matrix.heat_map());
        let mut told = Vec::new();
        for (place, verdict) in
            document.verdicts.iter().enumerate().filter(|(_, verdict)| verdict.is_choice())
        {
            // The first stands at the top of the page.
            told.extend(verdict.sentence(self.names).filter(|_| place > 0));
            let is_many = document.verdicts.len() > 1;
            let named = |line: String| if is_many { format!("{}: {line}", verdict.engine) } else { line };
            told.extend(verdict.alternatives().into_iter().map(named));
        }
        let findings = finding::all(document.rows());
        told.extend(findings.iter().take(PICTURES_MAX).map(|finding| finding.sentence(self.names)));
        told.extend(finding::harness(document.rows()));
        section = section.figure(listed("What the numbers say", "", told));
        let best = document
            .verdicts
            .first()
            .filter(|verdict| verdict.is_choice())
            .and_then(|verdict| verdict.best());
        let lines = best.map(|best| paste::lines(document, best)).unwrap_or_default();
        if lines.is_empty() {
            return section;
        }
        let table =
            Table::new("The best storage, to paste", [("with", Align::Left), ("line", Align::Command)]);
        section.figure(table.rows(lines.into_iter().map(|Paste { tool, line }| [tool.to_owned(), line])))
    }

    /// A section of pictures, the first of them, and the numbers behind these; nothing where there is no group.
    fn pictures<'m, F: Into<Figure>>(
        &self,
        section: Section,
        groups: &[Vec<&'m Measured>],
        numbers: &str,
        picture: impl Fn(&[&'m Measured]) -> F,
    ) -> Section
    where
        'a: 'm,
    {
        if groups.is_empty() {
            return Section::default();
        }
        let drawn = &groups[..groups.len().min(PICTURES_MAX)];
        let section = drawn.iter().fold(section, |section, group| section.figure(picture(group)));
        section.figure(self.behind(numbers, drawn.iter().flatten().copied()))
    }

    fn table<'m>(
        &self,
        title: &str,
        shown: &[Column],
        cells: impl IntoIterator<Item = &'m Measured>,
    ) -> Table {
        let cells: Vec<&Measured> = cells.into_iter().collect();
        columns::table(title, shown, columns::cells(self.document, self.names, cells))
    }

    /// The cells of one picture.
    fn behind<'m>(&self, title: &str, cells: impl IntoIterator<Item = &'m Measured>) -> Table {
        self.table(title, &IN_SHORT, cells).folded()
    }

    fn numbers(&self) -> Section {
        if self.document.rows.is_empty() {
            return Section::default();
        }
        let title = "Every cell, with the command that measures it again";
        Section::new("All figures")
            .text(
                "Times are medians of wall time; ≈ marks what is extrapolated from a part of the reads. Requests are calls \
                 that read the file, and what they fetched; decodes are chunks that went through the filters, counted in \
                 the library where that is possible.",
            )
            .figure(self.table(title, &EVERYTHING, &self.document.rows).folded())
    }

    fn changes(&self) -> Section {
        let Some(changes) = &self.document.changes else { return Section::default() };
        Section::new("What changed").text(changes.sentence()).figure(changes::table(changes))
    }

    /// What was asked, in words.
    fn lead(&self) -> String {
        let head = &self.document.head;
        let rows = counted_text(self.document.rows.len() as u64, "cell");
        format!(
            "{}. {rows} measured on {}, each run in a process of its own, the values of all engines compared.",
            head.data.storage(),
            head.date
        )
    }

    fn not_measured(&self) -> Section {
        let document = self.document;
        let mut section = Section::new("Not measured, and notes");
        if !document.skipped.is_empty() {
            let table = Table::new("What was asked and is not here", ["cell", "why"].map(left));
            let rows = document.skipped.iter().map(|skipped| [skipped.what.clone(), skipped.why.clone()]);
            section = section.figure(table.rows(rows));
        }
        let outlying = document.rows().filter(|row| row.read.read.outliers > 0 && !is_null(row));
        let notes =
            document.notes.iter().cloned().chain(outlying.map(|row| finding::outliers(row, self.names)));
        let notes: Vec<String> = notes.collect();
        match notes.is_empty() {
            true => section,
            false => section.figure(listed("What has to be known of the figures", "note", notes)),
        }
    }
}

fn left(heading: &str) -> (&str, Align) {
    (heading, Align::Left)
}

/// Lines as a table of one column.
fn listed(title: &str, heading: &str, lines: Vec<String>) -> Table {
    Table::new(title, [left(heading)]).rows(lines.into_iter().map(|line| [line]))
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

/// The question in full, the machine, and the engines that took part.
fn conditions(document: &Document) -> Section {
    let head = &document.head;
    let asked = head.asked.iter().fold(Facts::new("What was asked").command(&head.command), |facts, line| {
        let (name, value) = line.split_once(": ").unwrap_or(("Each cell", line));
        facts.fact(name, value)
    });
    let machine = &head.machine;
    let facts = Facts::new("Where")
        .fact("Processor", format!("{}, {}", machine.processor, counted_text(machine.cores as u64, "core")))
        .fact("Memory", size::bytes(machine.memory_bytes))
        .fact("System", machine.system.as_str())
        .fact("File system of files that were made", machine.file_system.as_str())
        .fact("Load when it began", format!("{:.1}", machine.load))
        .fact("Page cache", head.page_cache.as_str())
        .fact("File", head.data.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default())
        .fact("Date", head.date.as_str());
    let columns = ["engine", "release", "libhdf5", "chunk cache by default", "library file"];
    let engines = head.engines.iter().map(|engine| {
        let cache = engine.default_cache.map(names::settings);
        [
            engine.name.clone(),
            engine.version.clone(),
            engine.hdf5_version.clone().unwrap_or_default(),
            cache.unwrap_or_default(),
            engine.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
        ]
    });
    let table = Table::new("Engines", columns.map(left)).rows(engines);
    Section::new("How it was measured").figure(asked).figure(facts).figure(table)
}

/// One cell of each file that was made here: files that are stored or written in another way.
pub fn files(document: &Document) -> Vec<&Measured> {
    let mut found: Vec<&Measured> = Vec::new();
    let is_known =
        |found: &[&Measured], row: &Row| found.iter().any(|known| known.row.stored_as == row.stored_as);
    for measured in &document.rows {
        if measured.row.write.is_some() && !is_known(&found, &measured.row) {
            found.push(measured);
        }
    }
    found
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
