//! # cache-smaller-than-chunk
//!
//! ## What it sees
//!
//! One decoded chunk is larger than the whole chunk cache of a library, and the same chunk is read more than once.
//!
//! ## Why it costs
//!
//! libhdf5 must decode a whole chunk to return any element of it. A chunk that does not fit in the cache is discarded
//! at the end of each `H5Dread`, so the next read of the same chunk fetches and decodes it again: a program that reads
//! row by row decodes a chunk of 1,080 rows 1,080 times. Without filters nothing is decoded, but each contiguous run of
//! bytes in each row becomes a separate request, however small.
//!
//! The default cache is 1 MiB in libhdf5 up to 1.14, 8 MiB in 2.x, 16 MiB in netCDF-C 4.9 and 64 MiB in netCDF-C 4.10.
//! Readers that do not cache decoded chunks (pyfive, h5coro, hidefix, zarr over kerchunk or VirtualiZarr references)
//! have this problem with every chunk size.
//!
//! ## What to do
//!
//! One of three: give the library a cache that holds the chunks of one read (the doctor finds the smallest size by
//! simulation); read whole chunks, so that no chunk is needed twice; or repack the file with chunks that fit in every
//! default cache, which also helps users who cannot change their program.
//!
//! ## When it is fine
//!
//! If every program reads whole chunks, or the whole dataset at once.

use super::cliff::{Cause, Cliff, group};
use super::cost::Cost;
use super::model::Finding;
use crate::case::Case;
use crate::fix::{judged_cache_lines, smallest_cache};
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;

pub(super) fn check(case: &Case<'_>, cliffs: &[Cliff]) -> Option<Finding> {
    let group = group(case, cliffs, Cause::SmallerThanChunk)?;
    let chunk_bytes = case.geometry.chunk_bytes()?;
    let holds = group.read.rows[group.worst.profile].settings.nbytes;
    let message = format!(
        "One chunk is {} bytes ({}), but the chunk cache holds only {}. Reading {} costs {}. {}",
        count_text(chunk_bytes),
        bytes_text(chunk_bytes),
        bytes_text(holds),
        group.read.text(),
        group.numbers(case),
        group.affected(case),
    );
    let mut evidence = group.evidence(case);
    let mut fixes = Vec::new();
    if let Some(fix) = smallest_cache(case, group.read, &case.versions(&group.hit)) {
        evidence["smallest_cache_bytes"] = fix.smallest_nbytes.into();
        let needed = group.read.rows[group.worst.profile].counts.chunks_touched;
        let effect = format!(
            "a cache of {}: each chunk is {} once, {} loads instead of {} (the smallest sufficient cache is {} bytes)",
            bytes_text(fix.settings.nbytes),
            case.loaded_word(),
            count_text(needed),
            count_text(group.loaded(case)),
            count_text(fix.smallest_nbytes)
        );
        fixes.extend(judged_cache_lines(case, group.worst.read, &group.hit, fix.settings, &effect));
    }
    fixes.extend(group.reads_and_repack(case));
    let cost = Cost::seconds(group.worst.excess_seconds);
    let code = "cache-smaller-than-chunk".to_owned();
    Some(Finding { code, severity: group.severity(case), message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::finding::Severity;
    use crate::testing::{case_study, chunked, finding, unfiltered};

    const CODE: &str = "cache-smaller-than-chunk";

    #[test]
    fn the_case_study_gets_the_three_fixes_of_the_paper() {
        for reads in [&["1x1x1x717"][..], &[]] {
            let found = finding(CODE, &case_study(), reads).unwrap();
            assert_eq!(found.severity, Severity::High);
            assert!(found.message.contains("16,200 decodes of 15 chunks, 1080x"), "{}", found.message);
            assert!(found.message.contains(
                "Affected: libhdf5 1.8, 1.10, 1.14. Not affected: libhdf5 2.x; netCDF-C 4.9, 4.10."
            ));
            assert_eq!(found.evidence["smallest_cache_bytes"], 3_097_440);
            assert_eq!(found.evidence["hit"][2]["decodes"], 16_200);
            let lines: Vec<&str> = found.fixes.iter().map(|fix| fix.line.as_str()).collect();
            assert!(lines.iter().any(|line| line.contains("rdcc_nbytes=3145728")), "{lines:?}");
            assert!(lines.iter().any(|line| line.contains("# 4x30x9x717")), "{lines:?}");
            assert!(lines.iter().any(|line| line.contains("CHUNK=1x30x9x717 ")), "{lines:?}");
        }
    }

    #[test]
    fn a_chunk_above_8_mib_hits_libhdf5_2_as_well() {
        let facts = chunked(&[100, 1600, 1600], &[1, 1600, 1600], 4);
        let found = finding(CODE, &facts, &["1x1x:"]).unwrap();
        assert!(
            found
                .message
                .contains("Affected: libhdf5 1.8, 1.10, 1.14, 2.x. Not affected: netCDF-C 4.9, 4.10."),
            "{}",
            found.message
        );
    }

    #[test]
    fn it_is_silent_where_chunks_fit_or_are_read_whole() {
        assert_eq!(finding(CODE, &chunked(&[60, 30, 9, 717], &[1, 30, 9, 717], 4), &["1x1x1x:"]), None);
        assert_eq!(finding(CODE, &case_study(), &["4x30x9x717", ":x:x:x:"]), None);
        // Little data: 1,000 repeated reads cost almost nothing.
        assert_eq!(
            finding(CODE, &unfiltered(case_study()), &["1x1x1x717"]),
            None,
            "rows of raw chunks are cheap"
        );
    }
}
