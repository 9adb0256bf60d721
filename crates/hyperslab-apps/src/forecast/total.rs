//! What listing many files takes in an object store, one after the other.

use hyperslab_doctor::forecast::Forecast;
use serde::Serialize;

/// What listing all files takes.
#[derive(Debug, Serialize)]
pub struct ListingTotal {
    /// Where they lie, as the user wrote it.
    pub place: String,
    /// Each reader.
    pub readers: Vec<ReaderTotal>,
}

/// What listing all files takes with one reader.
#[derive(Debug, Serialize)]
pub struct ReaderTotal {
    /// The name of the reader.
    pub reader: String,
    /// Files that it can list: not every file has references.
    pub files: u64,
    /// Requests that it makes.
    pub requests: u64,
    /// Bytes that it gets.
    pub bytes: u64,
    /// Seconds that it waits.
    pub seconds: f64,
    /// What the requests cost.
    pub dollars: f64,
}

impl ListingTotal {
    /// Of no file.
    pub fn new(place: &str) -> Self {
        Self { place: place.to_owned(), readers: Vec::new() }
    }

    /// Adds a file.
    pub fn add(&mut self, forecast: &Forecast) {
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
}
