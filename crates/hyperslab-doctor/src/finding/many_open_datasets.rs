//! # many-open-datasets
//!
//! ## What it sees
//!
//! Many chunked datasets, whose chunk caches together take much memory if a program keeps them open.
//!
//! ## Why it costs
//!
//! In libhdf5 and netCDF-C each open dataset has a chunk cache of its own, and keeps the decoded chunks in it until it is
//! closed. A cache that is set for a file (`rdcc_nbytes` of h5py, `nc_set_chunk_cache` of netCDF-C) is given to each of its
//! datasets. A hundred variables that were read once hold a hundred caches: with netCDF-C 4.10 up to 64 MiB each.
//!
//! ## What to do
//!
//! Close datasets that are not needed, or give each a cache of one chunk, unless it needs more for its reads. In h5py that is
//! done dataset by dataset through its low-level interface, because `h5py.File(..., rdcc_nbytes=)` is for all of them.
//! hyperslab has one cache for the process, which does not grow with the number of datasets.
//!
//! ## When it is fine
//!
//! If the program opens one dataset at a time, or the machine has the memory.

use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::facts::FileFacts;
use crate::fix::{Fix, FixKind};
use crate::options::Options;
use crate::profile::Profile;
use hyperslab_storage::lines::python_string;
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Fewer datasets are not many.
const DATASETS_MIN: usize = 16;
/// Bytes of all caches in one library from which on it is reported, and from which on the severity is medium if it is the
/// user's own.
const BYTES_MIN: u64 = 256 << 20;
const BYTES_MEDIUM: u64 = 1 << 30;
/// The names of netCDF-C's profiles begin with this.
const NETCDF: &str = "netCDF";
/// A dataset is given a cache of at least this size.
const CACHE_BYTES_MIN: u64 = 1 << 20;

pub(super) fn check(facts: &FileFacts, options: &Options) -> Option<Finding> {
    let chunked = &facts.chunked;
    if chunked.len() < DATASETS_MIN {
        return None;
    }
    let profiles = options.profiles_or_defaults();
    let held: Vec<(&str, u64)> =
        profiles.iter().map(|profile| (&*profile.name, held_by(profile, chunked))).collect();
    let (_, most) = *held.iter().max_by_key(|(_, bytes)| *bytes)?;
    if most < BYTES_MIN {
        return None;
    }
    let is_own_heavy = options.first_profile_is_own && held[0].1 >= BYTES_MEDIUM;
    let severity = if is_own_heavy { Severity::Medium } else { Severity::Low };
    let mut told: Vec<String> = Vec::new();
    for (name, bytes) in held.iter().filter(|(_, bytes)| *bytes > 0) {
        let text = format!("{} in {name}", bytes_text(*bytes));
        if !told.contains(&text) {
            told.push(text);
        }
    }
    let largest = chunked.iter().map(|(chunk, _)| *chunk).max().unwrap_or(0);
    let nbytes = largest.max(CACHE_BYTES_MIN);
    let bounded = chunked.iter().map(|(chunk, all)| (nbytes / chunk * chunk).min(*all)).sum::<u64>();
    let message = format!(
        "A program that keeps all {} chunked datasets open holds up to {} of decoded chunks: each has a chunk cache of its \
         own. hyperslab has one cache for all, of {}.",
        count_text(chunked.len() as u64),
        told.join(", "),
        bytes_text(options.engine_cache_bytes),
    );
    let evidence = json!({
        "datasets": chunked.len(),
        "largest_chunk_bytes": largest,
        "held": held.iter().map(|(name, bytes)| json!({"profile": name, "bytes": bytes})).collect::<Vec<_>>(),
        "bounded_bytes": bounded,
    });
    let effect = format!(
        "a cache of {} for a dataset: all together hold at most {}",
        bytes_text(nbytes),
        bytes_text(bounded)
    );
    let fix = |target: &str, line: String| Fix::new(FixKind::Cache, target, line, effect.clone());
    // A cache for the largest chunk holds more than one that is too small for it, which holds nothing.
    let helps = |is_netcdf: bool| {
        held.iter().any(|(name, bytes)| name.starts_with(NETCDF) == is_netcdf && *bytes > bounded)
    };
    let mut fixes = Vec::new();
    if helps(false) {
        let line = format!(
            "dapl = h5py.h5p.create(h5py.h5p.DATASET_ACCESS); dapl.set_chunk_cache(521, {nbytes}, 0.75); \
             dset = h5py.Dataset(h5py.h5d.open(h5py.File({}).id, name.encode(), dapl))",
            python_string(&options.file)
        );
        fixes.push(fix("h5py", line));
    }
    if helps(true) {
        let line = format!(
            "for v in nc.variables.values(): v.set_var_chunk_cache(size={nbytes}, nelems=521, preemption=0.75)"
        );
        fixes.push(fix("netCDF4", line));
    }
    if helps(false) {
        let line = format!("H5Pset_chunk_cache(dapl, 521, {nbytes}, 0.75); /* dapl for each H5Dopen2 */");
        fixes.push(fix("C", line));
    }
    if fixes.is_empty() {
        let effect = format!("a dataset that is closed holds nothing: {} at a time", bytes_text(largest));
        let line =
            "nc.close()  # after a few variables, and open it again; with libhdf5, H5Dclose each dataset";
        fixes.push(Fix::new(FixKind::Read, "netCDF4", line.to_owned(), effect));
    }
    let cost = Cost::bytes(most);
    Some(Finding { code: "many-open-datasets".to_owned(), severity, message, cost, evidence, fixes })
}

/// Bytes of decoded chunks in the caches of all datasets, after each was read: a chunk that is larger than its cache is not
/// kept.
fn held_by(profile: &Profile, chunked: &[(u64, u64)]) -> u64 {
    let held = |&(chunk, all): &(u64, u64)| {
        let nbytes = profile.cache(Some(chunk)).nbytes;
        (nbytes / chunk.max(1)).saturating_mul(chunk).min(all)
    };
    chunked.iter().map(held).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_datasets_hold_a_hundred_caches() {
        let facts =
            |count, chunk: u64, all| FileFacts { chunked: vec![(chunk, all); count], ..FileFacts::default() };
        let found = check(&facts(100, 1 << 20, 64 << 20), &Options::default()).unwrap();
        assert!(found.message.contains("100 MiB in libhdf5 1.8"), "{}", found.message);
        assert!(found.message.contains("800 MiB in libhdf5 2.x"), "{}", found.message);
        assert!(found.message.contains("6.25 GiB in netCDF-C 4.10"), "{}", found.message);
        assert!(found.fixes[0].line.contains("h5py.h5d.open"), "{:?}", found.fixes);
        assert_eq!(found.severity, Severity::Low);
        // Chunks that no cache of libhdf5 holds: one that does would hold them all.
        let large = check(&facts(100, 16 << 20, 16 << 20), &Options::default()).unwrap();
        assert!(!large.message.contains(" 0 B"), "{}", large.message);
        let lines: Vec<&str> = large.fixes.iter().map(|fix| fix.line.as_str()).collect();
        assert!(lines.len() == 1 && lines[0].contains("close"), "{lines:?}");
        // A chunk that no cache holds is not kept; few datasets, and small ones, take little.
        assert_eq!(check(&facts(100, 100 << 20, 200 << 20), &Options::default()), None);
        assert_eq!(check(&facts(10, 1 << 20, 64 << 20), &Options::default()), None);
        assert_eq!(check(&facts(100, 1 << 10, 64 << 10), &Options::default()), None);
    }

    #[test]
    fn what_the_users_own_library_holds_weighs_more() {
        let facts = FileFacts { chunked: vec![(1 << 20, 64 << 20); 200], ..FileFacts::default() };
        let profiles = vec![Profile::installed("h5py", "2.0.0").unwrap()];
        let options = Options { profiles, first_profile_is_own: true, ..Options::default() };
        assert_eq!(check(&facts, &options).unwrap().severity, Severity::Medium);
    }
}
