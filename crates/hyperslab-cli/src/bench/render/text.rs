//! The report for a terminal: a table for each storage and access, the files, and at the end what to store and why.

use crate::bench::tables;
use hyperslab_bench::document::names::{Names, is_null};
use hyperslab_bench::document::{Document, Measured, finding, paste};
use hyperslab_bench::matrix::Row;
use hyperslab_pages::bench::columns::{self, Column};
use hyperslab_pages::bench::matrix::Matrix;
use hyperslab_pages::bench::{changes, files};
use hyperslab_report::{Align, Column as Heading};
use hyperslab_units::{counted_text, size};

const OF_READS: [Column; 10] = [
    columns::ENGINE,
    columns::CACHE,
    columns::READ_TIME,
    columns::SPREAD,
    columns::OPEN_READ_CLOSE,
    columns::A_READ,
    columns::DECODES,
    columns::REQUESTS,
    columns::PAGES,
    columns::MEMORY,
];
const OF_FILES: [Column; 8] = [
    columns::STORED_AS,
    columns::WRITTEN_AS,
    columns::WRITE_TIME,
    columns::WRITE_SPREAD,
    columns::OPEN_WRITE_CLOSE,
    columns::ENCODES,
    columns::SIZE,
    columns::OVERHEAD,
];

/// The whole report.
pub(in crate::bench) fn text(document: &Document) -> String {
    let head = &document.head;
    let names = document.names();
    let mut text = format!("{}\n", head.data.headline());
    text += &format!("hyperslab {}, {}, {}\n\n", head.hyperslab, head.machine.text(), head.date);
    let same =
        |a: &Measured, b: &Measured| a.row.stored_as == b.row.stored_as && a.row.read_as == b.row.read_as;
    for group in document.rows.chunk_by(same) {
        text += &group_text(document, &names, group);
        text.push('\n');
    }
    let files = files(document);
    if !files.is_empty() {
        text += &tables::text(&columns::table("Files", &OF_FILES, columns::cells(document, &names, files)));
        text.push('\n');
    }
    for note in &document.notes {
        text += &format!("note: {note}\n");
    }
    for skipped in &document.skipped {
        text += &format!("not measured: {}: {}\n", skipped.what, skipped.why);
    }
    if let Some(changes) = &document.changes {
        text += &format!("{}\n", changes.sentence());
        if !changes.changed.is_empty() {
            text += &format!("{}\n", tables::text(&changes::table(changes)));
        }
    }
    let findings = finding::all(document.rows());
    findings.iter().for_each(|finding| text += &format!("{}\n", finding.sentence(&names)));
    text += &finding::harness(document.rows()).map_or(String::new(), |harness| format!("{harness}\n"));
    text + &choice(document, &names)
}

/// Which storage to choose, where there are several.
fn choice(document: &Document, names: &Names) -> String {
    if !document.verdicts.iter().any(|verdict| verdict.is_choice()) {
        return String::new();
    }
    let mut text = Matrix::of(document, names)
        .map_or(String::new(), |matrix| format!("\n{}\n", tables::text(&matrix.table())));
    let mut told = Vec::new();
    for verdict in document.verdicts.iter().filter(|verdict| verdict.is_choice()) {
        text += &verdict.sentence(names).map_or(String::new(), |sentence| format!("{sentence}\n"));
        verdict.alternatives().iter().for_each(|line| text += &format!("  {line}\n"));
        let lines = verdict.best().map(|best| paste::lines(document, best)).unwrap_or_default();
        // Several libraries may read the same storage best.
        let (above, new): (Vec<_>, Vec<_>) = lines.into_iter().partition(|paste| told.contains(&paste.line));
        new.iter().for_each(|paste| text += &format!("  {:9}  {}\n", paste.tool, paste.line));
        if !above.is_empty() {
            text += "  The lines that store it so are above.\n";
        }
        told.extend(new.into_iter().map(|paste| paste.line));
    }
    text
}

/// One storage read in one way, the fastest first; last the harness alone, where it was measured.
fn group_text(document: &Document, names: &Names, group: &[Measured]) -> String {
    let mut sorted: Vec<&Measured> = group.iter().collect();
    sorted.sort_by(|a, b| {
        is_null(&a.row).cmp(&is_null(&b.row)).then(a.row.seconds().total_cmp(&b.row.seconds()))
    });
    let first = &sorted[0].row;
    let reads = match first.read.reads == first.read.reads_in_all {
        true => counted_text(first.read.reads, "read"),
        false => format!(
            "{} of {}, the time of all extrapolated",
            first.read.reads,
            counted_text(first.read.reads_in_all, "read")
        ),
    };
    let mut text =
        format!("{}, read {}: {reads}, {}\n", first.stored_as, first.read_as, size::bytes(first.read.bytes));
    let mut table =
        columns::table("Reads", &OF_READS, columns::cells(document, names, sorted.iter().copied()));
    table.columns.push(Heading::new("", Align::Right));
    let best = if is_null(first) { 0.0 } else { first.seconds() };
    for (line, measured) in table.rows.iter_mut().zip(&sorted) {
        let row = &measured.row;
        if is_null(row) {
            line[0] = "null (the harness alone)".to_owned();
        }
        line.push(match best > 0.0 && !is_null(row) {
            true => format!("{:.2}x", row.seconds() / best),
            false => String::new(),
        });
    }
    text += &tables::text(&table);
    group.iter().for_each(|measured| text += &remarks(&measured.row, names));
    text
}

fn remarks(row: &Row, names: &Names) -> String {
    let mut text = String::new();
    if row.read.read.outliers > 0 && !is_null(row) {
        text += &format!("  warning: {}\n", finding::outliers(row, names));
    }
    if let (Some(counted), Some(simulated)) = (row.read.decodes, row.read.simulated_decodes)
        && counted != simulated
    {
        text += &format!(
            "  note: {}: {} counted, {simulated} simulated\n",
            names.who(row),
            counted_text(counted, "decode")
        );
    }
    text
}
