//! A trace: what a program read, what libhdf5 decoded for it, and what would have helped most.
//!
//! ```text
//! lines of all processes ──► datasets, added up (traced.rs, when.rs) ──► the cure of each (cure.rs) ──► Answer
//! ```

mod cure;
mod traced;
mod when;

pub use cure::Cure;
pub use traced::{Answer, Traced};

use crate::{Error, Result};
use hyperslab_trace::{PlannedCache, Trace, TraceError};
use std::path::Path;

/// What the trace in a folder, or in one of its files, says.
///
/// # Errors
/// A folder without a trace, and lines that are none.
pub fn run(path: &Path) -> Result<Answer> {
    Ok(Answer::of(&read(path)?, &path.display().to_string()))
}

/// The chunk caches with which the programs of a trace decode least, for their datasets that a larger cache helps.
///
/// # Errors
/// As those of [`run`].
pub fn caches(path: &Path) -> Result<Vec<PlannedCache>> {
    let trace = read(path)?;
    let datasets = trace.processes.into_iter().flat_map(|(_, datasets)| datasets);
    let mut planned: Vec<PlannedCache> = Vec::new();
    for dataset in datasets {
        let Some(found) = cure::smallest(&dataset.candidates) else { continue };
        if dataset.reads.decodes.is_none_or(|decodes| found.decodes >= decodes) {
            continue;
        }
        let cache = found.cache;
        let same = |known: &&mut PlannedCache| known.file == dataset.file && known.dataset == dataset.traced;
        match planned.iter_mut().find(same) {
            Some(known) if known.cache.nbytes < cache.nbytes => known.cache = cache,
            Some(_) => {}
            None => {
                let (file, inode, dataset) = (dataset.file, dataset.inode, dataset.traced);
                planned.push(PlannedCache { dataset, file, inode, cache });
            }
        }
    }
    Ok(planned)
}

fn read(path: &Path) -> Result<Trace> {
    Trace::read(path).map_err(|error| match &error {
        TraceError::Unreadable { error: reason, .. } => Error::request_of_system(error.to_string(), reason),
        TraceError::Line { .. } | TraceError::Empty { .. } => Error::wrong_request(error.to_string()),
    })
}
