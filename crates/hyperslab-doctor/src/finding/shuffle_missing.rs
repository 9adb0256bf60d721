//! # shuffle-missing
//!
//! ## What it sees
//!
//! The data is compressed without a shuffle, and sample chunks become much smaller with one.
//!
//! ## Why it costs
//!
//! A shuffle writes the first bytes of all numbers, then the second bytes, and so on. The high bytes of neighbouring
//! numbers are often equal, and a compressor finds equal bytes only where they are neighbours: sorted times and slowly
//! varying fields become several times smaller. Without it, everybody stores and fetches the difference.
//!
//! ## What to do
//!
//! Repack with a shuffle before the compression. It costs libhdf5 0.3 ns for each byte that is decoded, less than the
//! bytes that are not fetched.
//!
//! ## When it is fine
//!
//! For text and other bytes, which the doctor tries as well: it reports only what the samples showed.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use super::zstd_note::zstd_note;
use crate::case::Case;
use crate::facts::{RecodeMeasurement, SampleMeasurement};
use crate::fix::{NewFilters, refilter_to};
use crate::numbers::rounded;
use hyperslab_storage::filter::number::DEFLATE;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Reported if the samples shrink to at most this share.
const SHARE_MAX: f64 = 0.8;
/// Bytes saved from which on the severity is medium,
const SAVED_BYTES_MEDIUM: u64 = 64 << 20;
/// if the data shrinks to at most this share.
const SHARE_MEDIUM: f64 = 0.5;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let (facts, samples) = (case.facts, case.facts.samples.as_ref()?);
    // References compress with a shuffle, too, but what they refer to is stored elsewhere.
    if facts.variable_length.is_some()
        || facts.element_bytes < 2
        || facts.has_shuffle()
        || !facts.is_compressed()
    {
        return None;
    }
    let (without, with) = compared(samples)?;
    let share = with.encoded_bytes as f64 / without.encoded_bytes.max(1) as f64;
    if share > SHARE_MAX {
        return None;
    }
    let after = (facts.stored_bytes as f64 * share) as u64;
    let saved = facts.stored_bytes.saturating_sub(after);
    let is_medium = saved >= SAVED_BYTES_MEDIUM && share <= SHARE_MEDIUM;
    let severity = if is_medium { Severity::Medium } else { Severity::Low };
    let mut message = format!(
        "With a shuffle, samples become {:.1} times smaller (deflate level {}, {} instead of {}): about {} instead of {} in \
         the file.",
        1.0 / share,
        with.level,
        bytes_text(with.encoded_bytes),
        bytes_text(without.encoded_bytes),
        bytes_text(after),
        bytes_text(facts.stored_bytes),
    );
    message.push_str(&zstd_note(case, with, after));
    let evidence = json!({
        "samples": samples.chunks,
        "level": with.level,
        "encoded_bytes": without.encoded_bytes,
        "encoded_bytes_with_shuffle": with.encoded_bytes,
        "stored_bytes": facts.stored_bytes,
        "stored_bytes_after": after,
        "share": rounded(share),
    });
    let level = facts.deflate_level().unwrap_or(with.level);
    let is_deflate = facts.filters.iter().any(|filter| filter.id == DEFLATE);
    let fixes = if is_deflate {
        let effect = format!(
            "a shuffle before the compression: about {} instead of {}",
            bytes_text(after),
            bytes_text(facts.stored_bytes)
        );
        vec![refilter_to(case, &NewFilters::Deflate { level, shuffle: true }, after, effect)]
    } else {
        Vec::new()
    };
    let cost = Cost::bytes(saved);
    Some(Finding { code: "shuffle-missing".to_owned(), severity, message, cost, evidence, fixes })
}

/// The samples encoded at one level without and with a shuffle.
fn compared(samples: &SampleMeasurement) -> Option<(&RecodeMeasurement, &RecodeMeasurement)> {
    let mut with = samples.recoded.iter().filter(|recoded| recoded.shuffle);
    with.find_map(|with| Some((samples.recoded_at(with.level, false)?, with)))
}

#[cfg(test)]
mod tests {
    use crate::facts::{DatasetFacts, RecodeMeasurement, SampleMeasurement};
    use crate::finding::Severity;
    use crate::testing::{chunked, finding, gzip};

    const CODE: &str = "shuffle-missing";

    fn facts(without: u64, with: u64) -> DatasetFacts {
        let recoded = [(false, without), (true, with)].map(|(shuffle, encoded_bytes)| RecodeMeasurement {
            level: 4,
            shuffle,
            encoded_bytes,
            encode_seconds: 0.01,
            decode_seconds: 0.01,
        });
        let samples = SampleMeasurement {
            library: None,
            zstd: None,
            chunks: 3,
            stored_bytes: 500_000,
            decoded_bytes: 1_000_000,
            decode_seconds: 0.002,
            recoded: recoded.to_vec(),
        };
        DatasetFacts { samples: Some(samples), ..chunked(&[1_000_000], &[100_000], 8) }
    }

    #[test]
    fn a_shuffle_that_would_pay_is_proposed_before_the_present_filters() {
        let mut monotone = facts(500_000, 80_000);
        let found = finding(CODE, &monotone, &[]).unwrap();
        assert_eq!(found.severity, Severity::Low);
        assert!(found.message.contains("6.2 times smaller"), "{}", found.message);
        assert_eq!(found.cost.bytes, Some(3_360_000));
        assert!(found.fixes[0].line.contains("-f /d:SHUF -f /d:GZIP=6 "), "{:?}", found.fixes);
        // A checksum stays.
        let fletcher = crate::FilterFact {
            name: "fletcher32".to_owned(),
            id: 3,
            parameters: vec![],
            description: String::new(),
        };
        monotone.filters = vec![gzip(6), fletcher];
        let found = finding(CODE, &monotone, &[]).unwrap();
        assert!(found.fixes[0].line.contains("-f /d:SHUF -f /d:GZIP=6 -f /d:FLET "), "{:?}", found.fixes);
    }

    #[test]
    fn a_shuffle_that_does_not_pay_or_is_there_or_was_not_tried_is_not() {
        assert_eq!(finding(CODE, &facts(500_000, 450_000), &[]), None);
        assert_eq!(finding(CODE, &chunked(&[1_000_000], &[100_000], 8), &[]), None);
        let mut bytes = facts(500_000, 80_000);
        bytes.element_bytes = 1;
        assert_eq!(finding(CODE, &bytes, &[]), None);
    }
}
