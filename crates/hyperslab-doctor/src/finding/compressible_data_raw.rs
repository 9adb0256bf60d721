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
use crate::facts::{DatasetFacts, RecodeMeasurement, SampleMeasurement};
use crate::fix::{Fix, NewFilters, refilter_to};
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
    // Chunks of a few bytes must grow before compression can help.
    if case.geometry.chunk_bytes().is_some_and(|bytes| bytes < CHUNK_BYTES_MIN) {
        return None;
    }
    let facts = case.facts;
    let smaller = Smaller::of(facts)?;
    let new = NewFilters::Deflate { level: LEVEL, shuffle: smaller.best.shuffle };
    let fix = refilter_to(case, &new, smaller.stored_bytes, smaller.effect(facts));
    let note = zstd_note(case, smaller.best, smaller.stored_bytes);
    Some(smaller.finding(facts, &note, vec![fix]))
}

/// What compression would save of data that has none.
pub(super) struct Smaller<'f> {
    samples: &'f SampleMeasurement,
    best: &'f RecodeMeasurement,
    share: f64,
    /// Bytes of the data afterwards.
    stored_bytes: u64,
}

impl<'f> Smaller<'f> {
    /// `None` if the data is compressed, was not sampled, or would not become much smaller.
    pub(super) fn of(facts: &'f DatasetFacts) -> Option<Self> {
        let samples = facts.samples.as_ref()?;
        if facts.is_compressed() || samples.decoded_bytes == 0 {
            return None;
        }
        let best = samples.recoded.iter().min_by_key(|recoded| (recoded.encoded_bytes, recoded.shuffle))?;
        let share = best.encoded_bytes as f64 / samples.decoded_bytes as f64;
        let stored_bytes = (facts.stored_bytes as f64 * share) as u64;
        (share <= SHARE_MAX).then_some(Self { samples, best, share, stored_bytes })
    }

    /// `about 4 MiB in the file instead of 40 MiB`
    pub(super) fn effect(&self, facts: &DatasetFacts) -> String {
        let (after, before) = (bytes_text(self.stored_bytes), bytes_text(facts.stored_bytes));
        format!("about {after} in the file instead of {before}")
    }

    /// The finding, with a remark at the end of its message.
    pub(super) fn finding(&self, facts: &DatasetFacts, note: &str, fixes: Vec<Fix>) -> Finding {
        let message = format!(
            "{} are stored without compression. Samples become {:.1} times smaller with {}gzip: about {} in the file.{note}",
            bytes_text(facts.stored_bytes),
            1.0 / self.share.max(1e-3),
            if self.best.shuffle { "a shuffle and " } else { "" },
            bytes_text(self.stored_bytes),
        );
        let evidence = json!({
            "samples": self.samples.chunks,
            "sample_bytes": self.samples.decoded_bytes,
            "encoded_bytes": self.best.encoded_bytes,
            "shuffle": self.best.shuffle,
            "stored_bytes": facts.stored_bytes,
            "stored_bytes_after": self.stored_bytes,
            "share": rounded(self.share),
        });
        let cost = Cost::bytes(facts.stored_bytes.saturating_sub(self.stored_bytes));
        let code = "compressible-data-raw".to_owned();
        Finding { code, severity: Severity::Low, message, cost, evidence, fixes }
    }
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
