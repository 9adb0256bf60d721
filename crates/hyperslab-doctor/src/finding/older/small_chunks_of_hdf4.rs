//! # small-chunks-of-hdf4
//!
//! ## What it sees
//!
//! A data set of HDF4 in thousands of chunks of a few kilobytes, often of a single row each.
//!
//! ## Why it costs
//!
//! Each chunk is an element of its own, with a descriptor and a header of a compressed element before its values: libhdf4 reads all
//! descriptors when it opens the file, and makes several small reads for each chunk. An object store needs a request for each chunk,
//! unless what lies between them is fetched, too.
//!
//! ## What to do
//!
//! Store it in chunks of about 1 MiB: as netCDF-4 by hyperslab, or in HDF4 by hrepack.
//!
//! ## When it is fine
//!
//! If programs read single rows at random places.

use crate::finding::cost::Cost;
use crate::finding::model::{Finding, Severity};
use crate::numbers::rounded;
use crate::older::{OlderCase, OlderStorage, repack};
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Chunks below this size are small.
const CHUNK_BYTES_MAX: u64 = 16 << 10;
/// At least this many of them are reported.
const CHUNKS_MIN: u64 = 1_000;
/// Seconds of libhdf4 for each chunk apart from its bytes.
const CHUNK_SECONDS: f64 = 20.0e-6;

pub(in crate::finding) fn check(case: &OlderCase<'_>) -> Option<Finding> {
    let OlderStorage::Chunks(chunk) = &case.facts.storage else { return None };
    let chunk_bytes = case.geometry.chunk_bytes()?;
    let stored = case.geometry.chunks()?.stored_chunks();
    if chunk_bytes >= CHUNK_BYTES_MAX || stored < CHUNKS_MIN {
        return None;
    }
    let seconds = stored as f64 * CHUNK_SECONDS;
    let message = format!(
        "{} chunks of {} ({}), each with a descriptor and a header of its own: {} more to read everything, and a request for each of them \
         over a network where the gaps between them are not fetched.",
        count_text(stored),
        shape_text(chunk),
        bytes_text(chunk_bytes),
        OlderCase::time_text(seconds),
    );
    let evidence = json!({
        "chunk_bytes": chunk_bytes,
        "stored_chunks": stored,
        "overhead_seconds": rounded(seconds),
    });
    let fixes = vec![repack(case, "fewer and larger ones")];
    let severity = if stored >= 10_000 { Severity::Medium } else { Severity::Low };
    let cost = Cost { seconds: Some(seconds), bytes: None, requests: Some(stored) };
    Some(Finding { code: "small-chunks-of-hdf4".to_owned(), severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::older::{OlderStorage, diagnose_older};
    use crate::options::Options;
    use crate::testing::older;

    #[test]
    fn chunks_of_a_row_are_found_and_larger_ones_are_not() {
        for (chunk, is_found) in [(vec![1, 1200], true), (vec![100, 1200], false)] {
            let facts = older(&[1200, 1200], OlderStorage::Chunks(chunk));
            let findings = diagnose_older(&facts, &Options::default()).unwrap().findings;
            let found = findings.iter().find(|finding| finding.code == "small-chunks-of-hdf4");
            assert_eq!(found.is_some(), is_found);
            assert!(found.is_none_or(|found| found.message.starts_with("1,200 chunks of 1x1200 (4.69 KiB)")));
        }
    }
}
