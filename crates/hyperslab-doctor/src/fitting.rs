//! The chunk cache that fits a dataset, for programs that set it themselves: `hyperslab run --only cache`.

use crate::case::Case;
use crate::facts::DatasetFacts;
use crate::fix::smallest_cache;
use crate::{Options, Profile};
use hyperslab_simulate::LibVersion;
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::RequestedRead;

/// The chunk visits that are simulated for each read: a program waits for it.
const VISITS_MAX: u64 = 200_000;

/// The smallest cache in which each chunk is decoded once by as many of the reads (the usual ones where there are none) as a cache
/// of at most `bytes_max` can serve. `None` where the cache in force is as good; never smaller than that one.
pub fn fitting_cache(
    facts: &DatasetFacts,
    reads: &[RequestedRead],
    in_force: CacheSettings,
    version: LibVersion,
    bytes_max: u64,
) -> Option<CacheSettings> {
    let options = Options {
        reads: reads.to_vec(),
        profiles: vec![Profile::custom(in_force).with_version(version)],
        visits_max: VISITS_MAX,
        ..Options::default()
    };
    let case = Case::new(facts, &options).ok()??;
    let mut fitting = in_force;
    for read in &case.reads {
        if case.counts(&read.sweep, in_force, version).is_ideal() {
            continue;
        }
        if let Some(found) = smallest_cache(&case, read, &[version])
            && found.settings.nbytes <= bytes_max
        {
            fitting.nbytes = fitting.nbytes.max(found.settings.nbytes);
            fitting.nslots = fitting.nslots.max(found.settings.nslots);
        }
    }
    (fitting != in_force).then_some(fitting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::case_study;

    const DEFAULT: CacheSettings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };

    fn fitting(reads: &[&str], in_force: CacheSettings, bytes_max: u64) -> Option<CacheSettings> {
        let reads: Vec<RequestedRead> = reads.iter().map(|read| read.parse().unwrap()).collect();
        fitting_cache(&case_study(), &reads, in_force, LibVersion::V1_10_5, bytes_max)
    }

    #[test]
    fn rows_of_the_case_study_get_a_chunk_and_all_usual_reads_every_chunk() {
        assert_eq!(fitting(&["1x1x1x717"], DEFAULT, 1 << 30).unwrap().nbytes, 3 << 20);
        assert_eq!(fitting(&[], DEFAULT, 1 << 30).unwrap().nbytes, 45 << 20);
        assert_eq!(fitting(&[], DEFAULT, 40 << 20).unwrap().nbytes, 3 << 20, "what can be served in 40 MiB");
    }

    #[test]
    fn a_cache_is_never_made_smaller() {
        let large = CacheSettings { nbytes: 1 << 30, nslots: 100_003, w0: 0.5 };
        assert_eq!(fitting(&[], large, 1 << 30), None);
        assert_eq!(fitting(&["1x1x1x717"], DEFAULT, 1 << 20), None);
    }
}
