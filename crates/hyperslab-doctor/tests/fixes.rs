//! No fix that is offered first ruins another read: what a fix promises is diagnosed again, as a file of its own.

use hyperslab_doctor::{
    DatasetFacts, DatasetReport, FilterFact, Finding, Fix, FixKind, Options, Profile, Severity, diagnose,
};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::cache::parse_cache;
use hyperslab_testkit::scale;
use proptest::prelude::*;

fn facts(shape: &[u64], chunk: &[u64], is_filtered: bool) -> DatasetFacts {
    let raw = DatasetFacts::contiguous("/d", shape, "<f4", 4);
    let (filters, stored_bytes) = if is_filtered {
        (vec![FilterFact::gzip(4)], raw.logical_bytes / 2)
    } else {
        (Vec::new(), raw.logical_bytes)
    };
    raw.in_chunks(chunk, filters, stored_bytes)
}

fn text(shape: &[u64]) -> String {
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

/// Seconds of each read in each library, for the reads that the doctor chose for `facts`.
fn seconds(facts: &DatasetFacts, reads: &DatasetReport, profiles: Vec<Profile>) -> Vec<Vec<f64>> {
    let reads = reads.reads.iter().map(|read| text(&read.shape).parse().unwrap()).collect();
    let report = diagnose(facts, &Options { reads, profiles, ..Options::default() }).unwrap();
    let of_profiles = |read: &hyperslab_doctor::ReadReport| {
        read.profiles.iter().map(|profile| profile.predicted_seconds).collect()
    };
    report.reads.iter().map(of_profiles).collect()
}

/// The chunk shape in a line for h5repack.
fn chunk_of(fix: &Fix) -> Vec<u64> {
    let shape = fix.line.split("CHUNK=").nth(1).unwrap().split([' ', '\'']).next().unwrap();
    shape.split('x').map(|dim| dim.parse().unwrap()).collect()
}

/// The cache in a line for h5py.
fn cache_of(fix: &Fix) -> CacheSettings {
    let number = |key: &str| fix.line.split(key).nth(1).unwrap().split([',', ')']).next().unwrap();
    parse_cache(&format!("{},{}", number("rdcc_nbytes="), number("rdcc_nslots="))).unwrap()
}

/// The worst ratio of seconds after the fix to seconds before it, over all reads and the libraries that are affected.
fn worst_ratio(facts: &DatasetFacts, report: &DatasetReport, finding: &Finding, fix: &Fix) -> f64 {
    let libraries = Profile::defaults();
    let before = seconds(facts, report, libraries.clone());
    let (after, judged): (Vec<Vec<f64>>, Vec<usize>) = match fix.kind {
        FixKind::Cache => {
            let hit: Vec<&str> = finding.evidence["hit"]
                .as_array()
                .unwrap()
                .iter()
                .map(|hit| hit["profile"].as_str().unwrap())
                .collect();
            let judged =
                (0..libraries.len()).filter(|at| hit.contains(&libraries[*at].name.as_str())).collect();
            let with_cache = libraries
                .iter()
                .map(|library| Profile::custom(cache_of(fix)).with_version(library.version))
                .collect();
            (seconds(facts, report, with_cache), judged)
        }
        FixKind::Repack => {
            let is_filtered = !facts.filters.is_empty();
            let repacked = self::facts(&facts.shape, &chunk_of(fix), is_filtered);
            (seconds(&repacked, report, libraries.clone()), (0..libraries.len()).collect())
        }
        _ => return 1.0,
    };
    let pairs = before
        .iter()
        .zip(&after)
        .flat_map(|(before, after)| judged.iter().map(move |at| (before[*at], after[*at])));
    pairs
        .filter(|(before, after)| after - before > 0.002)
        .map(|(before, after)| after / before)
        .fold(1.0, f64::max)
}

#[test]
fn small_time_steps_get_chunks_that_serve_series_too() {
    // 8,000 fields of 20x20, one chunk each. Chunks of 8000x20x1 would make series fast, and time steps a thousand
    // times slower.
    let steps = facts(&[8000, 20, 20], &[1, 20, 20], true);
    let report = diagnose(&steps, &Options::default()).unwrap();
    let repacks = || {
        report.findings.iter().filter(|finding| finding.fixes.iter().any(|fix| fix.kind == FixKind::Repack))
    };
    assert!(repacks().count() > 0);
    for finding in repacks() {
        let first = finding.fixes.iter().find(|fix| fix.kind == FixKind::Repack).unwrap();
        assert!(!first.slows_others, "{}: {first:?}", finding.code);
        assert!(worst_ratio(&steps, &report, finding, first) <= 2.0, "{}: {}", finding.code, first.line);
        assert!(first.others.iter().any(|other| other.read == "plane along axis 0"), "{:?}", first.others);
        for fix in finding.fixes.iter().filter(|fix| fix.slows_others) {
            assert!(
                fix.others.iter().any(|other| other.after_seconds > 1.5 * other.before_seconds),
                "{fix:?}"
            );
        }
        // Asked again about the repacked file, it offers no other storage, unless with a warning.
        let repacked = facts(&steps.shape, &chunk_of(first), true);
        for again in diagnose(&repacked, &Options::default()).unwrap().findings {
            assert_eq!(again.severity, Severity::Low, "{} after {}", again.code, first.line);
            let unwarned = again.fixes.iter().find(|fix| fix.kind == FixKind::Repack && !fix.slows_others);
            assert_eq!(unwarned, None, "after {}", first.line);
        }
    }
}

#[test]
fn a_cache_that_ruins_partial_reads_of_raw_chunks_comes_last() {
    // Chunks of 4000x50 without filters. A cache that holds one helps the full read; a few rows then fetch whole
    // chunks.
    let raw = facts(&[4000, 5000], &[4000, 50], false);
    let reads: Vec<_> = ["100x5000", "4000x5000"].iter().map(|read| read.parse().unwrap()).collect();
    let report = diagnose(&raw, &Options { reads, ..Options::default() }).unwrap();
    for finding in &report.findings {
        let is_sorted = finding.fixes.windows(2).all(|pair| pair[0].slows_others <= pair[1].slows_others);
        assert!(is_sorted, "{:?}", finding.fixes);
        for fix in finding.fixes.iter().filter(|fix| !fix.slows_others && fix.target == "h5py") {
            let ratio = worst_ratio(&raw, &report, finding, fix);
            assert!(ratio <= 2.0, "{}: {} {ratio}", finding.code, fix.line);
        }
    }
}

fn any_storage() -> impl Strategy<Value = (Vec<u64>, Vec<u64>, bool)> {
    let dim = prop_oneof![3 => 1u64..50, 3 => 50u64..600, 1 => 600u64..4000];
    prop::collection::vec((dim, 1u32..9), 1..4).prop_flat_map(|dims| {
        let shape: Vec<u64> = dims.iter().map(|(dim, _)| *dim).collect();
        let chunk = dims.iter().map(|(dim, part)| dim.div_ceil(1 << (part - 1)).max(1)).collect::<Vec<u64>>();
        (Just(shape), Just(chunk), any::<bool>())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(scale().sample(1, 30) as u32))]
    /// Whatever the storage: the first fix of each kind makes no usual read more than twice as slow, unless all of its
    /// kind do and say so.
    #[test]
    fn no_fix_without_a_warning_ruins_a_read((shape, chunk, is_filtered) in any_storage()) {
        let bytes = shape.iter().product::<u64>() * 4;
        // A dataset of 16 MiB in chunks of an element takes minutes: that is for the full run.
        let bytes_max = (scale().of(2 << 20) as u64).min(16 << 20);
        prop_assume!(((256 << 10)..=bytes_max).contains(&bytes));
        let facts = facts(&shape, &chunk, is_filtered);
        let report = diagnose(&facts, &Options::default()).unwrap();
        for finding in &report.findings {
            prop_assert!(finding.fixes.windows(2).all(|pair| pair[0].slows_others <= pair[1].slows_others));
            for kind in [FixKind::Cache, FixKind::Repack] {
                let first = finding.fixes.iter().find(|fix| fix.kind == kind);
                if let Some(first) = first.filter(|fix| !fix.slows_others) {
                    let ratio = worst_ratio(&facts, &report, finding, first);
                    prop_assert!(ratio <= 2.0, "{}: {} makes a read {ratio} times as slow", finding.code, first.line);
                }
            }
        }
    }
}
