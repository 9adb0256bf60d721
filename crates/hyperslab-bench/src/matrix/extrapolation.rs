//! The time of all reads of an access from the times of some.
//!
//! A read that decodes takes a thousand times as long as one that finds its chunk decoded, and the share of each kind
//! among the reads that were made is not that among all. So the chunk cache is simulated for the reads that were made and
//! for all of them: both kinds are scaled by what the cost model predicts for them.
//!
//! ```text
//!   seconds of all = Σ over both kinds: predicted seconds of all of that kind × measured / predicted of those made
//! ```

use super::simulated::Simulated;
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::predict::CostModel;
use hyperslab_doctor::simulate::{ChunkCacheSim, Geometry, LibVersion};
use hyperslab_engines::Block;
use hyperslab_measure::access::{Access, Part};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::cost::Terms;

/// Chunk visits that are simulated of all reads; of more, parts are, each of them behind as many that only warm the cache.
const VISITS_MAX: u64 = 2_000_000;

/// From this number of reads of a kind on, the extremes are left out.
const MANY: usize = 8;

/// The reads of an access, as the simulator sees them.
pub(super) struct Extrapolation<'a> {
    pub(super) facts: &'a DatasetFacts,
    pub(super) access: &'a Access,
    /// Those that were made.
    pub(super) part: Part,
    pub(super) cache: CacheSettings,
    pub(super) version: LibVersion,
}

/// Predicted or measured seconds of the two kinds of reads.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Seconds {
    /// Of those that load chunks.
    loading: f64,
    /// Of those that find all of them loaded.
    finding: f64,
}

impl Seconds {
    fn add(&mut self, loads: bool, seconds: f64) {
        *(if loads { &mut self.loading } else { &mut self.finding }) += seconds;
    }
}

impl Extrapolation<'_> {
    /// Seconds of all reads, where the first ones, in the order in which they were made, took `measured`. `None` where the
    /// reads cannot be simulated.
    pub(super) fn seconds(&self, measured: &[f64]) -> Option<f64> {
        let geometry = Geometry::of(self.facts).ok()??;
        geometry.chunk_dims()?;
        let model = CostModel::new(self.facts, &geometry, Terms::BUILT_IN, 1);
        let shape = geometry.shape();
        let predicted = |cache: &mut ChunkCacheSim<'_>, block: Block| {
            let Simulated { touched, counts } = Simulated::reads(&geometry, cache, std::iter::once(block));
            (counts.driver_reads > 0, model.seconds_of_reads(&touched, &counts))
        };
        let mut cache = ChunkCacheSim::new(&geometry, self.cache, self.version);
        let made = self.access.part(shape, self.part);
        let made: Vec<(bool, f64)> = made.map(|block| predicted(&mut cache, block)).collect();
        if made.len() != measured.len() {
            return None;
        }
        let in_all = self.access.len(shape);
        let followed = (VISITS_MAX / visits_of(&geometry, &self.access.block).max(1)).max(2).min(in_all);
        let mut cache = ChunkCacheSim::new(&geometry, self.cache, self.version);
        let (mut all, mut counted) = (Seconds::default(), 0u64);
        for (block, warms) in self.access.sample(shape, followed) {
            let (loads, seconds) = predicted(&mut cache, block);
            if !warms {
                all.add(loads, seconds);
                counted += 1;
            }
        }
        let scale = in_all as f64 / counted.max(1) as f64;
        Some(scaled(measured, &made, Seconds { loading: all.loading * scale, finding: all.finding * scale }))
    }
}

/// Chunks that a block touches, at most.
fn visits_of(geometry: &Geometry, block: &[u64]) -> u64 {
    let chunk = geometry.chunk_dims().unwrap_or(block);
    let dims = block.iter().zip(chunk);
    dims.fold(1u64, |n, (block, chunk)| n.saturating_mul(block.div_ceil((*chunk).max(1))))
}

/// The first read is left out where there are others of its kind: it also pays for what is done once. Of many reads, the
/// slowest and the fastest quarter, by their predictions, are left out: a read that was disturbed does not stand for others.
fn scaled(measured: &[f64], made: &[(bool, f64)], all: Seconds) -> f64 {
    let ratio = |loading: bool| {
        let mut of_kind: Vec<(f64, f64)> = (measured.iter().zip(made))
            .filter(|(_, (loads, predicted))| *loads == loading && *predicted > 0.0)
            .map(|(seconds, (_, predicted))| (*seconds, *predicted))
            .collect();
        if of_kind.len() > 1 && made.first().is_some_and(|(loads, _)| *loads == loading) {
            of_kind.remove(0);
        }
        let quarter = if of_kind.len() >= MANY { of_kind.len() / 4 } else { 0 };
        of_kind.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
        let kept = &of_kind[quarter..of_kind.len() - quarter];
        let (seconds, predicted) = kept.iter().fold((0.0, 0.0), |sum, read| (sum.0 + read.0, sum.1 + read.1));
        (predicted > 0.0).then(|| seconds / predicted)
    };
    // A kind that was not met goes by the other.
    let (loading, finding) = (ratio(true), ratio(false));
    let of = |own: Option<f64>, other: Option<f64>| own.or(other).unwrap_or(1.0);
    all.loading * of(loading, finding) + all.finding * of(finding, loading)
}

/// Seconds of all blocks from those of some, where nothing is known of them: after the first, each takes as long as those
/// after it took on average.
pub(super) fn by_average(first: f64, read: f64, blocks: u64, in_all: u64) -> f64 {
    match blocks {
        0 | 1 => read * in_all as f64,
        _ => first + (read - first).max(0.0) / (blocks - 1) as f64 * (in_all - 1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_doctor::FilterFact;

    #[test]
    fn all_reads_are_extrapolated_from_those_after_the_first() {
        // The first of 50 reads decodes a chunk in 10 ms; the others take 20 µs, and so do all that follow.
        let some = 0.010 + 49.0 * 20e-6;
        assert!((by_average(0.010, some, 50, 16_200) - (0.010 + 16_199.0 * 20e-6)).abs() < 1e-9);
        // Where each read decodes, each takes as long as the first.
        assert!((by_average(0.010, 0.5, 50, 16_200) - 162.0).abs() < 1e-9);
        assert_eq!(by_average(0.5, 0.5, 1, 10), 5.0);
    }

    #[test]
    fn decodes_are_counted_for_the_reads_that_were_made_and_for_all() {
        // Rows of chunks of 4 x 30 x 9 x 717: one in 1,080 decodes, if a cache holds a chunk.
        let facts = DatasetFacts::contiguous("/d", &[60, 30, 9, 717], ">f4", 4).in_chunks(
            &[4, 30, 9, 717],
            vec![FilterFact::gzip(6)],
            43_162_046,
        );
        let access = Access::sweep(vec![1, 1, 1, 717]);
        let seconds = |nbytes: u64| {
            let cache = CacheSettings { nbytes, nslots: 521, w0: 0.75 };
            let version = LibVersion::V1_14;
            let part = Part::Spread(50);
            let made = Extrapolation { facts: &facts, access: &access, part, cache, version };
            let geometry = Geometry::of(&facts).unwrap().unwrap();
            let mut sim = ChunkCacheSim::new(&geometry, cache, version);
            // A decode takes 20 ms, finding a chunk 20 µs.
            let measured: Vec<f64> = access
                .part(&facts.shape, part)
                .map(|block| {
                    let counts = Simulated::reads(&geometry, &mut sim, std::iter::once(block)).counts;
                    20e-6 + 0.020 * counts.decodes as f64
                })
                .collect();
            assert_eq!(measured.len(), 50);
            made.seconds(&measured).unwrap()
        };
        let (fits, does_not) = (seconds(4 << 20), seconds(1 << 20));
        let expected = 15.0 * 0.020 + 16_200.0 * 20e-6;
        assert!((0.9..1.1).contains(&(fits / expected)), "{fits} s, {expected} s");
        assert!((0.9..1.1).contains(&(does_not / (16_200.0 * 0.02002))), "{does_not} s");
    }
}
