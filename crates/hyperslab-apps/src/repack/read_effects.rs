//! What a repack does to reads, by the doctor's counts: chunks that libhdf5 decodes, and requests that it makes.

use crate::facts::layout_facts;
use hyperslab::File;
use hyperslab_doctor::{DatasetReport, Options, Profile, report_reads};
use hyperslab_repack::{RepackPlan, Repacked};
use serde::Serialize;
use std::cmp::Reverse;

/// A read of a dataset, before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReadEffect {
    /// The object.
    pub path: String,
    /// As the doctor names it: `row by row`.
    pub read: String,
    /// The block that is read at a time.
    pub shape: Vec<u64>,
    /// The library that was simulated, with its default cache.
    pub library: String,
    /// In the file as it was.
    pub before: Counts,
    /// In the new file.
    pub after: Counts,
}

/// What all reads together take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Counts {
    /// Chunks put through the filters.
    pub decodes: u64,
    /// Their bytes.
    pub decoded_bytes: u64,
    /// Reads of raw data from the file.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What the doctor predicts for them, by its constants.
    pub predicted_seconds: f64,
}

/// The library whose default cache of 1 MiB most programs have.
const LIBRARY: &str = "libhdf5 1.14";
/// The largest changed datasets, and the least bytes, of which reads are simulated.
const DATASETS_MAX: usize = 4;
const BYTES_MIN: u64 = 1 << 20;
/// Chunk visits of one simulation, so that it takes little time beside the repack.
const VISITS_MAX: u64 = 50_000;

/// The datasets that a plan changes and whose reads are worth a simulation: the largest.
pub(super) fn candidates(plan: &RepackPlan) -> Vec<String> {
    let mut datasets: Vec<_> =
        plan.datasets.iter().filter(|dataset| dataset.logical_bytes >= BYTES_MIN).collect();
    datasets.sort_by_key(|dataset| Reverse(dataset.logical_bytes));
    datasets.iter().take(DATASETS_MAX).map(|dataset| dataset.path.to_string()).collect()
}

/// Simulates the usual reads of these datasets in both files. What cannot be simulated is left out.
pub(super) fn read_effects(paths: &[String], repacked: &Repacked, target: &File) -> Vec<ReadEffect> {
    let effects = paths.iter().filter_map(|path| {
        let (before, after) = repacked.pair(path, target).ok()?;
        let facts = [layout_facts(&before).ok()?, layout_facts(&after).ok()?];
        let profiles: Vec<_> =
            Profile::defaults().into_iter().filter(|profile| profile.name == LIBRARY).collect();
        let options = Options { profiles, visits_max: VISITS_MAX, ..Options::default() };
        let (before, after) =
            rayon::join(|| report_reads(&facts[0], &options), || report_reads(&facts[1], &options));
        Some(compared(path, &before.ok()?, &after.ok()?))
    });
    effects.flatten().collect()
}

impl ReadEffect {
    /// `faster` or `slower`, if the read takes less than half or more than twice as long, and counts say why.
    pub fn word(&self) -> Option<&'static str> {
        const FACTOR: f64 = 2.0;
        let (before, after) = (self.before.predicted_seconds, self.after.predicted_seconds);
        let counts = |counts: &Counts| [counts.decodes, counts.decoded_bytes, counts.requests, counts.bytes];
        let (old, new) = (counts(&self.before), counts(&self.after));
        let is_any = |is: fn(&u64, &u64) -> bool| new.iter().zip(&old).any(|(new, old)| is(new, old));
        match () {
            () if after * FACTOR < before && is_any(|new, old| new < old) => Some("faster"),
            () if before * FACTOR < after && is_any(|new, old| new > old) => Some("slower"),
            () => None,
        }
    }
}

/// The reads that both reports have.
fn compared(path: &str, before: &DatasetReport, after: &DatasetReport) -> Vec<ReadEffect> {
    let reads = before.reads.iter().filter_map(|read| {
        let same = after.reads.iter().find(|other| other.shape == read.shape && other.order == read.order)?;
        let (old, new) = (read.profiles.first()?, same.profiles.first()?);
        let chunk_bytes = [before, after].map(|report| report.chunk_bytes.unwrap_or(0));
        let [before, after] = [(old, chunk_bytes[0]), (new, chunk_bytes[1])].map(|(profile, chunk)| Counts {
            decodes: profile.decodes,
            decoded_bytes: profile.decodes.saturating_mul(chunk),
            requests: profile.driver_reads,
            bytes: profile.driver_bytes,
            predicted_seconds: profile.predicted_seconds,
        });
        Some(ReadEffect {
            path: path.to_owned(),
            read: read.name.clone(),
            shape: read.shape.clone(),
            library: old.name.clone(),
            before,
            after,
        })
    });
    reads.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_is_faster_if_it_takes_less_than_half_as_long() {
        let counts = |predicted_seconds: f64| Counts {
            decodes: predicted_seconds as u64,
            decoded_bytes: 1,
            requests: 1,
            bytes: 1,
            predicted_seconds,
        };
        let effect = |before: f64, after: f64| ReadEffect {
            path: "/a".into(),
            read: "row by row".into(),
            shape: vec![1, 2],
            library: LIBRARY.into(),
            before: counts(before),
            after: counts(after),
        };
        assert_eq!((effect(3.0, 1.0).word(), effect(1.0, 3.0).word()), (Some("faster"), Some("slower")));
        assert_eq!((effect(1.5, 1.0).word(), effect(0.0, 0.0).word()), (None, None));
        // Other filters are predicted to take other times, but nothing that is counted differs.
        let mut equal = effect(1.0, 3.0);
        equal.after.decodes = 1;
        assert_eq!(equal.word(), None);
        assert!(Profile::defaults().iter().any(|profile| profile.name == LIBRARY));
    }
}
