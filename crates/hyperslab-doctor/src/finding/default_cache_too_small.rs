//! # default-cache-too-small
//!
//! ## What it sees
//!
//! A read across the chunks loads them again and again in the library that this user has, because its default chunk cache
//! is smaller than what the read returns to; a cache of a reasonable size would load each chunk once.
//!
//! ## Why it costs
//!
//! A series along the slowest dimension touches every chunk on its way, and the next series the same ones. If the cache
//! does not hold them all until then, each is fetched and decoded once a series. The default cache is 1 MiB for each
//! dataset in libhdf5 up to 1.14, 8 MiB in 2.x, 16 MiB in netCDF-C 4.9 and 64 MiB in 4.10.
//!
//! ## What to do
//!
//! Set the cache when the file or the dataset is opened: the doctor finds the smallest size by simulation.
//!
//! ## When it is fine
//!
//! If nobody reads the data in this direction.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::case::{Case, ReadCase};
use crate::fix::{judged_cache_lines, smallest_cache};
use crate::numbers::rounded;
use crate::predict::seconds_text;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};
use serde_json::json;

/// The profile of the user's own library.
const OWN: usize = 0;
/// Seconds that the read wastes, and how many times as long as it should it takes, at least.
const EXCESS_SECONDS_MIN: f64 = 1.0;
const RATIO_MIN: f64 = 3.0;
/// Seconds from which on the severity is medium, for a read that the user requested.
const EXCESS_SECONDS_MEDIUM: f64 = 5.0;
/// The same, and the ratio, for a read that nobody asked for.
const EXCESS_SECONDS_MEDIUM_DEFAULT: f64 = 60.0;
const RATIO_MEDIUM_DEFAULT: f64 = 20.0;
/// A larger cache is not a setting, but another program.
const CACHE_BYTES_MAX: u64 = 256 << 20;

pub(super) fn check(case: &Case<'_>, cliffs: &[Cliff]) -> Option<Finding> {
    if !case.options.first_profile_is_own || case.geometry.chunk_bytes().is_none() {
        return None;
    }
    // What has a cause of its own is reported with it.
    let is_told = |number: usize| cliffs.iter().any(|cliff| cliff.read == number && cliff.profile == OWN);
    let slow = case.reads.iter().enumerate().filter(|(number, _)| !is_told(*number));
    let (target, read, excess) = slow
        .filter_map(|(number, read)| Some((number, read, excess_seconds(case, read)?)))
        .max_by(|(_, a, x), (_, b, y)| (x * a.weight).total_cmp(&(y * b.weight)))?;
    let (row, profile) = (&read.rows[OWN], &case.profiles[OWN]);
    let found = smallest_cache(case, read, &[profile.version])?;
    if found.settings.nbytes > CACHE_BYTES_MAX {
        return None;
    }
    let (loads, needed) = (row.counts.driver_reads, row.counts.chunks_touched);
    let ideal = case.costs.ideal(&row.counts).seconds;
    let word = case.loaded_word();
    let message = format!(
        "Reading {} in {}, whose chunk cache is {} by default, costs {} of {}, {} instead of {}. A cache of {} \
         holds what it returns to.",
        read.text(),
        profile.name,
        bytes_text(row.settings.nbytes),
        counted_text(loads, "load"),
        counted_text(needed, "chunk"),
        case.time_text(row.seconds),
        seconds_text(ideal),
        bytes_text(found.settings.nbytes),
    );
    let evidence = json!({
        "read": shape_text(read.sweep.block()),
        "read_name": read.name,
        "hit": [{ "profile": profile.name, "cache": row.settings, "loads": loads }],
        "chunks_touched": needed,
        "smallest_cache_bytes": found.smallest_nbytes,
        "excess_seconds": rounded(excess),
    });
    let effect = format!(
        "a cache of {}: each chunk is {word} once, {} instead of {}",
        bytes_text(found.settings.nbytes),
        counted_text(needed, "load"),
        count_text(loads)
    );
    let fixes = judged_cache_lines(case, target, &[OWN], found.settings, &effect);
    let reference_ideal = case.reference.ideal(&row.counts).seconds;
    let is_medium = if read.is_requested {
        excess >= EXCESS_SECONDS_MEDIUM
    } else {
        excess >= EXCESS_SECONDS_MEDIUM_DEFAULT
            && row.reference_seconds >= RATIO_MEDIUM_DEFAULT * reference_ideal
    };
    let severity = if is_medium { Severity::Medium } else { Severity::Low };
    let (code, cost) = ("default-cache-too-small".to_owned(), Cost::seconds(excess));
    Some(Finding { code, severity, message, cost, evidence, fixes })
}

/// Seconds that a read wastes in the user's library; `None` if they are not worth a setting.
fn excess_seconds(case: &Case<'_>, read: &ReadCase) -> Option<f64> {
    let row = &read.rows[OWN];
    if row.counts.is_ideal() {
        return None;
    }
    let ideal = case.reference.ideal(&row.counts).seconds;
    let excess = row.reference_seconds - ideal;
    (excess >= EXCESS_SECONDS_MIN && row.reference_seconds >= RATIO_MIN * ideal).then_some(excess)
}

#[cfg(test)]
mod tests {
    use crate::diagnose::diagnose;
    use crate::finding::{Finding, Severity};
    use crate::options::Options;
    use crate::profile::Profile;
    use crate::testing::chunked;

    fn found(release: &str, reads: &[&str]) -> Option<Finding> {
        // 400 fields of 18.75 KiB, one chunk each: a series touches all, 7.3 MiB.
        let facts = chunked(&[400, 60, 80], &[1, 60, 80], 4);
        let options = Options {
            profiles: vec![Profile::installed("h5py", release).unwrap()],
            first_profile_is_own: true,
            reads: reads.iter().map(|read| read.parse().unwrap()).collect(),
            ..Options::default()
        };
        let findings = diagnose(&facts, &options).unwrap().findings;
        findings.into_iter().find(|finding| finding.code == "default-cache-too-small")
    }

    #[test]
    fn a_series_that_the_default_cache_cannot_hold_gets_a_cache_that_can() {
        let found = found("1.14.6", &[]).unwrap();
        assert_eq!(found.severity, Severity::Medium, "nobody asked for it, but it takes minutes for nothing");
        assert!(found.message.contains("whose chunk cache is 1 MiB by default"), "{}", found.message);
        assert_eq!(found.evidence["smallest_cache_bytes"], 400 * 60 * 80 * 4);
        assert!(found.fixes.iter().any(|fix| fix.line.contains("rdcc_nbytes=8388608")), "{:?}", found.fixes);
    }

    #[test]
    fn it_is_silent_where_the_default_cache_holds_all_or_the_library_is_not_known() {
        assert_eq!(found("2.0.0", &[]), None, "8 MiB hold 7.3");
        assert_eq!(found("1.14.6", &["1x60x80"]), None, "time steps need no cache");
        let facts = chunked(&[400, 60, 80], &[1, 60, 80], 4);
        assert_eq!(crate::testing::finding("default-cache-too-small", &facts, &[]), None);
    }
}
