//! The numbers behind figures, as tables; each row with the command line that measures it again.

use crate::bench::document::{Document, Measured};
use crate::bench::finding;
use crate::bench::report::{decodes, spread};
use crate::size;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Column, Section, Table};

/// Everything that was measured.
pub(super) fn section(document: &Document) -> Section {
    if document.rows.is_empty() {
        return Section::default();
    }
    let titles = [
        ("stored as", Align::Left),
        ("read", Align::Left),
        ("engine", Align::Left),
        ("chunk cache", Align::Left),
        ("read time", Align::Right),
        ("spread", Align::Right),
        ("open, read, close", Align::Right),
        ("first read", Align::Right),
        ("a read", Align::Right),
        ("processor", Align::Right),
        ("reads", Align::Right),
        ("decodes", Align::Right),
        ("requests", Align::Right),
        ("fetched", Align::Right),
        ("memory", Align::Right),
        ("command", Align::Command),
    ];
    let columns = titles.map(|(title, align)| Column::new(title, align)).to_vec();
    let rows = document.rows.iter().map(|measured| {
        let (row, read) = (&measured.row, &measured.row.read);
        let reads = match read.reads == read.reads_in_all {
            true => read.reads.to_string(),
            false => format!("{} of {}", read.reads, read.reads_in_all),
        };
        [
            row.stored_as.clone(),
            row.read_as.clone(),
            finding::engine(row),
            finding::cache(row),
            seconds_text(row.seconds()),
            spread(&read.read),
            seconds_text(read.open_read_close.median),
            seconds_text(read.first.median),
            seconds_text(read.average),
            seconds_text(read.cpu.median),
            reads,
            decodes(row),
            read.read_calls.to_string(),
            size::bytes(read.read_bytes),
            size::bytes(read.memory_bytes),
            measured.command.clone(),
        ]
    });
    let table =
        rows.fold(Table::new("Every cell, with the command that measures it again", columns), Table::row);
    Section::new("All figures")
        .text(
            "Times are medians of wall time. Requests are calls that read the file, and what they fetched; decodes are \
             chunks that went through the filters, counted in the library where that is possible.",
        )
        .figure(table.folded())
}

/// The cells of one picture, folded.
pub(super) fn behind<'a>(title: &str, cells: impl IntoIterator<Item = &'a Measured>) -> Table {
    let titles = [
        ("stored as", Align::Left),
        ("read", Align::Left),
        ("engine", Align::Left),
        ("chunk cache", Align::Left),
        ("read time", Align::Right),
        ("decodes", Align::Right),
        ("requests", Align::Right),
        ("command", Align::Command),
    ];
    let columns = titles.map(|(title, align)| Column::new(title, align)).to_vec();
    let rows = cells.into_iter().map(|measured| {
        let row = &measured.row;
        [
            row.stored_as.clone(),
            row.read_as.clone(),
            finding::engine(row),
            finding::cache(row),
            seconds_text(row.seconds()),
            decodes(row),
            row.read.read_calls.to_string(),
            measured.command.clone(),
        ]
    });
    rows.fold(Table::new(title, columns), Table::row).folded()
}
