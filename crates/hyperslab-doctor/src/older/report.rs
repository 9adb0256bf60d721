//! The report on a dataset of an older format.

use super::{Counts, OlderCase, OlderFacts, OlderRead, OlderStorage};
use crate::numbers::rounded;
use crate::report::{DatasetReport, EngineReport, ProfileReport, ReadReport};
use crate::simulate::older::PAGE_BYTES;
use hyperslab_storage::CacheSettings;

/// The report before any read.
pub(super) fn of(facts: &OlderFacts) -> DatasetReport {
    let mut report = DatasetReport::of(&facts.dataset);
    let (layout, chunks) = match &facts.storage {
        OlderStorage::Stream => ("stream", None),
        OlderStorage::Chunks(chunk) => ("chunked", Some(chunk.clone())),
        OlderStorage::Blocks(_) => ("linked blocks", None),
        OlderStorage::Records(_) => ("records", None),
        OlderStorage::Whole => return report,
    };
    report.layout = layout.to_owned();
    report.chunk_index = None;
    if chunks.is_none() {
        (report.chunk_bytes, report.stored_chunks) = (None, None);
    }
    report.chunks = chunks;
    report
}

/// Its reads.
pub(super) fn reads(case: &OlderCase<'_>) -> Vec<ReadReport> {
    case.reads.iter().map(|read| read_report(case, read)).collect()
}

fn read_report(case: &OlderCase<'_>, read: &OlderRead) -> ReadReport {
    let chunk_bytes = case.geometry.chunk_bytes().unwrap_or(0);
    let cached = case.cached_chunks().unwrap_or(0);
    let mut profile = ProfileReport {
        name: case.library().name().to_owned(),
        version: case.library().version().to_owned(),
        cache: CacheSettings { nbytes: cached.saturating_mul(chunk_bytes), nslots: cached, w0: 0.0 },
        chunks_touched: 0,
        decodes: 0,
        decoded_bytes: None,
        amplification: None,
        driver_reads: 0,
        driver_bytes: 0,
        predicted_seconds: rounded(read.seconds),
        exact: true,
        reads_simulated: read.sweep.reads(),
    };
    match read.counts {
        Counts::Hdf4(counts) => {
            profile.chunks_touched = counts.chunks_touched;
            profile.reads_simulated = counts.reads_simulated;
            profile.exact = counts.is_exact();
            let needed = counts.chunks_touched.saturating_mul(chunk_bytes);
            if case.geometry.is_filtered() {
                profile.decodes = counts.decodes;
                profile.decoded_bytes = Some(counts.decoded_bytes);
                profile.amplification =
                    (needed > 0).then(|| rounded(counts.decoded_bytes as f64 / needed as f64));
            }
            profile.driver_reads = counts.decodes;
            profile.driver_bytes = counts.decoded_bytes;
        }
        Counts::Records(counts) => {
            profile.reads_simulated = counts.reads_simulated;
            profile.exact = counts.is_exact();
            profile.driver_reads = counts.pages;
            profile.driver_bytes = counts.pages.saturating_mul(PAGE_BYTES);
        }
        Counts::Runs { runs, bytes } => (profile.driver_reads, profile.driver_bytes) = (runs, bytes),
    }
    let chunks_touched = profile.chunks_touched;
    let is_decoded = read.engine.decodes > 0 && chunks_touched > 0;
    let asked = read.is_requested;
    ReadReport::new(
        &read.name,
        &read.sweep,
        asked,
        vec![profile],
        EngineReport {
            chunks_touched,
            decodes: read.engine.decodes,
            amplification: is_decoded.then(|| rounded(read.engine.decodes as f64 / chunks_touched as f64)),
            driver_reads: read.engine.requests,
            driver_bytes: read.engine.bytes,
            predicted_seconds: rounded(read.engine_seconds),
        },
    )
}
