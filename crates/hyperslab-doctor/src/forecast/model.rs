//! The forecast as `--json` prints it.

use super::link::Link;
use super::reader::CloudReader;
use super::requests::Requests;
use serde::{Deserialize, Serialize};

/// What opening, listing and reading a file takes in an object store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// The place of the file, as the user wrote it.
    pub place: String,
    /// Seconds until the first byte of a response.
    pub latency_seconds: f64,
    /// Bytes a second of one connection.
    pub bytes_per_second: f64,
    /// Whose reads were replayed: `h5py 3.16.0, libhdf5 2.0.0`; null where no library was found, and the reads are those that
    /// hyperslab plans.
    pub recorded_with: Option<String>,
    /// Opening, listing, and each read.
    pub steps: Vec<StepForecast>,
    /// The same if the file were repacked as guides recommend, for readers whose requests depend on it.
    pub alternatives: Vec<Alternative>,
}

/// What the steps would take in another layout of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// `all metadata first`, `pages of 8 MiB`.
    pub name: String,
    /// Who recommends it.
    pub source: String,
    /// Size of a page, or null.
    pub page_bytes: Option<u64>,
    /// The line that makes it.
    pub line: String,
    /// Each step of the forecast.
    pub steps: Vec<AlternativeStep>,
}

/// What a step would take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlternativeStep {
    /// The name of the step.
    pub name: String,
    /// Each reader.
    pub readers: Vec<ReaderForecast>,
}

impl Alternative {
    /// The readers that would wait longer for a step than now, each with its code, the name of the step in which it loses
    /// most, and its seconds now and then.
    pub fn slower<'f>(&'f self, steps: &'f [StepForecast]) -> Vec<(&'f str, &'f str, f64, f64)> {
        let mut worst: Vec<(&str, &str, f64, f64)> = Vec::new();
        for (now, then) in steps.iter().zip(&self.steps) {
            for reader in &then.readers {
                let before = now.readers.iter().find(|before| before.reader == reader.reader);
                let Some(before) = before.map(|before| before.seconds) else { continue };
                let loss = reader.seconds - before;
                if loss <= LOSS_SHARE_MIN * before || loss < LOSS_SECONDS_MIN {
                    continue;
                }
                let new = (&*reader.reader, &*now.name, before, reader.seconds);
                match worst.iter_mut().find(|known| known.0 == new.0) {
                    Some(known) if known.3 - known.2 < loss => *known = new,
                    Some(_) => {}
                    None => worst.push(new),
                }
            }
        }
        worst
    }
}

/// A reader is slower if it waits longer by this share,
const LOSS_SHARE_MIN: f64 = 0.1;
/// and by so many seconds.
const LOSS_SECONDS_MIN: f64 = 0.1;

/// Opening, listing, or a read of a dataset. Each begins with the opening of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepForecast {
    /// `opening`, `listing`, or the read as the doctor names it.
    pub name: String,
    /// The dataset that is read, or null.
    pub path: Option<String>,
    /// Extent of the block that is swept over the dataset, or null.
    pub block: Option<Vec<u64>>,
    /// Blocks that the sweep reads; null where nothing is read.
    pub blocks: Option<u64>,
    /// Blocks that were replayed. If they are fewer, the numbers are extrapolated from them.
    pub blocks_replayed: Option<u64>,
    /// Why the library's reads could not be recorded, so that those of the plans were replayed; null if they were, or if there
    /// is no library.
    pub not_recorded: Option<String>,
    /// Each reader.
    pub readers: Vec<ReaderForecast>,
}

/// What a step takes with one reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReaderForecast {
    /// The reader: `ros3-2.2`, `fsspec-readahead`, `kerchunk`, `hyperslab` …
    pub reader: String,
    /// Requests, with those that ask for the length of the file.
    pub requests: u64,
    /// How often the reader waits for a response before it can go on.
    pub rounds: u64,
    /// Bytes that are received.
    pub bytes: u64,
    /// Seconds of waiting, without decoding.
    pub seconds: f64,
    /// US dollars for requests and transfer.
    pub dollars: f64,
}

impl StepForecast {
    /// True if not all blocks were replayed.
    pub fn is_extrapolated(&self) -> bool {
        self.blocks_replayed < self.blocks
    }
}

impl ReaderForecast {
    /// What the requests of a reader take over a link. `opening` are those of a session without reads, which come once; the
    /// others are scaled by `factor`.
    pub fn new(
        reader: CloudReader,
        requests: &Requests,
        opening: &Requests,
        factor: f64,
        link: &Link,
    ) -> Self {
        let scaled = |whole: f64, once: f64| once.min(whole) + (whole - once).max(0.0) * factor;
        let count = |of: fn(&Requests) -> u64| scaled(of(requests) as f64, of(opening) as f64).round() as u64;
        Self {
            reader: reader.code().to_owned(),
            requests: count(Requests::count),
            rounds: count(Requests::rounds),
            bytes: count(Requests::bytes),
            seconds: scaled(requests.seconds(link), opening.seconds(link)),
            dollars: scaled(requests.dollars(link), opening.dollars(link)),
        }
    }
}
