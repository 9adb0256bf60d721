//! What is measured of a dataset where nothing is asked for: the reads that the doctor simulates, behind each library's
//! own cache and behind one of 1 MiB, which was the default for twenty years and still is in most programs.

use super::subject::Stored;
use hyperslab_bench::plan::Swept;
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::simulate::LibVersion;
use hyperslab_measure::access::{Access, Part};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::cost::Terms;
use hyperslab_storage::pattern::default_reads;

/// The default cache of libhdf5 up to 1.14 (Table 1 of the paper of 2015).
pub(super) const OLD_DEFAULT: CacheSettings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };

/// An access that is predicted to take longer behind the old default cache is measured in part,
const SECONDS_MAX: f64 = 0.5;
/// but by at least this number of reads.
const READS_MIN: u64 = 24;

/// The usual reads.
pub(super) fn accesses(stored: &Stored) -> Vec<Access> {
    let chunk = stored.as_is.as_ref().and_then(|(chunk, _)| chunk.as_deref());
    default_reads(stored.subject.shape(), chunk).into_iter().map(|read| Access::sweep(read.block)).collect()
}

/// How many reads are made of those that would take long.
pub(super) fn limits(accesses: &[Access], facts: &DatasetFacts) -> Vec<(Access, u64)> {
    let limited = accesses.iter().filter_map(|access| {
        let swept = Swept::of(facts, access, Part::All, OLD_DEFAULT, LibVersion::NEWEST, Terms::BUILT_IN)?;
        let reads = access.len(&facts.shape);
        let most = (reads as f64 * SECONDS_MAX / swept.seconds.max(1e-9)) as u64;
        let most = most.max(READS_MIN);
        (most < reads).then(|| (access.clone(), most))
    });
    limited.collect()
}
