//! # cloud-chunk-size
//!
//! ## What it sees
//!
//! Only with `--cloud`: chunks that take less than 100 kB in the file, or more than 16 MB decoded.
//!
//! ## Why it costs
//!
//! An object store answers a request after some tens of milliseconds, in which a connection could have brought megabytes: a
//! small chunk costs its latency, and a dataset of ten thousand of them ten thousand times that, for readers that fetch one
//! after the other. A large chunk brings more than a read wants. The Cloud-Optimized Geospatial Formats Guide recommends
//! chunks of 100 kB to 16 MB, CMIP7 of at least 4 MiB.
//!
//! ## What to do
//!
//! `hyperslab advise FILE DATASET --place s3` finds the chunks that suit your reads there. Readers that merge requests for
//! chunks that are next to each other, as hyperslab does, suffer less.
//!
//! ## When it is fine
//!
//! If the dataset has few chunks, or programs read single points.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use super::object_store::REQUEST_SECONDS;
use crate::case::Case;
use crate::fix::{Fix, FixKind};
use crate::predict::seconds_text;
use hyperslab_storage::lines::shell_word;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// The bounds of the guide: stored bytes of a small chunk, decoded bytes of a large one.
const STORED_BYTES_MIN: u64 = 100_000;
const CHUNK_BYTES_MAX: u64 = 16_000_000;
/// Fewer small chunks are few requests.
const CHUNKS_MIN: u64 = 100;
const CHUNKS_MEDIUM: u64 = 1_000;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let chunk = case.geometry.chunk_dims().filter(|_| case.options.cloud)?;
    let chunk_bytes = case.geometry.chunk_bytes()?;
    let map = case.geometry.chunks()?;
    let stored = map.stored_chunks();
    let mean = map.stored_bytes().checked_div(stored)?;
    let is_small = mean < STORED_BYTES_MIN && stored >= CHUNKS_MIN;
    let is_large = chunk_bytes > CHUNK_BYTES_MAX;
    let message = if is_small {
        format!(
            "{} chunks of {} take {} each in the file: read one after the other from an object store, they wait {} at 40 ms a \
             request.",
            count_text(stored),
            shape_text(chunk),
            bytes_text(mean),
            seconds_text(stored as f64 * REQUEST_SECONDS),
        )
    } else if is_large {
        format!(
            "chunks of {} have {}: a read of a part of one fetches about {} from the object store.",
            shape_text(chunk),
            bytes_text(chunk_bytes),
            bytes_text(mean),
        )
    } else {
        return None;
    };
    let evidence = json!({ "stored_chunks": stored, "stored_bytes_mean": mean, "chunk_bytes": chunk_bytes });
    let (file, path) = (shell_word(&case.options.file), shell_word(&case.facts.path));
    let place = shell_word(case.options.place.as_deref().unwrap_or("s3"));
    let line = format!("hyperslab advise {file} {path} --place {place}");
    let effect = "finds the chunks that suit your reads in an object store".to_owned();
    let fixes = vec![Fix::new(FixKind::Repack, "hyperslab", line, effect)];
    let severity = if is_small && stored >= CHUNKS_MEDIUM { Severity::Medium } else { Severity::Low };
    let cost = if is_small {
        Cost { requests: Some(stored), ..Cost::default() }
    } else {
        Cost { bytes: Some(mean), ..Cost::default() }
    };
    Some(Finding { code: "cloud-chunk-size".to_owned(), severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::DatasetFacts;
    use crate::diagnose::diagnose;
    use crate::options::Options;
    use crate::testing::chunked;

    fn is_found(facts: &DatasetFacts, cloud: bool) -> bool {
        let options = Options { cloud, ..Options::default() };
        diagnose(facts, &options).unwrap().findings.iter().any(|found| found.code == "cloud-chunk-size")
    }

    #[test]
    fn small_and_large_chunks_are_found_for_the_cloud() {
        assert!(is_found(&chunked(&[2000, 100, 100], &[1, 100, 100], 4), true), "2,000 of 20 kB");
        assert!(is_found(&chunked(&[20, 3000, 3000], &[1, 3000, 3000], 4), true), "36 MB");
    }

    #[test]
    fn the_line_to_paste_is_about_the_place_that_was_asked_about() {
        let line = |place: Option<&str>| {
            let options = Options { cloud: true, place: place.map(str::to_owned), ..Options::default() };
            let findings =
                diagnose(&chunked(&[2000, 100, 100], &[1, 100, 100], 4), &options).unwrap().findings;
            let found = findings.into_iter().find(|found| found.code == "cloud-chunk-size").unwrap();
            found.fixes[0].line.clone()
        };
        assert!(line(Some("az")).ends_with("--place az"), "{}", line(Some("az")));
        assert!(line(None).ends_with("--place s3"));
    }

    #[test]
    fn chunks_of_a_megabyte_few_chunks_and_local_files_are_fine() {
        assert!(!is_found(&chunked(&[200, 500, 500], &[1, 500, 500], 4), true));
        assert!(!is_found(&chunked(&[20, 100, 100], &[1, 100, 100], 4), true));
        assert!(!is_found(&chunked(&[2000, 100, 100], &[1, 100, 100], 4), false));
    }
}
