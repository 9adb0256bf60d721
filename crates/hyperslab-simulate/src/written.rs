//! All writes of a pattern into a dataset that is new: how often its chunks are encoded, and decoded before.

use super::{ChunkCacheSim, Geometry, LibVersion, Touched, WriteCounts};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::Sweep;

/// The cost of writing a dataset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WrittenCounts {
    /// H5Dwrite calls.
    pub writes: u64,
    /// Chunks that are written at all.
    pub chunks: u64,
    /// Chunks encoded, and decoded before they were changed.
    pub counts: WriteCounts,
    /// What the writes touch, whatever the cache does.
    pub touched: Touched,
    /// False if part of the counts is extrapolated.
    pub is_exact: bool,
}

impl WrittenCounts {
    /// Encodes per chunk: 1 is ideal.
    pub fn amplification(&self) -> f64 {
        self.counts.encodes as f64 / self.chunks.max(1) as f64
    }

    /// True if each chunk is encoded once, as far as the writes were followed.
    pub fn is_ideal(&self) -> bool {
        self.counts.encodes <= self.chunks && self.counts.decodes == 0
    }
}

/// Simulates creating the dataset and writing every block of the pattern into it. The chunks of the geometry do not count: none
/// is stored before. After `visits_max` visits of chunks, the rest is extrapolated from the second half of the writes until
/// then. `None` for data without filters, of which nothing is encoded.
pub fn simulate_writes(
    geometry: &Geometry,
    settings: CacheSettings,
    version: LibVersion,
    sweep: &Sweep,
    visits_max: u64,
) -> Option<WrittenCounts> {
    if !geometry.is_filtered() {
        return None;
    }
    let geometry = geometry.emptied();
    let mut sim = ChunkCacheSim::new(&geometry, settings, version);
    sim.record_visits();
    let (mut counts, mut touched, mut writes) = (WriteCounts::default(), Touched::default(), 0);
    let mut half: Option<(u64, WriteCounts)> = None;
    let all = sweep.reads();
    for (start, covered) in sweep.blocks() {
        if touched.visits >= visits_max {
            break;
        }
        touched.add(Touched::by_read(&geometry, &start, &covered));
        let count: Vec<u64> =
            covered.iter().zip(sweep.step()).map(|(len, step)| len.div_ceil(*step)).collect();
        counts.add(sim.write(&start, &count, sweep.step()));
        writes += 1;
        if half.is_none() && touched.visits >= visits_max / 2 {
            half = Some((writes, counts));
        }
    }
    let is_exact = writes == all;
    let chunks = sim.visited().count() as u64;
    // What the cache holds in the end.
    let last = sim.close();
    if is_exact {
        counts.add(last);
        return Some(WrittenCounts { writes, chunks, counts, touched, is_exact });
    }
    let (half_writes, half_counts) = half.filter(|(at, _)| *at < writes).unwrap_or_default();
    let factor = (all - writes) as f64 / (writes - half_writes).max(1) as f64;
    let further = |now: u64, then: u64| now + ((now - then) as f64 * factor) as u64;
    let mut counts = WriteCounts {
        encodes: further(counts.encodes, half_counts.encodes),
        decodes: further(counts.decodes, half_counts.decodes),
    };
    counts.add(last);
    let times = all as f64 / writes.max(1) as f64;
    let grid = geometry.chunks().map_or(0, |chunks| chunks.grid_chunks());
    let chunks = if sweep.is_plain() { grid } else { ((chunks as f64 * times) as u64).min(grid) };
    Some(WrittenCounts { writes: all, chunks, counts, touched: touched.times(times), is_exact })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{DatasetFacts, FilterFact};
    use crate::testing::chunked;
    use hyperslab_storage::pattern::RandomPlaces;

    const SMALL: CacheSettings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };

    fn geometry(shape: &[u64], chunk: &[u64]) -> Geometry {
        let facts = DatasetFacts { filters: vec![FilterFact::gzip(4)], ..chunked(shape, chunk, 4) };
        Geometry::of(&facts).unwrap().unwrap()
    }

    fn written(
        geometry: &Geometry,
        settings: CacheSettings,
        block: &[u64],
        visits_max: u64,
    ) -> WrittenCounts {
        let sweep = Sweep::row_major(geometry.shape(), block);
        simulate_writes(geometry, settings, LibVersion::V1_14, &sweep, visits_max).unwrap()
    }

    #[test]
    fn maps_into_chunks_of_many_steps_are_encoded_at_each_step() {
        // 4 chunks of 100 steps, each of 800 KB: the cache holds one, a map touches two.
        let geometry = geometry(&[200, 40, 100], &[100, 40, 50]);
        let maps = written(&geometry, SMALL, &[1, 40, 100], 1_000_000);
        assert_eq!((maps.writes, maps.chunks, maps.counts.encodes), (200, 4, 400));
        assert_eq!(maps.counts.decodes, 400 - 4, "all but the first encode of each chunk");
        let large = CacheSettings { nbytes: 2 << 20, ..SMALL };
        let held = written(&geometry, large, &[1, 40, 100], 1_000_000);
        assert!(held.is_ideal() && held.amplification() == 1.0, "{held:?}");
        assert!(written(&geometry, SMALL, &[100, 40, 50], 1_000_000).is_ideal(), "whole chunks");
    }

    #[test]
    fn what_is_too_much_to_follow_is_extrapolated() {
        let geometry = geometry(&[200, 40, 100], &[100, 40, 50]);
        let part = written(&geometry, SMALL, &[1, 40, 100], 100);
        assert!(!part.is_exact && part.writes == 200 && part.chunks == 4, "{part:?}");
        assert!((380..=404).contains(&part.counts.encodes), "{part:?}");
    }

    #[test]
    fn random_places_and_plain_data() {
        let geometry = geometry(&[1000, 100], &[100, 100]);
        let sweep = Sweep::row_major(&[1000, 100], &[1, 100]).at_random(RandomPlaces { count: 30, seed: 1 });
        let counts = simulate_writes(&geometry, SMALL, LibVersion::V2_2, &sweep, 1_000).unwrap();
        assert_eq!((counts.writes, counts.counts.decodes), (30, 0), "the cache holds all");
        let written: std::collections::HashSet<u64> =
            sweep.blocks().map(|(start, _)| start[0] / 100).collect();
        assert_eq!((counts.chunks, counts.counts.encodes), (written.len() as u64, counts.chunks));
        let plain = DatasetFacts { filters: Vec::new(), ..chunked(&[10], &[5], 4) };
        let plain = Geometry::of(&plain).unwrap().unwrap();
        let sweep = Sweep::row_major(&[10], &[1]);
        assert_eq!(simulate_writes(&plain, SMALL, LibVersion::V2_2, &sweep, 1_000), None);
    }
}
