//! What listing many files takes in an object store, one after the other.

use crate::output::{Align, Line, table};
use hyperslab_doctor::forecast::{CloudReader, Forecast};
use hyperslab_doctor::predict::seconds_text;
use hyperslab_storage::pattern::bytes_text;
use hyperslab_units::count_text;
use serde::Serialize;

/// What listing all files takes.
#[derive(Debug, Serialize)]
pub(crate) struct ListingTotal {
    /// Where they lie, as the user wrote it.
    place: String,
    /// Each reader.
    readers: Vec<ReaderTotal>,
}

/// What listing all files takes with one reader.
#[derive(Debug, Serialize)]
struct ReaderTotal {
    reader: String,
    /// Files that it can list: not every file has references.
    files: u64,
    requests: u64,
    bytes: u64,
    seconds: f64,
    dollars: f64,
}

impl ListingTotal {
    /// Of no file.
    pub(crate) fn new(place: &str) -> Self {
        Self { place: place.to_owned(), readers: Vec::new() }
    }

    /// Adds a file.
    pub(crate) fn add(&mut self, forecast: &Forecast) {
        let listing = forecast.steps.iter().filter(|step| step.name == "listing");
        for one in listing.flat_map(|step| &step.readers) {
            let place = self.readers.iter().position(|known| known.reader == one.reader);
            let place = place.unwrap_or_else(|| {
                let reader = one.reader.clone();
                self.readers.push(ReaderTotal {
                    reader,
                    files: 0,
                    requests: 0,
                    bytes: 0,
                    seconds: 0.0,
                    dollars: 0.0,
                });
                self.readers.len() - 1
            });
            let sum = &mut self.readers[place];
            sum.files += 1;
            sum.requests = sum.requests.saturating_add(one.requests);
            sum.bytes = sum.bytes.saturating_add(one.bytes);
            sum.seconds += one.seconds;
            sum.dollars += one.dollars;
        }
    }

    /// A table with a row for each reader; nothing if there was no file.
    pub(crate) fn text(&self) -> String {
        if self.readers.is_empty() {
            return String::new();
        }
        let head = [
            ("reader", Align::Left),
            ("files", Align::Right),
            ("waiting", Align::Right),
            ("requests", Align::Right),
            ("bytes", Align::Right),
            ("price", Align::Right),
        ];
        let rows = self.readers.iter().map(|one| {
            let title = CloudReader::titled(&one.reader).unwrap_or(&one.reader).to_owned();
            let cells = [count_text(one.files), seconds_text(one.seconds), count_text(one.requests)];
            let price = format!("${:.4}", one.dollars);
            Line::Cells([title].into_iter().chain(cells).chain([bytes_text(one.bytes), price]).collect())
        });
        let rows: Vec<Line> = rows.collect();
        format!("listing all of them at {}, one after the other:\n{}", self.place, table(&head, &rows))
    }
}
