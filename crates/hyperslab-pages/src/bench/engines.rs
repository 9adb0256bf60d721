//! Engines and caches as a heat map: a row for each access to each file, a column for each engine with each cache.

use super::Drawn;
use hyperslab_bench::document::finding::time;
use hyperslab_bench::document::names::{self, is_null, is_part};
use hyperslab_bench::document::value::spread;
use hyperslab_bench::matrix::Row;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{HeatCell, HeatMap, HeatRow, Section};
use hyperslab_units::{counted_text, size};

/// The heat map of all cells; nothing where one engine read under one cache.
pub(super) fn section(drawn: &Drawn<'_>) -> Section {
    let rows: Vec<&Row> = drawn.document.rows().filter(|row| !is_null(row)).collect();
    let column = |row: &Row| match drawn.names.cache(row) {
        cache if cache.is_empty() => (names::engine(row), "no cache to set".to_owned()),
        cache => (names::engine(row), cache),
    };
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
    if columns.len() < 2 {
        return Section::default();
    }
    let line = |(read_as, stored_as): &(&str, &str)| {
        let own = rows.iter().filter(|row| row.read_as == *read_as && row.stored_as == *stored_as);
        let best = own.clone().map(|row| row.seconds()).fold(f64::INFINITY, f64::min);
        let find = |wanted: &(String, String)| own.clone().find(|row| column(row) == *wanted);
        let cell = |row: &Row| HeatCell {
            times: (best > 0.0).then(|| row.seconds() / best),
            text: time(row),
            detail: detail(row, drawn),
        };
        HeatRow {
            name: format!("read {read_as}"),
            note: (*stored_as).to_owned(),
            cells: columns.iter().map(|column| find(column).map(|row| cell(row))).collect(),
            ..HeatRow::default()
        }
    };
    let map = HeatMap {
        title: "Time to read, by read, storage and engine".to_owned(),
        corner: "access and storage".to_owned(),
        rows: lines.iter().map(line).collect(),
        columns: columns.clone(),
        compares: "times the best of its row:".to_owned(),
    };
    let read = drawn.document.rows.iter().filter(|measured| !is_null(&measured.row));
    Section::new("Engines and caches")
        .text("Green is the best of its row. Point at a cell for its decodes, requests and memory.")
        .figure(map)
        .figure(drawn.behind("The cells with their commands", read))
}

/// Everything about a row, in lines.
pub(super) fn detail(row: &Row, drawn: &Drawn<'_>) -> String {
    let read = &row.read;
    let mut lines = vec![
        format!("{}, {}", drawn.names.who(row), row.stored_as),
        format!("{} ({})", time(row), spread(&read.read)),
        format!(
            "{}, {} each; the first {}",
            counted_text(read.reads, "read"),
            seconds_text(read.average),
            seconds_text(read.first.median)
        ),
        format!("{}, {} fetched", counted_text(read.read_calls, "request"), size::bytes(read.read_bytes)),
        format!("{} of memory", size::bytes(read.memory_bytes)),
    ];
    if is_part(row) {
        lines.insert(2, format!("extrapolated to all {}", counted_text(read.reads_in_all, "read")));
    }
    match (read.decodes, read.simulated_decodes) {
        (Some(counted), _) => lines.push(format!("{} decoded", counted_text(counted, "chunk"))),
        (None, Some(simulated)) => {
            lines.push(format!("{} decoded (simulated)", counted_text(simulated, "chunk")))
        }
        (None, None) => {}
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_bench::document::names::Names;
    use hyperslab_bench::document::testing::row;
    use hyperslab_bench::document::{Document, Head};
    use hyperslab_bench::matrix::Rows;

    #[test]
    fn what_is_said_of_a_cell_says_one_and_many() {
        let (document, names) = (Document::empty(Head::default(), Rows::default()), Names::default());
        let drawn = Drawn { document: &document, names: &names };
        let text = detail(&row("hyperslab", 1.0, Some(3)), &drawn);
        assert!(text.contains("10 reads, 0.10 s each") && text.contains("11 requests"), "{text}");
        assert!(text.contains("3 chunks decoded"));
        assert!(!detail(&row("hyperslab", 1.0, None), &drawn).contains("decoded"));
    }
}
