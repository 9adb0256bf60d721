//! The files that were made: how long that took, and how large they are.

use super::columns::{self, Column};
use super::{Drawn, files};
use hyperslab_bench::document::Measured;
use hyperslab_bench::document::finding::times_text;
use hyperslab_bench::matrix::WriteFigures;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Bar, Bars, Section};
use hyperslab_units::size;

/// More bars than this cannot be read.
const BARS_MAX: usize = 24;

const COLUMNS: [Column; 13] = [
    columns::STORED_AS,
    columns::WRITTEN_AS,
    columns::WRITER,
    columns::WRITE_CACHE,
    columns::WRITE_TIME,
    columns::WRITE_SPREAD,
    columns::OPEN_WRITE_CLOSE,
    columns::WRITE_CPU,
    columns::ENCODES,
    columns::WRITE_REQUESTS,
    columns::SIZE,
    columns::OVERHEAD,
    columns::COMMAND,
];

/// Times and sizes, and a table of both.
pub(super) fn section(drawn: &Drawn<'_>) -> Section {
    let files = files(drawn.document);
    if files.is_empty() {
        return Section::default();
    }
    let mut section = Section::new("Writing").text(
        "The same values, written in each way by the library that is named in the table. The pale part of a bar is \
         creating the file and closing it, when chunks that are still in the cache are compressed.",
    );
    let write = |measured: &&Measured| measured.row.write.clone();
    let figures: Vec<(&Measured, WriteFigures)> =
        files.iter().filter_map(|measured| Some((*measured, write(measured)?))).collect();
    if files.len() <= BARS_MAX {
        let time = |(measured, write): &(&Measured, WriteFigures)| Bar {
            name: measured.row.stored_as.clone(),
            value: write.write.median,
            whole: Some(write.open_write_close.median),
            before: None,
            text: format!(
                "{} of {}",
                seconds_text(write.write.median),
                seconds_text(write.open_write_close.median)
            ),
        };
        let bytes = |(measured, write): &(&Measured, WriteFigures)| Bar {
            name: measured.row.stored_as.clone(),
            value: write.file_bytes as f64,
            whole: None,
            before: None,
            text: match drawn.document.head.data.ratio_of(&measured.row) {
                Some(ratio) => format!("{}, ratio {ratio:.2}", size::bytes(write.file_bytes)),
                None => size::bytes(write.file_bytes),
            },
        };
        let bars = |what: &str, better: &str, bars: Vec<Bar>| Bars::new(title(what, better, &bars), bars);
        section = section
            .figure(bars("Time to write", "fastest", figures.iter().map(time).collect()))
            .figure(bars("Size of the file", "smallest", figures.iter().map(bytes).collect()));
    }
    let numbers = "The numbers of these files, with the command that makes and reads them";
    section.figure(drawn.table(numbers, &COLUMNS, files).folded())
}

/// `Time to write: chunks 4x4 none is fastest, the slowest takes 4.2 times as much`.
fn title(what: &str, better: &str, bars: &[Bar]) -> String {
    let value = |bar: &&Bar| bar.whole.unwrap_or(bar.value);
    let least = bars.iter().min_by(|a, b| value(a).total_cmp(&value(b)));
    let most = bars.iter().map(|bar| value(&bar)).fold(0.0, f64::max);
    match least {
        Some(least) if bars.len() > 1 && value(&least) > 0.0 => {
            let times = times_text(most / value(&least));
            format!("{what}: {} is {better}, the other end is {times} times as much", least.name)
        }
        _ => what.to_owned(),
    }
}
