//! # compressible-data-raw
//!
//! ## What it sees
//!
//! The data is stored without compression, and samples of it become much smaller with gzip.
//!
//! ## Why it costs
//!
//! Disk space, transfer time and, from an object store, money. A local file in the page cache is read faster
//! uncompressed; over a network or from a slow disk the smaller file is.
//!
//! ## What to do
//!
//! Repack with a shuffle and gzip, or in a program whose readers all have it, zstd. The line says which reads get slower
//! from the page cache.
//!
//! ## When it is fine
//!
//! If the file is small, short-lived, memory-mapped, or read in small pieces from a local disk.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use super::zstd_note::zstd_note;
use crate::case::Case;
use crate::fix::{NewFilters, refilter_to};
use crate::numbers::rounded;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Reported if the samples shrink to at most this share.
const SHARE_MAX: f64 = 0.5;
/// Smaller chunks hardly compress.
const CHUNK_BYTES_MIN: u64 = 4 << 10;
/// The level that is proposed: higher ones gain little.
const LEVEL: u32 = 4;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let (facts, samples) = (case.facts, case.facts.samples.as_ref()?);
    // Chunks of a few bytes must grow before compression can help.
    let are_chunks_tiny = case.geometry.chunk_bytes().is_some_and(|bytes| bytes < CHUNK_BYTES_MIN);
    if facts.is_compressed() || samples.decoded_bytes == 0 || are_chunks_tiny {
        return None;
    }
    let best = samples.recoded.iter().min_by_key(|recoded| (recoded.encoded_bytes, recoded.shuffle))?;
    let tried_bytes = samples.decoded_bytes;
    let share = best.encoded_bytes as f64 / tried_bytes as f64;
    if share > SHARE_MAX {
        return None;
    }
    let after = (facts.stored_bytes as f64 * share) as u64;
    let saved = facts.stored_bytes.saturating_sub(after);
    let mut message = format!(
        "{} are stored without compression. Samples become {:.1} times smaller with {}gzip: about {} in the file.",
        bytes_text(facts.stored_bytes),
        1.0 / share.max(1e-3),
        if best.shuffle { "a shuffle and " } else { "" },
        bytes_text(after),
    );
    message.push_str(&zstd_note(case, best, after));
    let evidence = json!({
        "samples": samples.chunks,
        "sample_bytes": tried_bytes,
        "encoded_bytes": best.encoded_bytes,
        "shuffle": best.shuffle,
        "stored_bytes": facts.stored_bytes,
        "stored_bytes_after": after,
        "share": rounded(share),
    });
    let effect =
        format!("about {} in the file instead of {}", bytes_text(after), bytes_text(facts.stored_bytes));
    let fixes =
        vec![refilter_to(case, &NewFilters::Deflate { level: LEVEL, shuffle: best.shuffle }, after, effect)];
    let (code, severity, cost) = ("compressible-data-raw".to_owned(), Severity::Low, Cost::bytes(saved));
    Some(Finding { code, severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::facts::{DatasetFacts, RecodeMeasurement, SampleMeasurement};
    use crate::testing::{chunked, contiguous, finding, unfiltered};

    const CODE: &str = "compressible-data-raw";

    fn sampled(facts: DatasetFacts, with_shuffle: u64) -> DatasetFacts {
        let recoded = [(false, 900_000), (true, with_shuffle)].map(|(shuffle, encoded_bytes)| {
            RecodeMeasurement { level: 1, shuffle, encoded_bytes, encode_seconds: 0.01, decode_seconds: 0.01 }
        });
        let samples = SampleMeasurement {
            library: None,
            zstd: None,
            chunks: 8,
            stored_bytes: 1_000_000,
            decoded_bytes: 1_000_000,
            decode_seconds: 0.0,
            recoded: recoded.to_vec(),
        };
        DatasetFacts { samples: Some(samples), ..facts }
    }

    #[test]
    fn raw_data_that_shrinks_is_found_chunked_or_not() {
        let chunks = sampled(unfiltered(chunked(&[100, 100, 100], &[10, 100, 100], 4)), 100_000);
        let found = finding(CODE, &chunks, &[]).unwrap();
        assert!(found.message.contains("10.0 times smaller with a shuffle and gzip"), "{}", found.message);
        assert!(found.fixes[0].line.contains("h5repack -f /d:SHUF -f /d:GZIP=4 "), "{:?}", found.fixes);
        let block = sampled(contiguous(&[100, 100, 100], 4), 100_000);
        let found = finding(CODE, &block, &[]).unwrap();
        assert!(found.fixes[0].line.contains("-l /d:CHUNK="), "filters need chunks: {:?}", found.fixes);
    }

    #[test]
    fn data_that_does_not_shrink_or_is_compressed_or_small_is_fine() {
        let raw = unfiltered(chunked(&[100, 100, 100], &[10, 100, 100], 4));
        assert_eq!(finding(CODE, &sampled(raw, 800_000), &[]), None);
        assert_eq!(
            finding(CODE, &sampled(chunked(&[100, 100, 100], &[10, 100, 100], 4), 100_000), &[]),
            None
        );
        assert_eq!(finding(CODE, &sampled(contiguous(&[100, 100], 4), 100_000), &[]), None, "40 kB");
    }
}
