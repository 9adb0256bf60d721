//! What decoding the chunks of a dataset costs a library: one element of each of some chunks is read.
//!
//! Chunks are distinct, because a processor learns the few that it sees again and again. The first pass does not count:
//! plug-ins are loaded, and memory that decoding uses again is used for the first time. Of the others the fastest counts, as
//! other activity can only make a pass slower. The cache holds one chunk, so that
//! buffers are freed and allocated as in a program whose cache is too small; without room for a chunk where the user's
//! cache has none.

use crate::{page_faults, thread_seconds};
use hyperslab_engines::{Block, EngineError, OpenOptions, PreparedEngine, reserve};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::cost::LibraryDecoding;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Which chunks are decoded, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SamplePlan {
    /// An element of each chunk.
    pub elements: Vec<Vec<u64>>,
    /// Bytes of a decoded chunk.
    pub chunk_bytes: u64,
    /// True where the user's cache holds a chunk.
    pub fits_cache: bool,
    /// No chunk is begun after so many seconds.
    pub seconds_max: f64,
}

/// Passes after the first.
const PASSES: usize = 3;

/// Decodes the samples. `None` if not even two were decoded twice in time.
pub(crate) fn decode(
    engine: &dyn PreparedEngine,
    file: &Path,
    dataset: &str,
    plan: &SamplePlan,
) -> Result<Option<LibraryDecoding>, EngineError> {
    let nbytes = if plan.fits_cache { plan.chunk_bytes + plan.chunk_bytes / 100 } else { 0 };
    let cache = CacheSettings { nbytes, nslots: 521, w0: 0.75 };
    let mut dataset =
        engine.open(file, dataset, &OpenOptions { cache: Some(cache), ..OpenOptions::default() })?;
    let mut buffer = Vec::new();
    let buffer = reserve(&mut buffer, dataset.element_bytes() as u64)?;
    let began = thread_seconds();
    let is_spent = |share: f64| thread_seconds() - began > plan.seconds_max * share;
    let mut read = |element: &Vec<u64>| {
        let ones = vec![1; element.len()];
        dataset.read(&Block { start: element.clone(), count: ones.clone(), step: ones }, buffer)
    };
    let mut first = 0;
    for element in &plan.elements {
        // The rest of the time is for the passes that count.
        if first >= 2 && is_spent(1.0 / (1.0 + PASSES as f64)) {
            break;
        }
        read(element)?;
        first += 1;
    }
    let mut least: Option<LibraryDecoding> = None;
    for pass in 0..PASSES {
        let (start, faults) = (thread_seconds(), page_faults());
        let mut decoded = 0;
        for element in &plan.elements[..first] {
            if decoded >= 2 && is_spent(1.0) {
                break;
            }
            read(element)?;
            decoded += 1;
        }
        let (seconds, faults) = (thread_seconds() - start, page_faults().saturating_sub(faults));
        // A pass that was cut short is of other chunks: it counts only if there is no other.
        if decoded < 2 || (pass > 0 && decoded < first) {
            break;
        }
        let each = |all: f64| all / decoded as f64;
        let found = LibraryDecoding { seconds: each(seconds), fresh_pages: each(faults as f64) };
        least = Some(least.filter(|least| least.seconds <= found.seconds).unwrap_or(found));
    }
    dataset.close()?;
    Ok(least)
}
