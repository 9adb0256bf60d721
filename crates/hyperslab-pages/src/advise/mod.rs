//! Advice as a page: the recommendation first, then the trade-off as a picture, each read before and after, and the chunks
//! drawn over the array.

pub mod page_sizes;
pub mod words;

use hyperslab_advise::{Advice, Recommendation, StorageAnswer, Together, Verdict};
use hyperslab_apps::advise::{Document, chunk_text, kept_text, storage_text};
use hyperslab_apps::error::one_line;
use hyperslab_apps::facts;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{
    Align, Axis, Bar, Bars, CellColour, CellKind, CellMap, Column, Facts, Page, Points, Scale, Scatter,
    Section, Table,
};
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{capitalised, count_text};
use words::{payback, sensitivity, slower_text, why_not};

/// Cells of a drawing of chunks along the two axes.
const ROWS_MAX: u64 = 24;
const COLUMNS_MAX: u64 = 60;
/// A longer table of storages is folded.
const ROWS_SHOWN_MAX: usize = 10;

/// The page of a file. `command` is the line that makes it again.
pub fn page(document: &Document, command: &str) -> Page {
    let headline = document.datasets.iter().filter_map(|advice| {
        let all = advice.recommendations.first()?;
        let path = one_line(&advice.path);
        Some(match all.verdict {
            Verdict::AlreadyGood => format!("{path}: {}", kept_text(advice)),
            Verdict::Rewrite => format!("{path}: {}", storage_text(&all.storage)),
        })
    });
    let page = Page {
        topic: "hyperslab advise".to_owned(),
        findings: headline.collect(),
        foot: format!(
            "hyperslab {}, {}",
            env!("CARGO_PKG_VERSION"),
            jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC")
        ),
        ..Page::new(document.file.rsplit('/').next().unwrap_or(&document.file))
    };
    let page = document.datasets.iter().map(dataset).fold(page, Page::section);
    let page = document.together.iter().map(read_together).fold(page, Page::section);
    let page = document.pages.iter().map(page_sizes::section).fold(page, Page::section);
    let page = document.forecast.iter().map(crate::forecast::section).fold(page, Page::section);
    let library = document.library.as_deref().unwrap_or(facts::CONSTANTS);
    let facts = Facts::new("How it was found")
        .fact("File", document.file.as_str())
        .fact("Seconds are those of", library)
        .fact("Reads", "simulated chunk by chunk with the chunk cache of each reader")
        .fact("Sizes and speeds", "measured on samples of the values")
        .command(command);
    page.section(Section::new("How it was found").figure(facts))
}

fn dataset(advice: &Advice) -> Section {
    let mut section = Section::new(one_line(&advice.path)).text(format!(
        "{} {}, {}; now {}.",
        shape_text(&advice.shape),
        advice.dtype,
        bytes_text(advice.logical_bytes),
        storage_text(&advice.present)
    ));
    let Some(all) = advice.recommendations.first() else { return section };
    for sentence in payback(all).into_iter().chain(Some(sensitivity(all))) {
        let sentence = sentence.trim_end();
        if !sentence.is_empty() {
            section = section.text(format!("{}.", capitalised(sentence)));
        }
    }
    section = section.figure(reads(advice, all));
    for reader in 0..advice.readers.len() {
        section = section.figure(bars(advice, all, reader));
    }
    if !all.lines.is_empty() {
        let columns = vec![Column::new("program", Align::Left), Column::new("line", Align::Command)];
        let lines = Table::new("To make it", columns);
        section =
            section.figure(all.lines.iter().fold(lines, |lines, line| lines.row([line.tool, &line.line])));
    }
    if !all.alternatives.is_empty() {
        section = section.figure(alternatives(all));
    }
    section = section.figure(trade_off(advice, all)).figure(table(advice));
    if let Some(chunk) = &all.storage.chunk {
        section = drawings(advice, chunk).into_iter().fold(section, Section::figure);
    }
    if advice.caches.is_empty() { section } else { section.figure(caches(advice)) }
}

/// The nearest other storages, and why they are not recommended.
fn alternatives(all: &Recommendation) -> Table {
    let columns = ["storage", "why not"].map(|title| Column::new(title, Align::Left));
    let table = Table::new("The nearest alternatives", columns.to_vec());
    all.alternatives
        .iter()
        .fold(table, |table, other| table.row([storage_text(&other.storage), why_not(&other.why_not)]))
}

/// The chunk caches with which the dataset is read well as it is.
fn caches(advice: &Advice) -> Table {
    let columns = vec![
        Column::new("reader", Align::Left),
        Column::new("chunk cache", Align::Right),
        Column::new("all reads", Align::Right),
        Column::new("line", Align::Command),
    ];
    let table = Table::new("Without rewriting, in programs that can be changed", columns);
    advice.caches.iter().fold(table, |table, cache| {
        let seconds = format!("{} → {}", seconds_text(cache.seconds), seconds_text(cache.seconds_then));
        table.row([cache.reader.clone(), bytes_text(cache.nbytes), seconds, cache.line.clone()])
    })
}

/// The shape that some datasets have in common, and what each loses by it.
fn read_together(together: &Together) -> Section {
    let chunk = chunk_text(together.chunk.as_deref());
    let columns =
        ["dataset", "filters", "size", "beside its own chunks"].map(|title| Column::new(title, Align::Left));
    let table =
        Table::new(format!("One shape for datasets that are read together: {chunk}"), columns.to_vec());
    let table = together.datasets.iter().fold(table, |table, one| {
        let size = bytes_text(one.storage.stored_bytes);
        table.row([one_line(&one.path), one.storage.filters.clone(), size, slower_text(one.slower)])
    });
    Section::new("Read together").figure(table)
}

/// What is told of each read.
fn effect_title(all: &Recommendation) -> &'static str {
    match all.verdict {
        Verdict::AlreadyGood => "as the dataset is stored now",
        Verdict::Rewrite => "now and as recommended",
    }
}

/// What each read takes before and after, in each reader.
fn reads(advice: &Advice, all: &Recommendation) -> Table {
    let mut columns = vec![Column::new("read", Align::Left), Column::new("weight", Align::Right)];
    columns.extend(advice.readers.iter().map(|reader| Column::new(reader.as_str(), Align::Right)));
    let is_changed = all.verdict == Verdict::Rewrite;
    let table = Table::new(format!("Each read, {}", effect_title(all)), columns);
    advice.reads.iter().enumerate().fold(table, |table, (number, read)| {
        let mut cells = vec![advice.reads[number].text(), read.weight.to_string()];
        cells.extend((0..advice.readers.len()).map(|reader| {
            let [now, then] =
                [&advice.present, &all.storage].map(|one| seconds_text(one.reads[reader][number].seconds));
            if is_changed { format!("{now} → {then}") } else { now }
        }));
        table.row(cells)
    })
}

/// The recommended seconds of each read as a bar before the present ones.
fn bars(advice: &Advice, all: &Recommendation, reader: usize) -> Bars {
    let bar = |number: usize| {
        let [now, then] = [&advice.present, &all.storage].map(|one| one.reads[reader][number].seconds);
        Bar {
            name: advice.reads[number].text(),
            value: then,
            whole: None,
            before: Some(now),
            text: match all.verdict {
                Verdict::AlreadyGood => seconds_text(now),
                Verdict::Rewrite => format!("{} → {}", seconds_text(now), seconds_text(then)),
            },
        }
    };
    let title = format!("{}: each read's time, {}", advice.readers[reader], effect_title(all));
    Bars::of_seconds(title, (0..advice.reads.len()).map(bar).collect())
}

fn mean_seconds(storage: &StorageAnswer) -> f64 {
    storage.seconds.iter().sum::<f64>() / storage.seconds.len().max(1) as f64
}

/// Size against read time: as it is, as recommended, and the storages that no other beats.
fn trade_off(advice: &Advice, all: &Recommendation) -> Scatter {
    let point = |storage: &StorageAnswer, label: &str| {
        let (size, seconds) = (storage.stored_bytes as f64, mean_seconds(storage));
        let tip = format!("{}: all reads {}", storage_text(storage), seconds_text(seconds));
        (size, seconds, label.to_owned(), tip)
    };
    let others: Vec<_> = advice
        .pareto
        .iter()
        .filter(|one| **one != advice.present && **one != all.storage)
        .map(|one| point(one, ""))
        .collect();
    let mut groups =
        vec![Points { name: "as it is".to_owned(), points: vec![point(&advice.present, "as it is")] }];
    if all.verdict == Verdict::Rewrite {
        groups.push(Points {
            name: "recommended".to_owned(),
            points: vec![point(&all.storage, "recommended")],
        });
    }
    groups.push(Points { name: "no other is better in everything".to_owned(), points: others });
    let all_points = || groups.iter().flat_map(|group| &group.points);
    Scatter {
        title: "Bytes against time: the lower left corner is the best".to_owned(),
        x: Axis::over("bytes in the file", Scale::Log2, all_points().map(|point| point.0), |bytes| {
            bytes_text(bytes as u64)
        }),
        y: Axis::of_seconds("all reads by their weights", all_points().map(|point| point.1)),
        groups,
        diagonal: None,
    }
}

fn table(advice: &Advice) -> Table {
    let titles = ["chunks", "filters", "size", "reads", "write", "requests"];
    let align = |number: usize| if number < 2 { Align::Left } else { Align::Right };
    let columns = titles.iter().enumerate().map(|(number, title)| Column::new(*title, align(number)));
    let table = Table::new("No other storage is better than these in everything, the fastest first", columns);
    let table = if advice.pareto.len() > ROWS_SHOWN_MAX { table.folded() } else { table };
    advice.pareto.iter().fold(table, |table, storage| {
        table.row([
            chunk_text(storage.chunk.as_deref()),
            storage.filters.clone(),
            bytes_text(storage.stored_bytes),
            seconds_text(mean_seconds(storage)),
            storage.write_seconds.map_or_else(|| "?".to_owned(), seconds_text),
            count_text(storage.requests.round() as u64),
        ])
    })
}

/// The recommended chunks drawn over the array, for each two neighbouring axes; a row of cells for one axis.
fn drawings(advice: &Advice, chunk: &[u64]) -> Vec<CellMap> {
    match advice.shape.as_slice() {
        [len] => vec![drawing((1, 1), (*len, chunk[0]), "the axis")],
        shape => (1..shape.len())
            .map(|axis| {
                let title = format!("axes {} and {axis}", axis - 1);
                drawing((shape[axis - 1], chunk[axis - 1]), (shape[axis], chunk[axis]), &title)
            })
            .collect(),
    }
}

/// Chunks of a plane, in two colours by turns. `rows` and `columns` are the extent of the array and of a chunk. Of an axis with
/// more chunks than cells, only the first are drawn.
fn drawing(rows: (u64, u64), columns: (u64, u64), what: &str) -> CellMap {
    let (height, width) = (DrawnAxis::new(rows, ROWS_MAX), DrawnAxis::new(columns, COLUMNS_MAX));
    let cell = |row: u64, column: u64| -> u16 {
        let (row, column) = (height.chunks(row), width.chunks(column));
        let is_straddling = row.1 > row.0 || column.1 > column.0;
        if is_straddling { 2 } else { ((row.0 + column.0) % 2) as u16 }
    };
    let cells: Vec<u16> =
        (0..height.cells).flat_map(|row| (0..width.cells).map(move |column| cell(row, column))).collect();
    let kind = |name: &str, colour| CellKind { name: name.to_owned(), text: String::new(), colour };
    let mut kinds = vec![kind("a chunk", CellColour::Distinct(0)), kind("the next", CellColour::Distinct(1))];
    if cells.contains(&2) {
        kinds.push(kind("several chunks in a cell", CellColour::Muted));
    }
    let part = match (height.drawn < rows.0, width.drawn < columns.0) {
        (false, false) => String::new(),
        _ => format!("; the first {}x{} are drawn", height.drawn, width.drawn),
    };
    CellMap {
        title: format!("Chunks along {what}: {}x{} of {}x{}{part}", rows.1, columns.1, rows.0, columns.0),
        columns: width.cells as usize,
        cells,
        kinds,
        unit: format!("a cell is {}x{} elements", height.cell_elements(), width.cell_elements()),
    }
}

/// An axis of a drawing.
struct DrawnAxis {
    /// Elements that are drawn, from the first.
    drawn: u64,
    /// Elements of a chunk.
    chunk: u64,
    cells: u64,
}

impl DrawnAxis {
    /// An axis of so many elements, in chunks of so many, in at most so many cells.
    fn new((len, chunk): (u64, u64), cells_max: u64) -> Self {
        let chunk = chunk.max(1);
        let drawn = len.min(chunk.saturating_mul(cells_max));
        Self { drawn, chunk, cells: drawn.clamp(1, cells_max) }
    }

    /// The chunks that the first and the last element of a cell lie in.
    fn chunks(&self, cell: u64) -> (u64, u64) {
        let element = |at: u64| (u128::from(at) * u128::from(self.drawn) / u128::from(self.cells)) as u64;
        (element(cell) / self.chunk, (element(cell + 1).max(1) - 1) / self.chunk)
    }

    fn cell_elements(&self) -> u64 {
        self.drawn.div_ceil(self.cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_take_turns_over_the_array() {
        let map = drawing((4, 2), (6, 3), "axes 0 and 1");
        assert_eq!(map.columns, 6);
        let rows: Vec<Vec<u16>> = map.cells.chunks(6).map(<[u16]>::to_vec).collect();
        assert_eq!(rows, [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0]]);
        // 6,000 chunks along an axis: the first 60, one to a cell, as a picture of all of them would show nothing.
        let many = drawing((1, 1), (6000, 1), "the axis");
        assert_eq!(many.cells[..4], [0, 1, 0, 1]);
        assert!(many.columns == 60 && many.cells.iter().all(|cell| *cell < 2) && many.kinds.len() == 2);
        assert!(many.title.ends_with("1x1 of 1x6000; the first 1x60 are drawn"), "{}", many.title);
        let some = drawing((1460, 23), (361, 16), "axes 0 and 1");
        assert!(some.cells.iter().filter(|cell| **cell < 2).count() > some.cells.len() / 2, "{}", some.title);
        // 256 elements in 24 and in 60 cells: where a chunk of 64 ends within a cell, that has two.
        let straddling = drawing((256, 64), (256, 64), "axes 0 and 1");
        let first: Vec<u16> = straddling.cells[..60].to_vec();
        assert_eq!(first.iter().filter(|cell| **cell == 2).count(), 0, "60 cells: 15 to a chunk");
        assert_eq!(first[14..16], [0, 1]);
        let two = drawing((1, 1), (120, 3), "the axis");
        assert_eq!(two.cells[..4], [0, 2, 1, 0], "elements 2 and 3 lie in two chunks");
        let huge = drawing((u64::MAX, 1 << 60), (u64::MAX, u64::MAX), "axes 0 and 1");
        assert_eq!(huge.cells.len(), 24 * 60);
    }
}
