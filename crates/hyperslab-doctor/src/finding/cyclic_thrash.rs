//! # cyclic-thrash
//!
//! ## What it sees
//!
//! Single chunks fit the chunk cache, but the chunks that a sweep comes back to do not all fit at once: each is evicted
//! just before it is needed again.
//!
//! ## Why it costs
//!
//! The cache drops what it has held longest. A program that walks around k+1 chunks with room for k therefore hits
//! nothing at all: there is no gentle decline, the cliff lies at exact multiples of the chunk size. A cache of three
//! chunks less one byte holds two. Each round of the walk decodes every chunk again, and an uncompressed chunk is then
//! fetched whole for the few bytes that are wanted, which can be slower than having no cache.
//!
//! ## What to do
//!
//! Enlarge the cache to all the chunks that the walk returns to (the doctor finds the smallest size by simulation), or
//! read larger blocks so that each chunk is finished in one visit, or repack to chunks along the walk.
//!
//! ## When it is fine
//!
//! Where the walk is made once and its chunks are few.

use super::Finding;
use super::cliff::{Cause, group};
use crate::case::Case;
use crate::fix::{cache_lines, smallest_cache};
use crate::pattern::bytes_text;
use crate::report::count_text;

pub(super) fn check(case: &Case<'_>) -> Option<Finding> {
    let group = group(case, Cause::Thrash)?;
    let chunk_bytes = case.geometry.chunk_bytes()?;
    let holds = group.read.rows[group.worst.profile].settings.nbytes;
    let message = format!(
        "The chunk cache holds {} ({} of {}), reading {} comes back to more: {}. {}",
        bytes_text(holds),
        match holds / chunk_bytes {
            1 => "1 chunk".to_owned(),
            chunks => format!("{} chunks", count_text(chunks)),
        },
        bytes_text(chunk_bytes),
        group.read.text(),
        group.numbers(case),
        group.who(case),
    );
    let mut evidence = group.evidence(case);
    evidence["chunks_held"] = (holds / chunk_bytes).into();
    let mut fixes = Vec::new();
    if let Some(fix) = smallest_cache(case, group.read, &group.versions(case)) {
        evidence["smallest_cache_bytes"] = fix.smallest_nbytes.into();
        let effect = format!(
            "a cache of {}: room for the {} chunks of the walk, each decoded once",
            bytes_text(fix.settings.nbytes),
            count_text(fix.smallest_nbytes / chunk_bytes)
        );
        fixes.extend(cache_lines(&case.options.file, case.facts, fix.settings, &effect));
    }
    fixes.extend(group.reads_and_repack(case));
    let code = "cyclic-thrash".to_owned();
    Some(Finding { code, severity: group.severity(), message, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::finding::Severity;
    use crate::finding::testing::{case_study, chunked, finding};

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
            found.message.contains("Hit: libhdf5 1.8, 1.10, 1.14, 2.x; netCDF-C 4.9, 4.10."),
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
    fn it_is_silent_where_the_walk_fits() {
        assert_eq!(finding(CODE, &chunked(&[100, 100, 100], &[10, 10, 10], 4), &[]), None);
        assert_eq!(
            finding(CODE, &case_study(), &["1x1x1x717"]),
            None,
            "that is the cache being smaller than a chunk"
        );
    }
}
