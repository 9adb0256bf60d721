//! The numbers behind figures, as tables; each row with the command line that measures it again.

use crate::bench::document::{Document, Measured};
use crate::bench::finding;
use crate::bench::report::{decodes, spread};
use crate::size;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Column, Section, Table};

/// A column: its title, where its text stands, and what that is of a cell of the matrix.
type Shown = (&'static str, Align, fn(&Measured) -> String);

const STORED_AS: Shown = ("stored as", Align::Left, |cell| cell.row.stored_as.clone());
const READ_AS: Shown = ("read", Align::Left, |cell| cell.row.read_as.clone());
const ENGINE: Shown = ("engine", Align::Left, |cell| finding::engine(&cell.row));
const CACHE: Shown = ("chunk cache", Align::Left, |cell| finding::cache(&cell.row));
const READ_TIME: Shown = ("read time", Align::Right, |cell| seconds_text(cell.row.seconds()));
const DECODES: Shown = ("decodes", Align::Right, |cell| decodes(&cell.row));
const REQUESTS: Shown = ("requests", Align::Right, |cell| cell.row.read.read_calls.to_string());
const COMMAND: Shown = ("command", Align::Command, |cell| cell.command.clone());

const EVERYTHING: [Shown; 16] = [
    STORED_AS,
    READ_AS,
    ENGINE,
    CACHE,
    READ_TIME,
    ("spread", Align::Right, |cell| spread(&cell.row.read.read)),
    ("open, read, close", Align::Right, |cell| seconds_text(cell.row.read.open_read_close.median)),
    ("first read", Align::Right, |cell| seconds_text(cell.row.read.first.median)),
    ("a read", Align::Right, |cell| seconds_text(cell.row.read.average)),
    ("processor", Align::Right, |cell| seconds_text(cell.row.read.cpu.median)),
    ("reads", Align::Right, reads),
    DECODES,
    REQUESTS,
    ("fetched", Align::Right, |cell| size::bytes(cell.row.read.read_bytes)),
    ("memory", Align::Right, |cell| size::bytes(cell.row.read.memory_bytes)),
    COMMAND,
];
const IN_SHORT: [Shown; 8] = [STORED_AS, READ_AS, ENGINE, CACHE, READ_TIME, DECODES, REQUESTS, COMMAND];

fn reads(cell: &Measured) -> String {
    let read = &cell.row.read;
    match read.reads == read.reads_in_all {
        true => read.reads.to_string(),
        false => format!("{} of {}", read.reads, read.reads_in_all),
    }
}

/// Everything that was measured.
pub(super) fn section(document: &Document) -> Section {
    if document.rows.is_empty() {
        return Section::default();
    }
    let title = "Every cell, with the command that measures it again";
    Section::new("All figures")
        .text(
            "Times are medians of wall time. Requests are calls that read the file, and what they fetched; decodes are \
             chunks that went through the filters, counted in the library where that is possible.",
        )
        .figure(table(title, &EVERYTHING, &document.rows))
}

/// The cells of one picture.
pub(super) fn behind<'a>(title: &str, cells: impl IntoIterator<Item = &'a Measured>) -> Table {
    table(title, &IN_SHORT, cells)
}

/// A folded table.
fn table<'a>(title: &str, shown: &[Shown], cells: impl IntoIterator<Item = &'a Measured>) -> Table {
    let columns = shown.iter().map(|(title, align, _)| Column::new(*title, *align)).collect();
    let rows = cells.into_iter().map(|cell| shown.iter().map(|(.., text)| text(cell)));
    rows.fold(Table::new(title, columns), Table::row).folded()
}
