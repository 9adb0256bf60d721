//! A remark on zstd, for data that should be compressed in another way: offered beside gzip, never in its place, because
//! every reader needs the plug-in.

use crate::case::Case;
use crate::facts::RecodeMeasurement;
use hyperslab_units::size::bytes_text;

/// Zstd is mentioned if its samples take at most this share of gzip's: it is read faster at any rate.
const SHARE_MAX: f64 = 1.05;

/// What the dataset would take with zstd, if that was tried, as the reader has the plug-in, and the samples do not grow. `gzip` is
/// the encoding that the finding proposes, with which the dataset would take `stored_bytes`.
pub(super) fn zstd_note(case: &Case<'_>, gzip: &RecodeMeasurement, stored_bytes: u64) -> String {
    let zstd = case.facts.samples.as_ref().and_then(|samples| samples.zstd.as_ref());
    let Some(zstd) = zstd else { return String::new() };
    let share = zstd.encoded_bytes as f64 / gzip.encoded_bytes.max(1) as f64;
    if share > SHARE_MAX {
        return String::new();
    }
    format!(
        " With {}zstd at level {}, which the library of your Python also has, about {}, usually read several times as fast; \
         other readers need the plug-in, too.",
        if zstd.shuffle { "a shuffle and " } else { "" },
        zstd.level,
        bytes_text((stored_bytes as f64 * share) as u64),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{DatasetFacts, SampleMeasurement};
    use crate::options::Options;
    use crate::testing::{chunked, unfiltered};
    use crate::{Finding, diagnose};

    fn found(zstd_bytes: u64, has_zstd: bool) -> Finding {
        let recoded = |level, encoded_bytes| RecodeMeasurement {
            level,
            shuffle: true,
            encoded_bytes,
            encode_seconds: 0.01,
            decode_seconds: 0.01,
        };
        let samples = SampleMeasurement {
            chunks: 1,
            stored_bytes: 1_000_000,
            decoded_bytes: 1_000_000,
            recoded: vec![recoded(1, 400_000)],
            zstd: has_zstd.then(|| recoded(3, zstd_bytes)),
            ..SampleMeasurement::default()
        };
        let facts = unfiltered(chunked(&[10_000_000], &[100_000], 8));
        let facts = DatasetFacts { samples: Some(samples), ..facts };
        let findings = diagnose(&facts, &Options::default()).unwrap().findings;
        findings.into_iter().find(|finding| finding.code == "compressible-data-raw").unwrap()
    }

    #[test]
    fn zstd_is_mentioned_where_the_reader_has_it_and_nothing_grows() {
        let message = found(360_000, true).message;
        assert!(message.contains("With a shuffle and zstd at level 3"), "{message}");
        assert!(message.contains("about 27.5 MiB, usually"), "{message}");
        for (bytes, has_zstd) in [(360_000, false), (430_000, true)] {
            assert!(!found(bytes, has_zstd).message.contains("zstd"), "{bytes} {has_zstd}");
        }
    }
}
