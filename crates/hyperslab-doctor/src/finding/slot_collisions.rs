//! # slot-collisions
//!
//! ## What it sees
//!
//! The chunks that a sweep returns to fit in the cache in bytes, but several of them share a slot of its hash table,
//! and a slot holds one chunk.
//!
//! ## Why it costs
//!
//! libhdf5 packs a chunk's coordinates into one number, each dimension padded to a power of two, and takes it modulo
//! the number of slots. Two chunks with the same slot evict each other every time, however empty the cache is. If the
//! number of slots is a power of two or shares a factor with one (netCDF-C 4.10 has 1,000), whole planes of chunks
//! collide. Even with a prime number of slots, chunks must collide if there are more chunks than slots.
//!
//! ## What to do
//!
//! Set a prime number of slots, 10 to 100 times the number of chunks that the cache is to hold. A slot costs 8 bytes.
//!
//! ## When it is fine
//!
//! If each chunk is read only once, so that an evicted chunk is not needed again.

use super::cliff::{Cause, Cliff, group};
use super::cost::Cost;
use super::model::Finding;
use crate::case::Case;
use crate::fix::{judged_cache_lines, slots_only, smallest_cache};
use hyperslab_units::{count_text, counted_text};

pub(super) fn check(case: &Case<'_>, cliffs: &[Cliff]) -> Option<Finding> {
    let group = group(case, cliffs, Cause::Collisions)?;
    let settings = group.read.rows[group.worst.profile].settings;
    let message = format!(
        "The chunks of the sweep fit in the cache, but collide in its {} slots. Reading {} costs {}. {}",
        count_text(settings.nslots),
        group.read.text(),
        group.numbers(case),
        group.affected(case),
    );
    let mut evidence = group.evidence(case);
    evidence["nslots"] = settings.nslots.into();
    let mut fixes = Vec::new();
    let version = case.profiles[group.worst.profile].version;
    // Keep the size in bytes if more slots are enough; otherwise use whatever ends the repeated decodes.
    let fix = slots_only(case, group.read, settings, version)
        .filter(|fix| case.counts(&group.read.sweep, fix.settings, version).is_ideal())
        .or_else(|| smallest_cache(case, group.read, &case.versions(&group.hit)))
        .or_else(|| slots_only(case, group.read, settings, version));
    if let Some(fix) = fix {
        evidence["nslots_enough"] = fix.settings.nslots.into();
        let decodes = case.counts(&group.read.sweep, fix.settings, version).decodes;
        let effect = format!(
            "{} slots, a prime number: {}",
            count_text(fix.settings.nslots),
            counted_text(decodes, "decode")
        );
        fixes.extend(judged_cache_lines(case, group.worst.read, &group.hit, fix.settings, &effect));
    }
    fixes.extend(group.reads_and_repack(case));
    let cost = Cost::seconds(group.worst.excess_seconds);
    Some(Finding {
        code: "slot-collisions".to_owned(),
        severity: group.severity(case),
        message,
        cost,
        evidence,
        fixes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::diagnose;
    use crate::options::Options;
    use crate::profile::Profile;
    use crate::testing::{chunked, finding};
    use hyperslab_storage::CacheSettings;

    const CODE: &str = "slot-collisions";

    fn with_slots(nslots: u64) -> Option<Finding> {
        // A column of 64 chunks of 16 KiB. With padding to the next power of two, their packed coordinates are 64
        // apart.
        let facts = chunked(&[64, 64 * 4096], &[1, 4096], 4);
        let options = Options {
            reads: vec![":x1".parse().unwrap()],
            profiles: vec![Profile::custom(CacheSettings { nbytes: 64 << 20, nslots, w0: 0.75 })],
            ..Options::default()
        };
        diagnose(&facts, &options).unwrap().findings.into_iter().find(|finding| finding.code == CODE)
    }

    #[test]
    fn a_power_of_two_of_slots_is_found_and_a_prime_named() {
        let found = with_slots(64).unwrap();
        assert!(found.message.contains("collide in its 64 slots"), "{}", found.message);
        assert_eq!(found.evidence["nslots_enough"], 521);
        assert!(
            found.fixes[0].line.contains("rdcc_nbytes=67108864, rdcc_nslots=521"),
            "{}",
            found.fixes[0].line
        );
    }

    #[test]
    fn a_prime_is_fine() {
        assert_eq!(with_slots(521), None);
        assert_eq!(finding(CODE, &chunked(&[100, 100], &[10, 10], 4), &[]), None);
    }
}
