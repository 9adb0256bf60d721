//! # chunk-cache-of-hdf4
//!
//! ## What it sees
//!
//! Reads of a chunked data set of HDF4 that return to more chunks than libhdf4 keeps.
//!
//! ## Why it costs
//!
//! libhdf4 keeps as many chunks as lie side by side along all dimensions but the first, whatever their size. A read of one row in
//! every level touches more than that, so that none of its chunks is there for the next row: each is decoded again.
//!
//! ## What to do
//!
//! Make libhdf4's cache larger (in C; pyhdf has no function for it), read larger blocks, or store the data in chunks that suit
//! these reads. hyperslab decodes each chunk once as long as its cache has room for it.
//!
//! ## When it is fine
//!
//! If the data set is read map by map, in the order in which it was written.

use super::SlowReads;
use crate::finding::cost::Cost;
use crate::finding::model::Finding;
use crate::fix::{Fix, FixKind};
use crate::numbers::ratio_text;
use crate::older::{Counts, OlderCase, OlderRead, repack};
use hyperslab_storage::lines::libhdf4_cache;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};

/// The largest cache that is proposed.
const CACHE_BYTES_MAX: u64 = 4 << 30;

pub(in crate::finding) fn check(case: &OlderCase<'_>) -> Option<Finding> {
    let (cached, chunk_bytes) = (case.cached_chunks()?, case.geometry.chunk_bytes()?);
    let slow = SlowReads::of(case)?;
    let Counts::Hdf4(counts) = slow.worst.counts else { return None };
    let ratio = counts.decodes as f64 / counts.chunks_touched.max(1) as f64;
    let message = format!(
        "libhdf4 keeps {} of {} of this data set. Reading {} returns to more of them: {}{} decodes of {} chunks, {}, {} instead of {}.{}",
        counted_text(cached, "chunk"),
        bytes_text(chunk_bytes),
        slow.worst.text(),
        if counts.is_exact() { "" } else { "about " },
        count_text(counts.decodes),
        count_text(counts.chunks_touched),
        ratio_text(ratio),
        OlderCase::time_text(slow.worst.seconds),
        crate::predict::seconds_text(slow.worst.ideal_seconds),
        slow.same_with(),
    );
    let mut evidence = slow.evidence();
    evidence["chunk_bytes"] = chunk_bytes.into();
    evidence["chunks_kept"] = cached.into();
    evidence["decodes"] = counts.decodes.into();
    evidence["chunks_touched"] = counts.chunks_touched.into();
    let mut fixes: Vec<Fix> = Vec::new();
    if let Some(enough) = enough(case, slow.worst, chunk_bytes) {
        evidence["chunks_needed"] = enough.into();
        let effect = format!(
            "room for the {} of this read ({}): each decoded once",
            counted_text(enough, "chunk"),
            bytes_text(enough * chunk_bytes)
        );
        fixes.push(Fix::new(FixKind::Cache, "C", libhdf4_cache(enough), effect));
    }
    fixes.push(repack(case, "no read returns to more than fit a cache of 1 MiB"));
    let (code, cost) = ("chunk-cache-of-hdf4".to_owned(), Cost::seconds(slow.worst.excess_seconds()));
    Some(Finding { code, severity: slow.severity(), message, cost, evidence, fixes })
}

/// The smallest cache with which the read decodes each chunk once.
fn enough(case: &OlderCase<'_>, read: &OlderRead, chunk_bytes: u64) -> Option<u64> {
    let Counts::Hdf4(now) = read.counts else { return None };
    let is_enough = |cached: u64| {
        let counts = case.with_cache(&read.sweep, cached);
        counts.is_some_and(|counts| counts.decodes <= counts.chunks_touched)
    };
    let (mut least, mut most) = (case.cached_chunks()?, now.chunks_touched);
    if most <= least || most.saturating_mul(chunk_bytes) > CACHE_BYTES_MAX || !is_enough(most) {
        return None;
    }
    while least + 1 < most {
        let middle = least + (most - least) / 2;
        if is_enough(middle) { most = middle } else { least = middle }
    }
    Some(most)
}

#[cfg(test)]
mod tests {
    use crate::older::{OlderStorage, diagnose_older};
    use crate::options::Options;
    use crate::testing::older;

    fn found(read: &str) -> Option<crate::Finding> {
        let facts = older(&[24, 1200, 1800], OlderStorage::Chunks(vec![1, 300, 300]));
        let options = Options { reads: vec![read.parse().unwrap()], ..Options::default() };
        let findings = diagnose_older(&facts, &options).unwrap().findings;
        findings.into_iter().find(|finding| finding.code == "chunk-cache-of-hdf4")
    }

    #[test]
    fn rows_in_all_levels_decode_every_chunk_again() {
        let found = found("24x1x1800").unwrap();
        assert_eq!(
            (&found.evidence["chunks_kept"], &found.evidence["chunks_touched"]),
            (&24.into(), &576.into())
        );
        assert_eq!(found.evidence["decodes"], 1200 * 144);
        assert_eq!(found.evidence["chunks_needed"], 144);
        assert_eq!(found.fixes[0].line, "SDsetchunkcache(sds_id, 144, 0);");
    }

    #[test]
    fn maps_and_neighbouring_series_are_fine() {
        assert_eq!(found("1x1200x1800"), None);
        assert_eq!(found("24x300x300"), None);
    }
}
