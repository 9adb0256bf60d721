//! # compression-saves-nothing
//!
//! ## What it sees
//!
//! The data is compressed but hardly smaller: less than a tenth is saved.
//!
//! ## Why it costs
//!
//! Every reader pays for decoding and its consequences: whole chunks even where one element is needed, a cache that
//! must hold them, no direct reads. Noise in the low bits of floating point numbers does not compress, and without a
//! shuffle gzip compresses it even less.
//!
//! ## What to do
//!
//! Try a shuffle first: if it helped on sample chunks, the doctor reports by how much. Otherwise store the data
//! uncompressed, or round the numbers to their significant digits before writing (quantisation in netCDF, scaleoffset
//! in HDF5). Rounding removes the noise, and the data then compresses well.
//!
//! ## When it is fine
//!
//! If the last few percent of space are worth the time of all readers.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::case::Case;
use crate::fix::{NewFilters, refilter_to};
use crate::numbers::rounded;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Ratio of stored to decoded size from which on compression saves almost nothing.
const STORED_SHARE_MIN: f64 = 1.0 / 1.1;
/// Less data than this is not reported.
const DECODED_BYTES_MIN: u64 = 1 << 20;
/// A shuffle is proposed if it shrinks the samples by at least this factor.
const SHUFFLE_SHARE_MAX: f64 = 0.9;
/// Decoding time of one pass over the data, in seconds, from which on the severity is medium.
const SECONDS_MEDIUM: f64 = 1.0;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let chunks = case.geometry.chunks()?;
    let decoded = chunks.stored_chunks().saturating_mul(case.geometry.chunk_bytes()?);
    let stored = case.facts.stored_bytes;
    let share = stored as f64 / decoded.max(1) as f64;
    if !case.facts.is_compressed() || decoded < DECODED_BYTES_MIN || share < STORED_SHARE_MIN {
        return None;
    }
    let decode_seconds = chunks.filtered_chunks() as f64 * case.costs.decode_once();
    let reference_seconds = chunks.filtered_chunks() as f64 * case.reference.decode_once();
    let severity = if reference_seconds >= SECONDS_MEDIUM { Severity::Medium } else { Severity::Low };
    let filters: Vec<&str> = case.facts.filters.iter().map(|filter| filter.description.as_str()).collect();
    let ratio = decoded as f64 / stored.max(1) as f64;
    let message = format!(
        "{} uses {} to store {} of data, a ratio of only {ratio:.3}:1; decoding all of it costs every reader {}.",
        filters.join(", "),
        bytes_text(stored),
        bytes_text(decoded),
        case.time_text(decode_seconds),
    );
    let mut evidence = json!({
        "stored_bytes": stored,
        "decoded_bytes": decoded,
        "ratio": rounded(ratio),
        "decode_seconds": rounded(decode_seconds),
    });
    let mut fixes = Vec::new();
    if let Some((level, share)) = shuffle_gain(case) {
        evidence["ratio_with_shuffle"] = rounded(1.0 / share).into();
        let effect = format!("a shuffle first: {:.2}:1 on sample chunks", 1.0 / share);
        let after = (decoded as f64 * share) as u64;
        fixes.push(refilter_to(case, &NewFilters::Deflate { level, shuffle: true }, after, effect));
    }
    let effect =
        format!("{} more in the file, but nothing to decode", bytes_text(decoded.saturating_sub(stored)));
    fixes.push(refilter_to(case, &NewFilters::None, decoded, effect));
    let cost = Cost::seconds(reference_seconds);
    Some(Finding { code: "compression-saves-nothing".to_owned(), severity, message, cost, evidence, fixes })
}

/// The level at which a shuffle was measured to help, and the share of the samples' size that remains.
fn shuffle_gain(case: &Case<'_>) -> Option<(u32, f64)> {
    let samples = case.facts.samples.as_ref()?;
    if case.facts.has_shuffle() || samples.decoded_bytes == 0 {
        return None;
    }
    let best = samples
        .recoded
        .iter()
        .filter(|recoded| recoded.shuffle)
        .min_by_key(|recoded| recoded.encoded_bytes)?;
    let now = samples.stored_bytes as f64;
    (best.encoded_bytes as f64 <= SHUFFLE_SHARE_MAX * now)
        .then(|| (best.level, best.encoded_bytes as f64 / samples.decoded_bytes as f64))
}

#[cfg(test)]
mod tests {
    use crate::facts::{RecodeMeasurement, SampleMeasurement};
    use crate::finding::Severity;
    use crate::testing::{case_study, chunked, finding, unfiltered};

    const CODE: &str = "compression-saves-nothing";

    #[test]
    fn the_ratio_of_the_paper_is_found() {
        let found = finding(CODE, &case_study(), &[]).unwrap();
        assert_eq!(found.severity, Severity::Low);
        assert!(found.message.contains("a ratio of only 1.076:1"), "{}", found.message);
        assert_eq!(found.fixes.len(), 1);
        assert!(found.fixes[0].line.contains("-f /All_Data/CrIS-SDR_All/ES_ImaginaryLW:NONE"));
    }

    #[test]
    fn a_shuffle_that_was_measured_to_help_comes_first() {
        let mut facts = case_study();
        let shuffled = RecodeMeasurement {
            level: 4,
            shuffle: true,
            encoded_bytes: 500_000,
            encode_seconds: 0.1,
            decode_seconds: 0.01,
        };
        facts.samples = Some(SampleMeasurement {
            library: None,
            zstd: None,
            chunks: 1,
            stored_bytes: 930_000,
            decoded_bytes: 1_000_000,
            decode_seconds: 0.002,
            recoded: vec![shuffled, RecodeMeasurement { shuffle: false, encoded_bytes: 920_000, ..shuffled }],
        });
        let found = finding(CODE, &facts, &[]).unwrap();
        assert!(
            found.fixes[0].line.contains(":SHUF -f /All_Data/CrIS-SDR_All/ES_ImaginaryLW:GZIP=4"),
            "{:?}",
            found.fixes
        );
        assert_eq!(found.evidence["ratio_with_shuffle"], 2.0);
    }

    #[test]
    fn data_that_compress_or_are_not_compressed_are_fine() {
        assert_eq!(finding(CODE, &chunked(&[1000, 1000], &[100, 100], 4), &[]), None);
        assert_eq!(finding(CODE, &unfiltered(case_study()), &[]), None);
        let mut small = chunked(&[100, 100], &[10, 10], 4);
        small.stored_bytes = small.logical_bytes;
        assert_eq!(finding(CODE, &small, &[]), None, "40 kB");
    }
}
