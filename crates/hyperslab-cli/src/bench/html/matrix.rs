//! The matrix as a heat map: what is read of what is stored, by whom.

use crate::bench::document::{Document, Measured};
use crate::bench::finding::{self, is_null};
use crate::bench::report::{decodes, spread};
use crate::size;
use hyperslab_bench::matrix::Row;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{HeatCell, HeatMap, HeatRow, Section};

/// The heat map of all cells.
pub(super) fn section(document: &Document) -> Section {
    let rows: Vec<&Row> = document.rows().filter(|row| !is_null(row)).collect();
    let mut columns: Vec<(String, String)> = Vec::new();
    let mut lines: Vec<(&str, &str)> = Vec::new();
    for row in &rows {
        if !columns.contains(&column(row)) {
            columns.push(column(row));
        }
        if !lines.contains(&(&row.read_as, &row.stored_as)) {
            lines.push((&row.read_as, &row.stored_as));
        }
    }
    if columns.is_empty() {
        return Section::default();
    }
    let line = |(read_as, stored_as): &(&str, &str)| {
        let own = rows.iter().filter(|row| row.read_as == *read_as && row.stored_as == *stored_as);
        let best = own.clone().map(|row| row.seconds()).fold(f64::INFINITY, f64::min);
        let find = |wanted: &(String, String)| own.clone().find(|row| column(row) == *wanted);
        HeatRow {
            name: format!("read {read_as}"),
            note: (*stored_as).to_owned(),
            cells: columns.iter().map(|column| find(column).map(|row| cell(row, best))).collect(),
        }
    };
    let map = HeatMap {
        title: "Time to read, by what is read of what is stored, and by whom".to_owned(),
        corner: "access and storage".to_owned(),
        rows: lines.iter().map(line).collect(),
        columns: columns.clone(),
    };
    Section::new("The matrix")
        .text(
            "Each row is one access to one file; its columns are the engines and their chunk caches. Green is the best \
             of its row; the stronger another colour, the further from the best. Point at a cell for its decodes, \
             requests and memory.",
        )
        .figure(map)
        .figure(super::numbers::behind("The cells with their commands", cells(document)))
}

fn cells(document: &Document) -> impl Iterator<Item = &Measured> {
    document.rows.iter().filter(|measured| !is_null(&measured.row))
}

/// The engine, and its cache.
fn column(row: &Row) -> (String, String) {
    let cache = match finding::cache(row) {
        cache if cache.is_empty() => "no cache to set".to_owned(),
        cache => cache,
    };
    (finding::engine(row), cache)
}

fn cell(row: &Row, best: f64) -> HeatCell {
    HeatCell {
        times: (best > 0.0).then(|| row.seconds() / best),
        text: seconds_text(row.seconds()),
        detail: detail(row),
    }
}

/// Everything about a row, in lines.
pub(super) fn detail(row: &Row) -> String {
    let read = &row.read;
    let mut lines = vec![
        format!("{}, {}", finding::who(row), row.stored_as),
        format!("{} ({})", seconds_text(row.seconds()), spread(&read.read)),
        format!(
            "{}, {} each; the first {}",
            finding::count(read.reads, "read"),
            seconds_text(read.average),
            seconds_text(read.first.median)
        ),
        format!("{}, {} fetched", finding::count(read.read_calls, "request"), size::bytes(read.read_bytes)),
        format!("{} of memory", size::bytes(read.memory_bytes)),
    ];
    if read.reads != read.reads_in_all {
        lines.insert(2, format!("extrapolated to all {}", finding::count(read.reads_in_all, "read")));
    }
    let decodes = decodes(row);
    if !decodes.is_empty() {
        lines.push(format!("{decodes} chunks decoded"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::finding::testing::row;

    #[test]
    fn what_is_said_of_a_cell_says_one_and_many() {
        let text = detail(&row("hyperslab", 1.0, Some(3)));
        assert!(text.contains("10 reads, 0.10 s each") && text.contains("11 requests"), "{text}");
        assert!(text.contains("3 chunks decoded"));
        assert!(!detail(&row("hyperslab", 1.0, None)).contains("decoded"));
    }
}
