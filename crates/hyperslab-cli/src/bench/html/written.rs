//! The files that were made: how long that took, and how large they are.

use super::by_ratio::ratio;
use crate::bench::document::{Document, Measured};
use crate::bench::finding::count;
use crate::bench::report::{files, overhead, spread};
use crate::size;
use hyperslab_bench::matrix::WriteFigures;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Bar, Bars, Column, Section, Table};

/// More bars than this are no picture.
const BARS_MAX: usize = 24;

/// Times and sizes, and a table of both.
pub(super) fn section(document: &Document) -> Section {
    let files = files(document.rows.iter(), |measured| &measured.row);
    if files.is_empty() {
        return Section::default();
    }
    let mut section = Section::new("Writing").text(
        "The same values, written in each way by the library that is named in the table. The pale part of a bar is \
         creating the file and closing it, when chunks that are still in the cache are compressed.",
    );
    if files.len() <= BARS_MAX {
        let time = |(measured, write): &(&Measured, &WriteFigures)| Bar {
            name: measured.row.stored_as.clone(),
            value: write.write.median,
            whole: Some(write.open_write_close.median),
            text: format!(
                "{} of {}",
                seconds_text(write.write.median),
                seconds_text(write.open_write_close.median)
            ),
        };
        let bytes = |(measured, write): &(&Measured, &WriteFigures)| Bar {
            name: measured.row.stored_as.clone(),
            value: write.file_bytes as f64,
            whole: None,
            text: match ratio(&measured.row) {
                Some(ratio) => format!("{}, ratio {ratio:.2}", size::bytes(write.file_bytes)),
                None => size::bytes(write.file_bytes),
            },
        };
        section = section
            .figure(Bars { title: "Time to write".to_owned(), bars: files.iter().map(time).collect() })
            .figure(Bars { title: "Size of the file".to_owned(), bars: files.iter().map(bytes).collect() });
    }
    section.figure(table(&files))
}

fn table(files: &[(&Measured, &WriteFigures)]) -> Table {
    let titles = [
        ("stored as", Align::Left),
        ("written in blocks of", Align::Left),
        ("by", Align::Left),
        ("chunk cache", Align::Left),
        ("write", Align::Right),
        ("spread", Align::Right),
        ("create, write, close", Align::Right),
        ("processor", Align::Right),
        ("encodes", Align::Right),
        ("requests", Align::Right),
        ("file", Align::Right),
        ("beyond the values", Align::Right),
        ("command", Align::Command),
    ];
    let columns = titles.map(|(title, align)| Column::new(title, align)).to_vec();
    let rows = files.iter().map(|(measured, write)| {
        let cache = write.cache.map(|cache| match write.is_default_cache {
            true => format!("{} (default)", size::bytes(cache.nbytes)),
            false => size::bytes(cache.nbytes),
        });
        [
            measured.row.stored_as.clone(),
            format!("{} ({})", write.written_as, count(write.writes, "write")),
            format!("{} {}", write.engine, write.version),
            cache.unwrap_or_default(),
            seconds_text(write.write.median),
            spread(&write.write),
            seconds_text(write.open_write_close.median),
            seconds_text(write.cpu.median),
            write.encodes.map(|encodes| encodes.to_string()).unwrap_or_default(),
            write.write_calls.to_string(),
            size::bytes(write.file_bytes),
            overhead(write.overhead_bytes),
            measured.command.clone(),
        ]
    });
    rows.fold(
        Table::new("The numbers of these files, with the command that makes and reads them", columns),
        Table::row,
    )
    .folded()
}
