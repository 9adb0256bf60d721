//! `--cloud`: what opening, listing and reading a file takes in an object store, for each kind of reader.
//!
//! ```text
//! h5py on a local file (record.py) ──► accesses ─┬─► those of later blocks (unrecorded.rs)
//!   without h5py: hyperslab's plans ─────────────┴─► Sessions ─► replay (hyperslab-doctor) ─┐
//! hyperslab over a simulated store (planned.rs) ────────────────────────────────────────────┴─► Forecast, page size
//! ```

mod ahead;
mod layout;
mod pages;
mod planned;
mod recording;
mod references;
mod sessions;
mod simulated_remote;
mod swept_read;
mod total;
mod unrecorded;

pub use sessions::Sessions;
pub use swept_read::SweptRead;
pub use total::{ListingTotal, ReaderTotal};

use crate::Error;
use hyperslab::File;
use hyperslab_advise::Place;
use hyperslab_doctor::Report;
use hyperslab_doctor::forecast::Forecast;
use std::path::Path;

/// The object store that is meant where a user names none.
pub const DEFAULT_STORE: &str = "s3";

/// The object store that a user has named.
pub fn place(text: &str) -> Result<Place, Error> {
    Place::parse(text).map_err(|error| Error::wrong_request(error.to_string()))
}

/// The forecast for a file that the doctor has examined: its largest dataset and the reads that the doctor has simulated.
pub fn of_report(path: &Path, file: &File, report: &Report, place: &Place) -> Result<Forecast, Error> {
    let with_reads = report.datasets.iter().filter(|dataset| !dataset.reads.is_empty());
    let mut reads = Vec::new();
    if let Some(examined) = with_reads.max_by_key(|dataset| dataset.logical_bytes) {
        let dataset = file.dataset(&examined.path)?;
        let sweep = |read: &hyperslab_doctor::ReadReport| {
            SweptRead::new(&dataset, &read.name, &read.sweep(&examined.shape))
        };
        reads = examined.reads.iter().map(sweep).collect();
    }
    forecast(path, file, &reads, place)
}

/// What opening and listing a file and these reads take at a place.
pub fn forecast(path: &Path, file: &File, reads: &[SweptRead], place: &Place) -> Result<Forecast, Error> {
    Ok(Sessions::of(path, file, reads, place)?.forecast())
}
