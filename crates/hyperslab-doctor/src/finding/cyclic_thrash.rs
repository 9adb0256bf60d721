//! # cyclic-thrash
//!
//! ## What it sees
//!
//! Each chunk fits in the chunk cache, but the chunks that a sweep returns to do not all fit at once: each is evicted
//! just before it is needed again.
//!
//! ## Why it costs
//!
//! The cache evicts the chunk that it has held longest. A program that cycles through k+1 chunks with room for k
//! therefore never hits: performance does not decline gradually, it drops at exact multiples of the chunk size. A cache
//! of three chunks less one byte holds two. Each cycle decodes every chunk again. An uncompressed chunk is fetched
//! whole for the few bytes that are needed, which can be slower than no cache at all.
//!
//! ## What to do
//!
//! Enlarge the cache to hold all chunks that the sweep returns to (the doctor finds the smallest size by simulation),
//! or read larger blocks so that each chunk is finished in one visit, or repack with chunks along the sweep.
//! Uncompressed chunks are often best read without a cache: then only the selected bytes are fetched (from libhdf5 2.1
//! on, with up to 64 KiB for each).
//!
//! ## When it is fine
//!
//! If the sweep is made once and has few chunks.

use super::cliff::{Cause, Cliff, CliffGroup, group};
use super::cost::Cost;
use super::model::Finding;
use crate::case::Case;
use crate::fix::{Fix, judged_cache_lines, smallest_cache};
use hyperslab_storage::CacheSettings;
use hyperslab_units::counted_text;
use hyperslab_units::size::bytes_text;

pub(super) fn check(case: &Case<'_>, cliffs: &[Cliff]) -> Option<Finding> {
    let group = group(case, cliffs, Cause::Thrash)?;
    let chunk_bytes = case.geometry.chunk_bytes()?;
    let holds = group.read.rows[group.worst.profile].settings.nbytes;
    let message = format!(
        "The chunk cache holds {} ({} of {}), but reading {} returns to more chunks than that: {}. {}",
        bytes_text(holds),
        counted_text(holds / chunk_bytes, "chunk"),
        bytes_text(chunk_bytes),
        group.read.text(),
        group.numbers(case),
        group.affected(case),
    );
    let mut evidence = group.evidence(case);
    evidence["chunks_held"] = (holds / chunk_bytes).into();
    let mut fixes = Vec::new();
    if let Some(fix) = smallest_cache(case, group.read, &case.versions(&group.hit)) {
        evidence["smallest_cache_bytes"] = fix.smallest_nbytes.into();
        let effect = format!(
            "a cache of {}: room for the {} of the sweep, each {} once",
            bytes_text(fix.settings.nbytes),
            counted_text(fix.smallest_nbytes / chunk_bytes, "chunk"),
            case.loaded_word()
        );
        fixes.extend(judged_cache_lines(case, group.worst.read, &group.hit, fix.settings, &effect));
    }
    fixes.extend(no_cache(case, &group));
    fixes.extend(group.reads_and_repack(case));
    let cost = Cost::seconds(group.worst.excess_seconds);
    let code = "cyclic-thrash".to_owned();
    Some(Finding { code, severity: group.severity(case), message, cost, evidence, fixes })
}

/// Uncompressed chunks need no cache: without one only the selected bytes are read, which is faster than fetching whole
/// chunks that are evicted before they are used again.
fn no_cache(case: &Case<'_>, group: &CliffGroup<'_>) -> Vec<Fix> {
    let row = &group.read.rows[group.worst.profile];
    let version = case.profiles[group.worst.profile].version;
    let settings = CacheSettings { nbytes: 0, ..row.settings };
    let counts = case.counts(&group.read.sweep, settings, version);
    let seconds = case.costs.seconds(&counts);
    if case.geometry.is_filtered() || !counts.is_exact || seconds > 0.5 * row.seconds {
        return Vec::new();
    }
    let effect = format!(
        "no cache: only the selected bytes are read, {} in {}, {}",
        bytes_text(counts.driver_bytes),
        counted_text(counts.driver_reads, "read"),
        case.time_text(seconds)
    );
    judged_cache_lines(case, group.worst.read, &group.hit, settings, &effect)
}

#[cfg(test)]
mod tests {
    use crate::diagnose::diagnose;
    use crate::finding::Severity;
    use crate::options::Options;
    use crate::profile::Profile;
    use crate::simulate::LibVersion;
    use crate::testing::{case_study, chunked, finding, unfiltered};
    use hyperslab_storage::CacheSettings;

    const CODE: &str = "cyclic-thrash";

    #[test]
    fn a_walk_over_more_chunks_than_fit_is_found_with_the_cache_that_ends_it() {
        // Ten reads d[:, y, :], each of the same 250 chunks of 1 MB.
        let facts = chunked(&[250, 10, 26_000], &[1, 10, 26_000], 4);
        let found = finding(CODE, &facts, &[":x1x:"]).unwrap();
        assert_eq!(found.severity, Severity::High);
        assert!(found.message.contains("2,500 decodes of 250 chunks, 10x"), "{}", found.message);
        assert_eq!(found.evidence["smallest_cache_bytes"], 250 * 1_040_000);
        assert!(
            found.message.contains("Affected: libhdf5 1.8, 1.10, 1.14, 2.x; netCDF-C 4.9, 4.10."),
            "{}",
            found.message
        );
    }

    #[test]
    fn series_that_nobody_asked_for_are_never_of_high_severity() {
        let found = finding(CODE, &case_study(), &[]).unwrap();
        assert_eq!(found.severity, Severity::Medium, "hours, but nobody said that they read so");
        assert!(found.message.contains("series along axis 0 (60x1x1x1)"), "{}", found.message);
        assert_eq!(found.evidence["smallest_cache_bytes"], 46_461_600);
    }

    #[test]
    fn a_series_that_the_users_own_library_reads_well_is_of_low_severity() {
        // Ten chunks of 800 kB: libhdf5 2.x holds them all, older ones hold one.
        let facts = chunked(&[200, 100, 100], &[20, 100, 100], 4);
        let severity = |first_profile_is_own| {
            let own = Profile::installed("h5py (libhdf5 2.0.0)", "2.0.0").unwrap();
            let profiles = std::iter::once(own).chain(Profile::defaults()).collect();
            let options = Options { profiles, first_profile_is_own, ..Options::default() };
            let findings = diagnose(&facts, &options).unwrap().findings;
            findings.into_iter().find(|finding| finding.code == CODE).unwrap().severity
        };
        assert_eq!((severity(true), severity(false)), (Severity::Low, Severity::Medium));
    }

    #[test]
    fn uncompressed_chunks_are_offered_no_cache_as_well() {
        // Unidata's case of a larger cache that is slower: 16 MiB chunks, of which one fits; a series crosses seven.
        let facts = unfiltered(chunked(&[1560, 128, 256], &[256, 128, 128], 4));
        let options = Options {
            reads: vec![":x1x1".parse().unwrap()],
            profiles: vec![
                Profile::custom(CacheSettings { nbytes: 16 << 20, nslots: 1009, w0: 0.75 })
                    .with_version(LibVersion::V1_14),
            ],
            ..Options::default()
        };
        let report = diagnose(&facts, &options).unwrap();
        let found = report.findings.into_iter().find(|finding| finding.code == CODE).unwrap();
        assert!(found.message.contains("driver reads of 14 chunks"), "{}", found.message);
        assert_eq!(
            found.evidence["smallest_cache_bytes"],
            14 << 24,
            "series come back to both columns of seven"
        );
        let none = found.fixes.iter().find(|fix| fix.line.contains("rdcc_nbytes=0,")).unwrap();
        assert!(none.effect.starts_with("no cache: only the selected bytes are read"), "{none:?}");
    }

    #[test]
    fn it_is_silent_where_the_walk_fits() {
        assert_eq!(finding(CODE, &chunked(&[100, 100, 100], &[10, 10, 10], 4), &[]), None);
        assert_eq!(
            finding(CODE, &case_study(), &["1x1x1x717"]),
            None,
            "that is the cache being smaller than a chunk"
        );
    }
}
