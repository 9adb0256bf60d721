//! # chunk-shape-against-read
//!
//! ## What it sees
//!
//! A single read touches many chunks and needs little of each: for example, each chunk holds one map and the read is a
//! time series, or the other way round. A usual read that nobody asked for is reported if the first takes long, or all of
//! them: in every library, or, with chunks that are loaded again and again, in one.
//!
//! ## Why it costs
//!
//! Even the first read, with the largest cache, must fetch and decode every chunk that it touches. A series of 1,460
//! values through 1,460 maps of 1 MB decodes 1.5 GB to return 6 KB. With chunks along the series the same read costs
//! hundreds of times less; the same holds for maps read from chunks made for series.
//!
//! ## What to do
//!
//! If this read is the important one, repack with chunks along it. If both kinds of read are important, choose chunks
//! between the two (some of time, some of space), or keep two copies. To extract many series from a file that must stay
//! as it is, read whole chunks once and collect all the series in memory.
//!
//! ## When it is fine
//!
//! If this read is rare. No chunk shape suits every read; choose one that suits the common read.

use super::cliff::Cliff;
use super::cost::Cost;
use super::crossed_chunks::CrossedChunks;
use super::model::{Finding, Severity};
use crate::case::{Case, ReadCase};
use crate::fix::{Fix, judged_cache_lines, read_lines, repack_for, smallest_cache};
use crate::numbers::rounded;
use crate::predict::seconds_text;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};
use serde_json::json;

/// Duration of the first read, in seconds, from which on it is reported: for a read that the user requested or that
/// follows the storage order, and for another default one.
const SECONDS_MIN_MATTERS: f64 = 0.05;
const SECONDS_MIN_DEFAULT: f64 = 0.5;
/// Or the duration of the whole sweep under the fastest of the libraries, in seconds, for a default read.
const SWEEP_SECONDS_MIN_DEFAULT: f64 = 60.0;

/// Or that under the slowest library, in seconds, if it is so many times what loading each chunk once takes.
const WASTED_SECONDS_MIN: f64 = SWEEP_SECONDS_MIN_DEFAULT;
const WASTED_RATIO_MIN: f64 = 10.0;
/// A cache that cures it is offered behind the repacks, up to this size.
const CACHE_BYTES_MAX: u64 = 256 << 20;

/// True if a read takes minutes under this profile that another cache or other chunks would save.
fn is_wasted_in(case: &Case<'_>, read: &ReadCase, profile: usize) -> bool {
    let row = &read.rows[profile];
    let least = WASTED_RATIO_MIN * case.reference.ideal(&row.counts).seconds;
    row.reference_seconds >= least.max(WASTED_SECONDS_MIN)
}

/// True if it takes twice that, for twice as little: then it is more than a remark.
fn is_grave_in(case: &Case<'_>, read: &ReadCase, profile: usize) -> bool {
    let row = &read.rows[profile];
    let least = 2.0 * WASTED_RATIO_MIN * case.reference.ideal(&row.counts).seconds;
    row.reference_seconds >= least.max(2.0 * WASTED_SECONDS_MIN)
}

/// Of the profiles under which it does, the one under which it takes longest.
fn slowest(case: &Case<'_>, read: &ReadCase) -> Option<usize> {
    let seconds = |profile: usize| read.rows[profile].reference_seconds;
    let wasted = (0..read.rows.len()).filter(|profile| is_wasted_in(case, read, *profile));
    // Of equal ones the first, which may be the user's own.
    wasted.rev().max_by(|a, b| seconds(*a).total_cmp(&seconds(*b)))
}

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let (target, read, crossed) = case
        .reads
        .iter()
        .enumerate()
        .filter_map(|(number, read)| Some((number, read, CrossedChunks::of(case, read)?)))
        .filter(|(_, read, crossed)| {
            let least = if read.matters { SECONDS_MIN_MATTERS } else { SECONDS_MIN_DEFAULT };
            let best = read.rows.iter().map(|row| row.reference_seconds).fold(f64::INFINITY, f64::min);
            let is_slow =
                crossed.reference_seconds >= least || !read.is_requested && best >= SWEEP_SECONDS_MIN_DEFAULT;
            let is_wasted = !read.is_requested && slowest(case, read).is_some();
            crossed.holds() && (is_slow || is_wasted)
        })
        .max_by(|(_, one, a), (_, other, b)| {
            // What takes minutes for nothing comes first, then what takes longest.
            let wasted = |read: &ReadCase| slowest(case, read).map(|at| read.rows[at].reference_seconds);
            (wasted(one).unwrap_or(0.0).total_cmp(&wasted(other).unwrap_or(0.0)))
                .then(a.reference_seconds.total_cmp(&b.reference_seconds))
        })?;
    let slowest = slowest(case, read);
    let severity = match crossed.reference_seconds {
        // It was not requested, and no program reads so by itself: it is worth a look if it takes minutes for nothing in the library that the user has, or, where
        // that is not known, in any.
        _ if !read.matters => match slowest {
            Some(at) if (at == 0 || !case.options.first_profile_is_own) && is_grave_in(case, read, at) => {
                Severity::Medium
            }
            Some(_) if case.options.first_profile_is_own && is_grave_in(case, read, 0) => Severity::Medium,
            _ => Severity::Low,
        },
        seconds if seconds >= 5.0 => Severity::High,
        seconds if seconds >= 0.5 => Severity::Medium,
        _ => Severity::Low,
    };
    let chunk = shape_text(case.geometry.chunk_dims()?);
    let best = read.rows.iter().map(|row| row.seconds).fold(f64::INFINITY, f64::min);
    let mut message = format!(
        "One read of {} touches {} of {chunk}: it decodes {} to return {}. The first read takes {} with any \
         cache; the fastest library takes {} for all {} reads.",
        read.text(),
        counted_text(crossed.chunks, "chunk"),
        bytes_text(crossed.touched_bytes),
        bytes_text(crossed.wanted_bytes),
        case.time_text(crossed.seconds),
        case.time_text(best),
        count_text(read.sweep.reads()),
    );
    if let Some(at) = slowest {
        let row = &read.rows[at];
        message.push_str(&format!(
            " {} takes {} for them, {} if each chunk were loaded once.",
            case.profiles[at].name,
            case.time_text(row.seconds),
            seconds_text(case.costs.ideal(&row.counts).seconds),
        ));
    }
    let evidence = json!({
        "read": shape_text(read.sweep.block()),
        "read_name": read.name,
        "chunks_per_read": crossed.chunks,
        "wanted_bytes": crossed.wanted_bytes,
        "touched_bytes": crossed.touched_bytes,
        "first_read_seconds": rounded(crossed.seconds),
        "best_sweep_seconds": rounded(best),
        "hit": (0..read.rows.len())
            .filter(|profile| is_wasted_in(case, read, *profile))
            .map(|profile| json!({
                "profile": case.profiles[profile].name,
                "cache": read.rows[profile].settings,
                "decodes": read.rows[profile].counts.decodes,
            }))
            .collect::<Vec<_>>(),
    });
    let profiles: Vec<usize> = (0..case.profiles.len()).collect();
    let mut fixes = repack_for(case, target, &profiles);
    fixes.extend(cache_for(case, target, slowest));
    fixes.extend(read_lines(case));
    let worst = slowest.map_or(best, |at| read.rows[at].reference_seconds);
    let cost = Cost::seconds(crossed.reference_seconds.max(worst));
    Some(Finding { code: "chunk-shape-against-read".to_owned(), severity, message, cost, evidence, fixes })
}

/// The lines of a cache of reasonable size in which every library loads each chunk once, where one takes long for nothing.
fn cache_for(case: &Case<'_>, target: usize, slowest: Option<usize>) -> Vec<Fix> {
    let Some(slowest) = slowest else { return Vec::new() };
    let read = &case.reads[target];
    let hit: Vec<usize> = (0..read.rows.len()).filter(|profile| is_wasted_in(case, read, *profile)).collect();
    let Some(fix) = smallest_cache(case, read, &case.versions(&hit)) else { return Vec::new() };
    if fix.settings.nbytes > CACHE_BYTES_MAX {
        return Vec::new();
    }
    let effect = format!(
        "a cache of {}: each chunk is {} once, {} loads instead of {}",
        bytes_text(fix.settings.nbytes),
        case.loaded_word(),
        count_text(read.rows[slowest].counts.chunks_touched),
        count_text(read.rows[slowest].counts.driver_reads),
    );
    judged_cache_lines(case, target, &hit, fix.settings, &effect)
}

#[cfg(test)]
mod tests {
    use crate::diagnose::diagnose;
    use crate::finding::Severity;
    use crate::options::Options;
    use crate::profile::Profile;
    use crate::testing::{chunked, finding};

    const CODE: &str = "chunk-shape-against-read";

    #[test]
    fn a_series_through_maps_is_found() {
        let maps = chunked(&[1460, 361, 720], &[1, 361, 720], 4);
        let found = finding(CODE, &maps, &[":x1x1"]).unwrap();
        assert!(found.severity >= Severity::Medium);
        assert_eq!(found.evidence["chunks_per_read"], 1460);
        assert!(found.fixes[0].line.contains("CHUNK=1460x1x144"), "{:?}", found.fixes[0]);
        let tried = finding(CODE, &maps, &[]).unwrap();
        assert_eq!(tried.severity, Severity::Medium, "nobody asked for it, but it takes hours for nothing");
        // 365 small maps: a series is quick, all of them are not.
        let year = finding(CODE, &chunked(&[365, 180, 360], &[1, 180, 360], 4), &[]).unwrap();
        assert!(year.message.contains("for all 64,800 reads"), "{}", year.message);
    }

    #[test]
    fn a_usual_read_that_one_library_reads_for_hours_is_found_though_another_reads_it_well() {
        // 60 maps of half a megabyte: netCDF-C 4.10 holds all of them, libhdf5 1.14 two.
        let maps = chunked(&[60, 361, 720], &[1, 361, 720], 2);
        let found = finding(CODE, &maps, &[]).unwrap();
        assert_eq!(found.severity, Severity::Medium);
        assert!(found.message.contains("if each chunk were loaded once"), "{}", found.message);
        let severity = |release: &str| {
            let own = Profile::installed("h5py", release).unwrap();
            let profiles = std::iter::once(own).chain(Profile::defaults()).collect();
            let options = Options { profiles, first_profile_is_own: true, ..Options::default() };
            let findings = diagnose(&maps, &options).unwrap().findings;
            findings.into_iter().find(|finding| finding.code == CODE).map(|finding| finding.severity)
        };
        assert_eq!(severity("1.14.6"), Some(Severity::Medium), "the user's own takes hours");
        let small = chunked(&[60, 36, 72], &[1, 36, 72], 2);
        assert_eq!(finding(CODE, &small, &[]), None, "every library holds them");
    }

    #[test]
    fn maps_from_maps_and_small_data_are_fine() {
        assert_eq!(finding(CODE, &chunked(&[1460, 361, 720], &[1, 361, 720], 4), &["1x:x:"]), None);
        assert_eq!(finding(CODE, &chunked(&[100, 10, 10], &[1, 10, 10], 4), &[":x1x1"]), None);
    }
}
