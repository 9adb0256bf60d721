//! All reads of a pattern, counted exactly without simulating each of them.
//!
//! Neighbouring blocks of a sweep often touch the same chunks and the same number of bytes in each: 1,080 rows of one
//! chunk, 64 columns of one column of chunks. Such blocks form a *group*; for the cache they are one read, repeated. A
//! repeated read soon leaves the cache as it found it, or cycles through the same few states; the
//! [fingerprint](super::entries) of the cache shows it. Only the counters of bytes read still change, and they matter
//! only when one reaches its end; until the first does, whole periods are counted by multiplication. This happens at
//! every level of the sweep, so a group of rows of groups of blocks is also counted once:
//!
//! ```text
//!   order[0]   │ group of 4 steps            │ group of 4 steps │ …     each: repeat until periodic, multiply
//!   order[1]   │   group of 30 steps         │
//!   order[2]   │     group of 9 steps        │
//!              │       one H5Dread           │
//! ```
//!
//! Where that does not help (contiguous data, chunks read through a sieve buffer, many different groups) the number of
//! chunk visits is limited. The rest is then extrapolated from the second half of the simulated part, in which the
//! cache was already full, and the result is marked as not exact. A single read of more than [`READ_COST_MAX`] chunks
//! is not simulated at all: its counts are those of a cache without hits.

use super::cache::ChunkLoads;
use super::entries::{Entries, Entry};
use super::estimate::without_hits;
use super::geometry::Span;
use super::{CacheSettings, CacheWork, ChunkCacheSim, Geometry, LibVersion, ReadCounts, Touched};
use crate::pattern::Sweep;
use std::collections::{BTreeMap, HashSet};

/// Chunk visits that one sweep may cost by default: about 50 ms.
pub const VISITS_MAX_DEFAULT: u64 = 500_000;

/// The largest single read that is simulated, in chunks or runs of bytes.
const READ_COST_MAX: u64 = 1_500_000;

/// A sweep that visits each of more chunks than this once is counted without simulating it: each stored chunk is loaded
/// once, whatever the cache keeps of them.
const VISITED_ONCE_SIMULATED_MAX: u64 = 100_000;

/// The cost of a whole sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweepCounts {
    /// H5Dread calls.
    pub reads: u64,
    /// Distinct stored chunks that the sweep touches. A sweep covers the dataset, so these are all stored chunks.
    pub chunks_touched: u64,
    /// The number of those whose reading decodes something.
    pub chunks_filtered: u64,
    /// Chunks that the reads touched, counted again at each read.
    pub chunk_visits: u64,
    /// Chunks put through the filter pipeline.
    pub decodes: u64,
    /// Reads of raw data that reached the file driver.
    pub driver_reads: u64,
    /// The bytes of those reads.
    pub driver_bytes: u64,
    /// False if part of the counts is extrapolated.
    pub is_exact: bool,
    /// Reads that were simulated, or counted exactly because they repeat.
    pub reads_simulated: u64,
    /// What the reads touch, whatever the cache does.
    pub touched: Touched,
    /// What the cache does besides decoding.
    pub work: CacheWork,
    /// The most chunks that the cache held at a time.
    pub chunks_kept_max: u64,
}

impl SweepCounts {
    /// Decodes per chunk that needs any: 1 is ideal. `None` if nothing is decoded.
    pub fn amplification(&self) -> Option<f64> {
        (self.chunks_filtered > 0).then(|| self.decodes as f64 / self.chunks_filtered as f64)
    }

    /// True if no chunk was fetched or decoded twice.
    pub fn is_ideal(&self) -> bool {
        self.is_exact && self.decodes <= self.chunks_filtered && self.driver_reads <= self.chunks_touched
    }
}

/// Simulates opening the dataset and reading every block of the sweep.
pub fn simulate_sweep(
    geometry: &Geometry,
    settings: CacheSettings,
    version: LibVersion,
    sweep: &Sweep,
    visits_max: u64,
) -> SweepCounts {
    if !sweep.is_plain() {
        return one_by_one(geometry, settings, version, sweep, visits_max);
    }
    let reads = sweep.reads();
    let chunks = geometry.chunks();
    let chunks_touched = if reads == 0 { 0 } else { chunks.map_or(0, |chunks| chunks.stored_chunks()) };
    let mut run = Simulation::new(geometry, settings, version, sweep, visits_max);
    let touched = Touched::by_sweep(geometry, sweep);
    if reads > 0 && run.visits_each_chunk_once(&touched) {
        run.load_each_chunk_once(settings);
    } else if reads > 0 {
        run.level(0);
    }
    let is_exact = run.reads == reads;
    if run.is_hopeless {
        run.counts = without_hits(geometry, sweep);
    } else if !is_exact {
        run.extrapolate(reads);
    }
    SweepCounts {
        reads,
        chunks_touched,
        chunks_filtered: if reads == 0 { 0 } else { geometry.chunks_decodable() },
        chunk_visits: run.counts.chunks_touched,
        decodes: run.counts.decodes,
        driver_reads: run.counts.driver_reads,
        driver_bytes: run.counts.driver_bytes,
        is_exact,
        reads_simulated: run.reads,
        touched,
        work: run.counts.work,
        chunks_kept_max: run.kept.unwrap_or_else(|| run.sim.entries().map_or(0, |entries| entries.used_max)),
    }
}

/// Simulates every read of a pattern that is no plain sweep. The rest of what is more than `visits_max` visits is extrapolated.
fn one_by_one(
    geometry: &Geometry,
    settings: CacheSettings,
    version: LibVersion,
    sweep: &Sweep,
    visits_max: u64,
) -> SweepCounts {
    let mut sim = ChunkCacheSim::new(geometry, settings, version);
    let (mut counts, mut touched, mut simulated) = (ReadCounts::default(), Touched::default(), 0);
    sim.record_visits();
    let reads = sweep.reads();
    for (start, covered) in sweep.blocks() {
        let count: Vec<u64> =
            covered.iter().zip(sweep.step()).map(|(len, step)| len.div_ceil(*step)).collect();
        let read = sim.read_strided(&start, &count, sweep.step());
        counts.add(read);
        touched.add(Touched::by_read(geometry, &start, &covered));
        simulated += 1;
        if counts.chunks_touched > visits_max {
            break;
        }
    }
    let stored = |chunk: &u64| geometry.chunks().is_some_and(|all| all.get(*chunk).is_some());
    let chunks_touched = sim.visited().filter(stored).count() as u64;
    let scaled = |count: u64| (count as f64 * reads as f64 / simulated.max(1) as f64) as u64;
    let is_exact = simulated == reads;
    let of_all = |count: u64| if is_exact { count } else { scaled(count) };
    SweepCounts {
        reads,
        chunks_touched,
        chunks_filtered: if geometry.is_filtered() { chunks_touched } else { 0 },
        chunk_visits: of_all(counts.chunks_touched),
        decodes: of_all(counts.decodes),
        driver_reads: of_all(counts.driver_reads),
        driver_bytes: of_all(counts.driver_bytes),
        is_exact,
        reads_simulated: simulated,
        touched,
        work: counts.work,
        chunks_kept_max: sim.entries().map_or(0, |entries| entries.used_max),
    }
}

/// How often the sweep loads each stored chunk: linear index and number of loads, in ascending order. Chunks that are
/// never loaded are left out. `None` if the sweep is too large to be simulated to its end.
pub fn loads_by_chunk(
    geometry: &Geometry,
    settings: CacheSettings,
    version: LibVersion,
    sweep: &Sweep,
    visits_max: u64,
) -> Option<Vec<(u64, u64)>> {
    if !sweep.is_plain() {
        return None;
    }
    let mut run = Simulation::new(geometry, settings, version, sweep, visits_max);
    if sweep.reads() > 0 && run.visits_each_chunk_once(&Touched::by_sweep(geometry, sweep)) {
        return Some(geometry.chunks()?.stored().map(|(chunk, _)| (chunk, 1)).collect());
    }
    run.sim.record_loads();
    if sweep.reads() > 0 {
        run.level(0);
    }
    if run.is_hopeless || run.reads != sweep.reads() {
        return None;
    }
    let mut loads: BTreeMap<u64, u64> = BTreeMap::new();
    for ChunkLoads { chunk, times } in run.sim.loads() {
        let sum = loads.entry(*chunk).or_default();
        *sum = sum.saturating_add(*times);
    }
    Some(loads.into_iter().collect())
}

struct Simulation<'a> {
    sim: ChunkCacheSim<'a>,
    sweep: &'a Sweep,
    /// Extent of a chunk; `None` disables grouping.
    chunk: Option<&'a [u64]>,
    spans: Vec<Span>,
    counts: ReadCounts,
    reads: u64,
    visits: u64,
    visits_max: u64,
    /// Set if a read was too large to be simulated.
    is_hopeless: bool,
    /// Depth of nested repetitions.
    nesting: usize,
    /// Reads and counts when half of the visits had been spent.
    half: Option<(u64, ReadCounts)>,
    /// The most chunks that the cache held, where that is known without having simulated it.
    kept: Option<u64>,
}

/// The state at some pass of a repetition: cache, counts, reads.
struct Checkpoint {
    fingerprint: u128,
    births: u64,
    /// Length of the log.
    log: usize,
    /// Number of recorded loads.
    loads: usize,
    counts: ReadCounts,
    reads: u64,
    pass: u64,
}

impl<'a> Simulation<'a> {
    fn new(
        geometry: &'a Geometry,
        settings: CacheSettings,
        version: LibVersion,
        sweep: &'a Sweep,
        visits_max: u64,
    ) -> Self {
        let sim = ChunkCacheSim::new(geometry, settings, version);
        let chunk = geometry.chunk_dims().filter(|_| !sim.depends_on_offsets());
        Self {
            sim,
            sweep,
            chunk,
            spans: vec![Span::default(); geometry.shape().len()],
            counts: ReadCounts::default(),
            reads: 0,
            visits: 0,
            visits_max: visits_max.max(1),
            is_hopeless: false,
            nesting: 0,
            half: None,
            kept: None,
        }
    }

    fn is_spent(&self) -> bool {
        self.is_hopeless || self.visits >= self.visits_max
    }

    /// True for a sweep of very many chunks that returns to none of them, and whose reads are not too large.
    fn visits_each_chunk_once(&self, touched: &Touched) -> bool {
        let chunks = self.sim.geometry().chunks().map_or(0, |chunks| chunks.grid_chunks());
        let sizes = self.sweep.block().iter().zip(self.sweep.shape());
        let first: Vec<Span> = sizes.map(|(block, dim)| Span::plain(0, (*block).min(*dim))).collect();
        self.chunk.is_some()
            && chunks > VISITED_ONCE_SIMULATED_MAX
            && touched.visits == chunks
            && self.sim.cost_max(&first) <= READ_COST_MAX
    }

    /// Counts a sweep that visits each chunk once.
    fn load_each_chunk_once(&mut self, settings: CacheSettings) {
        let geometry = self.sim.geometry();
        self.counts = without_hits(geometry, self.sweep);
        if let (Some(chunks), Some(chunk_bytes)) = (geometry.chunks(), geometry.chunk_bytes()) {
            let kept = chunks.stored_chunks().min(settings.nslots).min(settings.nbytes / chunk_bytes.max(1));
            self.counts.driver_bytes = chunks.stored_bytes();
            self.counts.work.evictions = chunks.stored_chunks() - kept;
            self.kept = Some(kept);
        }
        self.reads = self.sweep.reads();
    }

    /// Reads every block of the dimensions `order[depth..]`, the others fixed. Recurses at most as deep as the rank.
    fn level(&mut self, depth: usize) {
        let Some(&axis) = self.sweep.order().get(depth) else {
            return self.read();
        };
        let (dim, block) = (self.sweep.shape()[axis], self.sweep.block()[axis]);
        let mut start = 0;
        while start < dim && !self.is_spent() {
            let len = block.min(dim - start);
            self.spans[axis] = Span::plain(start, len);
            let members = self.group(axis, start, len, dim, block);
            self.repeat(depth + 1, members);
            // Cannot exceed 2^64: every block of the group starts inside the extent.
            start = start.saturating_add(members.saturating_mul(block));
        }
    }

    /// How many blocks, starting with this one, lie in the same chunk along `axis` and have the same length.
    fn group(&self, axis: usize, start: u64, len: u64, dim: u64, block: u64) -> u64 {
        let Some(chunk) = self.chunk else { return 1 };
        let chunk_start = start - start % chunk[axis];
        let room = chunk_start.saturating_add(chunk[axis]).min(dim) - start;
        if len < block || room < block { 1 } else { room / block }
    }

    /// Repeats the dimensions from `depth` on `times` times.
    fn repeat(&mut self, depth: usize, times: u64) {
        if times == 1 || self.chunk.is_none() {
            for _ in 0..times {
                self.level(depth);
            }
            return;
        }
        if self.nesting == 0 {
            self.sim.entries().map(Entries::start_log);
        }
        self.nesting += 1;
        let mut pass = 0;
        let mut checkpoint = self.checkpoint(0);
        let mut next_mark_after = 1;
        while pass < times && !self.is_spent() {
            self.level(depth);
            pass += 1;
            if pass == times || self.is_spent() {
                break;
            }
            let is_same =
                self.sim.entries().is_none_or(|entries| entries.fingerprint() == checkpoint.fingerprint);
            if is_same {
                pass += self.skip(&checkpoint, pass, times);
                checkpoint = self.checkpoint(pass);
                next_mark_after = 1;
            } else if pass - checkpoint.pass >= next_mark_after {
                // Brent's algorithm: compare with ever later states, so that a period of any length is found.
                checkpoint = self.checkpoint(pass);
                next_mark_after *= 2;
            }
        }
        self.nesting -= 1;
    }

    fn checkpoint(&mut self, pass: u64) -> Checkpoint {
        let (fingerprint, births, log) = match self.sim.entries() {
            Some(entries) => (entries.fingerprint(), entries.births, entries.log().len()),
            None => (0, 0, 0),
        };
        let loads = self.sim.loads().len();
        Checkpoint { fingerprint, births, log, loads, counts: self.counts, reads: self.reads, pass }
    }

    /// Called when the cache is as at the checkpoint, except for counters. Counts as many further periods as are certain to
    /// be identical, and returns the number of their passes.
    fn skip(&mut self, checkpoint: &Checkpoint, pass: u64, times: u64) -> u64 {
        let period = pass - checkpoint.pass;
        let mut periods = (times - pass) / period;
        // Entries that were present all along and were read from, and by how much in one period.
        let mut running: Vec<(u32, u64)> = Vec::new();
        if let Some(entries) = self.sim.entries() {
            let mut seen = HashSet::new();
            for change in &entries.log()[checkpoint.log..] {
                if !seen.insert(change.chunk) {
                    continue;
                }
                let resident =
                    entries.in_slot(change.slot).filter(|entry| entries.get(*entry).chunk == change.chunk);
                let Some(entry) = resident else { continue };
                let Entry { unread, born, .. } = *entries.get(entry);
                if born > checkpoint.births {
                    // Evicted and loaded again: the same in each period, once its counter has settled.
                    if unread != change.unread_before {
                        return 0;
                    }
                } else if unread < change.unread_before {
                    let step = change.unread_before - unread;
                    if unread > 0 {
                        periods = periods.min((unread - 1) / step);
                        running.push((entry, step));
                    } else {
                        // The entry finished in this very period, but not before the checkpoint. That is impossible: the
                        // fingerprint includes which entries are finished.
                        return 0;
                    }
                }
            }
            for (entry, step) in &running {
                entries.count_read(*entry, step.saturating_mul(periods));
            }
        }
        for load in &mut self.sim.loads()[checkpoint.loads..] {
            load.times = load.times.saturating_mul(periods.saturating_add(1));
        }
        let (counts, reads) = (self.counts.since(checkpoint.counts), self.reads - checkpoint.reads);
        self.counts.add_times(counts, periods);
        self.reads += reads * periods;
        period * periods
    }

    fn read(&mut self) {
        if self.sim.cost_max(&self.spans) > READ_COST_MAX {
            self.is_hopeless = true;
            return;
        }
        let steps = self.sim.steps();
        let counts = self.sim.read_spans(&self.spans);
        let steps = self.sim.steps() - steps;
        self.counts.add(counts);
        self.reads += 1;
        self.visits += counts.chunks_touched.max(1) + steps / 8;
        if self.half.is_none() && self.visits >= self.visits_max / 2 {
            self.half = Some((self.reads, self.counts));
        }
    }

    fn extrapolate(&mut self, reads: u64) {
        let (half_reads, half_counts) = self.half.unwrap_or((0, ReadCounts::default()));
        let (from_reads, counts) = match self.reads - half_reads {
            0 => (self.reads.max(1), self.counts),
            later => (later, self.counts.since(half_counts)),
        };
        let factor = (reads - self.reads) as f64 / from_reads as f64;
        self.counts.add(counts.scaled(factor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{ChunkMap, StoredChunk};
    use crate::simulate::ChunkedStorage;
    use proptest::prelude::*;
    use std::sync::Arc;

    /// The same counts, obtained by simulating every read.
    fn one_by_one(
        geometry: &Geometry,
        settings: CacheSettings,
        version: LibVersion,
        sweep: &Sweep,
    ) -> ReadCounts {
        let mut sim = ChunkCacheSim::new(geometry, settings, version);
        let mut total = ReadCounts::default();
        for (start, count) in sweep.blocks() {
            total.add(sim.read(&start, &count));
        }
        total
    }

    /// The loads of each chunk, obtained in the same way.
    fn loads_one_by_one(
        geometry: &Geometry,
        settings: CacheSettings,
        version: LibVersion,
        sweep: &Sweep,
    ) -> Vec<(u64, u64)> {
        let mut sim = ChunkCacheSim::new(geometry, settings, version);
        sim.record_loads();
        for (start, count) in sweep.blocks() {
            sim.read(&start, &count);
        }
        let mut chunks: Vec<u64> = sim.loads().iter().map(|load| load.chunk).collect();
        chunks.sort_unstable();
        chunks.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
    }

    fn case_study(chunk: &[u64]) -> Geometry {
        let storage = ChunkedStorage {
            chunk_dims: chunk.to_vec(),
            is_filtered: true,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: None,
        };
        Geometry::chunked(&[60, 30, 9, 717], 4, storage).unwrap()
    }

    #[test]
    fn the_case_study_counts() {
        let geometry = case_study(&[4, 30, 9, 717]);
        let rows = Sweep::row_major(geometry.shape(), &[1, 1, 1, 717]);
        let decodes = |nbytes, nslots, version| {
            let counts = simulate_sweep(
                &geometry,
                CacheSettings { nbytes, nslots, w0: 0.75 },
                version,
                &rows,
                1_000_000,
            );
            assert!(counts.is_exact);
            assert_eq!((counts.reads, counts.chunks_touched), (16_200, 15));
            counts.decodes
        };
        assert_eq!(decodes(1 << 20, 521, LibVersion::V1_8), 16_200);
        assert_eq!(decodes(1 << 20, 521, LibVersion::V1_14), 16_200);
        assert_eq!(decodes(3_097_439, 521, LibVersion::V1_14), 16_200);
        assert_eq!(decodes(3_097_440, 521, LibVersion::V1_14), 15);
        assert_eq!(decodes(3 << 20, 521, LibVersion::V1_14), 15);
        assert_eq!(decodes(8 << 20, 8191, LibVersion::V2_2), 15);
    }

    #[test]
    fn a_billion_reads_are_counted_exactly_by_their_period() {
        let storage = ChunkedStorage {
            chunk_dims: vec![100, 1000, 1000],
            is_filtered: true,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: None,
        };
        let geometry = Geometry::chunked(&[1000, 40_000, 25_000], 4, storage).unwrap();
        let series = Sweep::row_major(geometry.shape(), &[1000, 1, 1]);
        let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
        let counts = simulate_sweep(&geometry, settings, LibVersion::V1_14, &series, 1_000_000);
        assert!(counts.is_exact);
        assert_eq!(counts.reads, 1_000_000_000);
        assert_eq!(counts.decodes, 10_000_000_000);
    }

    #[test]
    fn beyond_the_limit_the_rest_is_extrapolated_and_said_to_be() {
        let geometry = Geometry::contiguous(&[100_000, 50, 50_000], 4, true).unwrap();
        let columns = Sweep::row_major(geometry.shape(), &[100_000, 50, 1]);
        let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
        let counts = simulate_sweep(&geometry, settings, LibVersion::V2_2, &columns, 100_000);
        assert!(!counts.is_exact);
        assert!(counts.reads_simulated < 50_000);
        let exact = 100_000u64 * 50 * 50_000;
        assert!(counts.driver_reads.abs_diff(exact) <= exact / 100, "{}", counts.driver_reads);
    }

    #[test]
    fn monstrous_reads_are_estimated_at_once() {
        let storage = ChunkedStorage {
            chunk_dims: vec![1, 1],
            is_filtered: true,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: Some(Arc::new(ChunkMap::from_chunks(1 << 60, []))),
        };
        let sparse = Geometry::chunked(&[1 << 30, 1 << 30], 8, storage).unwrap();
        let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
        let all = Sweep::row_major(sparse.shape(), sparse.shape());
        let counts = simulate_sweep(&sparse, settings, LibVersion::V2_2, &all, 1_000);
        assert_eq!((counts.is_exact, counts.decodes, counts.chunk_visits), (false, 0, 1 << 60));
        let flat = Geometry::contiguous(&[1 << 30, 2, 2], 8, true).unwrap();
        let column = Sweep::row_major(flat.shape(), &[1 << 30, 1, 1]);
        let counts = simulate_sweep(&flat, settings, LibVersion::V2_2, &column, 1_000);
        assert!(!counts.is_exact && counts.driver_reads == 4 << 30);
        // A column of any length is one row of windows, and exact.
        let long = Geometry::contiguous(&[1 << 40, 2], 8, true).unwrap();
        let column = Sweep::row_major(long.shape(), &[1 << 40, 1]);
        let counts = simulate_sweep(&long, settings, LibVersion::V2_2, &column, 1_000);
        assert!(counts.is_exact && counts.driver_reads == 2 << 28);
    }

    #[test]
    fn nothing_to_read_costs_nothing() {
        let geometry = case_study(&[4, 30, 9, 717]).rechunked(&[1, 1, 1, 1]).unwrap();
        let empty = Geometry::contiguous(&[0, 5], 4, true).unwrap();
        let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
        let sweep = Sweep::row_major(empty.shape(), &[1, 5]);
        assert_eq!(simulate_sweep(&empty, settings, LibVersion::V2_2, &sweep, 10).reads, 0);
        assert_eq!(geometry.chunks().unwrap().grid_chunks(), 60 * 30 * 9 * 717);
    }

    #[test]
    fn a_sweep_that_returns_to_no_chunk_loads_each_stored_chunk_once() {
        let stored =
            (0..200_000u64).step_by(2).map(|i| (i, StoredChunk { bytes: 3, is_filtered: i % 4 == 0 }));
        let storage = ChunkedStorage {
            chunk_dims: vec![1, 10],
            is_filtered: true,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: Some(Arc::new(ChunkMap::from_chunks(200_000, stored))),
        };
        let geometry = Geometry::chunked(&[2000, 1000], 1, storage).unwrap();
        let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
        for block in [[2000, 1000], [1, 1000], [1, 10], [7, 40]] {
            let sweep = Sweep::row_major(geometry.shape(), &block);
            // Fewer visits than there are chunks: were it simulated, it would not be exact.
            let counts = simulate_sweep(&geometry, settings, LibVersion::V2_2, &sweep, 1_000);
            let slow = one_by_one(&geometry, settings, LibVersion::V2_2, &sweep);
            assert!(counts.is_exact && counts.reads_simulated == sweep.reads());
            assert_eq!((counts.chunks_touched, counts.chunk_visits), (100_000, slow.chunks_touched));
            assert_eq!(
                (counts.decodes, counts.driver_reads, counts.driver_bytes),
                (slow.decodes, slow.driver_reads, slow.driver_bytes)
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]
        /// Checks that counting by groups and periods does not change the counts.
        #[test]
        fn groups_and_periods_count_what_reading_one_by_one_does(
            dims in prop_oneof![
                prop::collection::vec((1u64..14, 1u64..7, 1u64..14), 1..4),
                // Many reads of few chunks: counters change for a long time before they end.
                prop::collection::vec((20u64..70, 10u64..40, 1u64..4), 1..3),
            ],
            nbytes in prop_oneof![0u64..400, 0u64..9000],
            nslots in 0u64..30,
            w0 in prop::sample::select(vec![0.0, 0.3, 0.75, 1.0]),
            version in prop::sample::select(vec![
                LibVersion::V1_8, LibVersion::V1_10_0, LibVersion::V1_14, LibVersion::V2_1, LibVersion::V2_2]),
            is_filtered: bool,
            edge_chunks_unfiltered: bool,
            missing in 0u64..40,
            order_seed: u64,
        ) {
            let shape: Vec<u64> = dims.iter().map(|d| d.0).collect();
            let chunk: Vec<u64> = dims.iter().map(|d| d.1).collect();
            let block: Vec<u64> = dims.iter().map(|d| d.2).collect();
            let grid: u64 = shape.iter().zip(&chunk).map(|(s, c)| s.div_ceil(*c)).product();
            let stored = (0..grid).filter(|i| (i * 7 + order_seed) % 40 >= missing)
                .map(|i| (i, StoredChunk { bytes: 1 + i, is_filtered: i % 5 != 0 }));
            let chunks = Some(Arc::new(ChunkMap::from_chunks(grid, stored)));
            let storage = ChunkedStorage {
                chunk_dims: chunk, is_filtered, edge_chunks_unfiltered, skips_missing_chunks: false, chunks };
            let geometry = Geometry::chunked(&shape, 2, storage).unwrap();
            let mut order: Vec<usize> = (0..shape.len()).collect();
            order.rotate_left((order_seed % shape.len() as u64) as usize);
            let sweep = Sweep::new(&shape, &block, &order);
            let settings = CacheSettings { nbytes, nslots, w0 };
            let slow = one_by_one(&geometry, settings, version, &sweep);
            let fast = simulate_sweep(&geometry, settings, version, &sweep, u64::MAX);
            prop_assert!(fast.is_exact);
            prop_assert_eq!(
                (fast.decodes, fast.driver_reads, fast.driver_bytes),
                (slow.decodes, slow.driver_reads, slow.driver_bytes)
            );
            // Chunk by chunk, too: a chunk that bypasses the cache is loaded once a read, in one request or several.
            let loads = loads_by_chunk(&geometry, settings, version, &sweep, u64::MAX).unwrap();
            prop_assert_eq!(&loads, &loads_one_by_one(&geometry, settings, version, &sweep));
            if is_filtered && !edge_chunks_unfiltered {
                prop_assert_eq!(loads.iter().map(|(_, times)| times).sum::<u64>(), slow.driver_reads);
            }
        }
    }
}
