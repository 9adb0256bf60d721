//! # deflate-level-too-high
//!
//! ## What it sees
//!
//! On sample chunks of this dataset, a lower deflate level gives nearly the same size in much less time.
//!
//! ## Why it costs
//!
//! Above about level 4, gzip searches longer for matches that most scientific data does not contain. The writer pays
//! each time the file is written or repacked; readers decode every level at about the same speed.
//!
//! ## What to do
//!
//! Write or repack with the level that the doctor names. Other filters (zstd, or blosc with a shuffle) save more, if
//! all readers have them.
//!
//! ## When it is fine
//!
//! If files are written once and read for decades, and writing time does not matter.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use super::zstd_note::zstd_note;
use crate::case::Case;
use crate::facts::RecodeMeasurement;
use crate::fix::{NewFilters, refilter_to};
use crate::numbers::rounded;
use hyperslab_units::counted_text;
use serde_json::json;

/// The lower level's output may be this much larger,
const SIZE_RATIO_MAX: f64 = 1.02;
/// and must take at most this share of the time.
const TIME_SHARE_MAX: f64 = 0.6;
/// Lower levels differ too little to be worth a change.
const LEVEL_MIN: u32 = 5;
/// Data that compresses less than this takes all levels about as long; whether it should be compressed at all is another
/// question. Data that compresses more is written fast at any level.
const RATIO_MIN: f64 = 1.2;
const RATIO_MAX: f64 = 50.0;
/// Encoding time of the dataset that must be saved, in seconds: less is not worth a reader's minute.
const SECONDS_MIN: f64 = 3.0;
/// And that from which on the severity is medium.
const SECONDS_MEDIUM: f64 = 30.0;
/// Bytes per second that zlib encodes at levels 1 to 9, in millions: medians over scientific data on a server core of
/// 2025. Decisions rest on these and on the sizes of the encoded samples, not on how long encoding took this time.
const ENCODE_MEGABYTES_PER_SECOND: [f64; 9] = [100.0, 90.0, 70.0, 60.0, 42.0, 28.0, 22.0, 12.0, 8.0];

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let samples = case.facts.samples.as_ref()?;
    let (level, shuffle) = (case.facts.deflate_level()?, case.facts.has_shuffle());
    let now = samples.recoded_at(level, shuffle)?;
    let ratio = samples.decoded_bytes as f64 / samples.stored_bytes.max(1) as f64;
    if level < LEVEL_MIN || !(RATIO_MIN..=RATIO_MAX).contains(&ratio) {
        return None;
    }
    let usual_seconds = |level: u32| {
        let speed = ENCODE_MEGABYTES_PER_SECOND[(level.clamp(1, 9) - 1) as usize];
        case.geometry.logical_bytes() as f64 / (speed * 1e6)
    };
    let is_better = |other: &&RecodeMeasurement| {
        other.shuffle == shuffle
            && (1..level).contains(&other.level)
            && other.encoded_bytes as f64 <= SIZE_RATIO_MAX * now.encoded_bytes as f64
            && usual_seconds(other.level) <= TIME_SHARE_MAX * usual_seconds(level)
    };
    let better = samples.recoded.iter().filter(is_better).min_by_key(|other| other.level)?;
    let saved_seconds = usual_seconds(level) - usual_seconds(better.level);
    if saved_seconds < SECONDS_MIN && !case.options.all {
        return None;
    }
    let severity = if saved_seconds >= SECONDS_MEDIUM { Severity::Medium } else { Severity::Low };
    let size = 100.0 * (better.encoded_bytes as f64 / now.encoded_bytes.max(1) as f64 - 1.0);
    let times = usual_seconds(level) / usual_seconds(better.level);
    let mut message = format!(
        "Deflate level {} usually writes {times:.1} times as fast as level {level}; {} of this dataset change by \
         {size:+.1} % in size.",
        better.level,
        counted_text(samples.chunks, "sample chunk"),
    );
    let after = (case.facts.stored_bytes as f64 * better.encoded_bytes as f64
        / now.encoded_bytes.max(1) as f64) as u64;
    message.push_str(&zstd_note(case, better, after));
    let entry = |m: &RecodeMeasurement| {
        json!({ "level": m.level, "encoded_bytes": m.encoded_bytes, "encode_seconds": rounded(m.encode_seconds),
                "decode_seconds": rounded(m.decode_seconds)})
    };
    let evidence = json!({
        "samples": samples.chunks,
        "now": entry(now),
        "better": entry(better),
        "levels": samples.recoded.iter().filter(|m| m.shuffle == shuffle).map(entry).collect::<Vec<_>>(),
    });
    let filters = NewFilters::Deflate { level: better.level, shuffle };
    let effect = format!("{times:.1} times as fast to write, {size:+.1} % in size");
    let fixes = vec![refilter_to(case, &filters, after, effect)];
    let cost = Cost::seconds(saved_seconds);
    Some(Finding { code: "deflate-level-too-high".to_owned(), severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::facts::{DatasetFacts, RecodeMeasurement, SampleMeasurement};
    use crate::testing::{chunked, finding, gzip};

    const CODE: &str = "deflate-level-too-high";

    fn facts(level: u32, levels: &[(u32, u64, f64)]) -> DatasetFacts {
        let recoded = levels
            .iter()
            .map(|&(level, encoded_bytes, encode_seconds)| RecodeMeasurement {
                level,
                shuffle: false,
                encoded_bytes,
                encode_seconds,
                decode_seconds: 0.01,
            })
            .collect();
        let samples = SampleMeasurement {
            library: None,
            zstd: None,
            chunks: 3,
            stored_bytes: 500_000,
            decoded_bytes: 1_000_000,
            decode_seconds: 0.002,
            recoded,
        };
        DatasetFacts {
            filters: vec![gzip(level)],
            samples: Some(samples),
            ..chunked(&[10_000, 1000], &[100, 100], 4)
        }
    }

    #[test]
    fn a_level_that_buys_nothing_is_found() {
        let found =
            finding(CODE, &facts(9, &[(1, 520_000, 0.01), (4, 501_000, 0.02), (9, 500_000, 0.1)]), &[])
                .unwrap();
        assert!(
            found.message.contains("level 4 usually writes 7.5 times as fast as level 9; 3 sample chunks")
                && found.message.contains("+0.2 % in size"),
            "{}",
            found.message
        );
        assert!(found.fixes[0].line.contains("/d:GZIP=4"), "level 1 is 4 % larger: {:?}", found.fixes);
    }

    #[test]
    fn a_level_that_pays_and_no_measurement_are_fine() {
        assert_eq!(
            finding(CODE, &facts(6, &[(1, 600_000, 0.01), (4, 550_000, 0.05), (6, 500_000, 0.07)]), &[]),
            None
        );
        assert_eq!(finding(CODE, &facts(1, &[(1, 500_000, 0.01)]), &[]), None);
        assert_eq!(finding(CODE, &chunked(&[1000, 1000], &[100, 100], 4), &[]), None);
    }

    #[test]
    fn what_hardly_compresses_or_is_small_is_not_worth_a_change() {
        let levels = [(1, 500_000, 0.01), (6, 500_000, 0.02)];
        let large = DatasetFacts { logical_bytes: 400_000_000, ..chunked(&[100_000, 1000], &[100, 100], 4) };
        let with = |stored_bytes: u64, of: &DatasetFacts| {
            let samples = SampleMeasurement { stored_bytes, ..facts(6, &levels).samples.unwrap() };
            DatasetFacts { samples: Some(samples), ..of.clone() }
        };
        assert!(finding(CODE, &with(500_000, &large), &[]).is_some());
        assert_eq!(finding(CODE, &with(930_000, &large), &[]), None, "all levels take about as long");
        assert_eq!(
            finding(CODE, &with(500_000, &chunked(&[1000, 1000], &[100, 100], 4)), &[]),
            None,
            "0.1 s"
        );
    }
}
