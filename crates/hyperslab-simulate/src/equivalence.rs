//! Which caches and libraries give the same counts for a dataset.

use super::version::HashRule;
use super::{Geometry, LibVersion};
use hyperslab_storage::CacheSettings;

/// The properties of a cache and a library that affect one dataset's counts. Two that are equal in this give the same
/// counts and are simulated once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SweepKey {
    nbytes: u64,
    nslots: u64,
    w0: u64,
    hash: Option<HashRule>,
    sieves_chunks: bool,
    caches_missing: bool,
}

impl SweepKey {
    /// What of cache and library the counts of a sweep over this geometry depend on.
    pub fn new(geometry: &Geometry, settings: CacheSettings, version: LibVersion) -> Self {
        let nothing =
            Self { nbytes: 0, nslots: 0, w0: 0, hash: None, sieves_chunks: false, caches_missing: false };
        let Some(grid) = geometry.grid() else { return nothing };
        if settings.nslots > 0 && grid.chunk_bytes <= settings.nbytes {
            let caches_missing = !grid.chunks.is_complete() && version.caches_missing_chunks();
            let hash = Some(version.hash_rule());
            let CacheSettings { nbytes, nslots, w0 } = settings;
            Self { nbytes, nslots, w0: w0.to_bits(), hash, caches_missing, ..nothing }
        } else {
            // No chunk fits, so only the way in which chunks bypass the cache differs.
            let some_unfiltered = !grid.is_filtered || grid.edge_chunks_unfiltered;
            Self { sieves_chunks: some_unfiltered && version.sieves_chunks(), ..nothing }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{case_study, unfiltered};

    const ONE_MIB: CacheSettings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };

    #[test]
    fn what_makes_no_difference_is_simulated_once() {
        let geometry = Geometry::of(&case_study()).unwrap().unwrap();
        let key = |settings, version| SweepKey::new(&geometry, settings, version);
        assert_eq!(
            key(ONE_MIB, LibVersion::V1_8),
            key(ONE_MIB, LibVersion::V2_2),
            "no chunk fits, whatever the hash"
        );
        let large = CacheSettings { nbytes: 8 << 20, ..ONE_MIB };
        assert_ne!(key(large, LibVersion::V1_8), key(large, LibVersion::V1_14), "another hash");
        assert_eq!(key(large, LibVersion::V1_14), key(large, LibVersion::V2_2), "no chunk is missing");
    }

    #[test]
    fn raw_chunks_that_do_not_fit_know_the_sieve_of_2_1() {
        let geometry = Geometry::of(&unfiltered(case_study())).unwrap().unwrap();
        let key = |version| SweepKey::new(&geometry, ONE_MIB, version);
        assert_eq!(key(LibVersion::V1_8), key(LibVersion::V2_0));
        assert_ne!(key(LibVersion::V2_0), key(LibVersion::V2_1));
    }
}
