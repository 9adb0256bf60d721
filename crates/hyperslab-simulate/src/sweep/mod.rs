//! All reads of a pattern, counted exactly, and where it repeats itself without simulating each of them.
//!
//! A sweep of whole blocks repeats itself, and what [repeats](repetition) is counted by multiplication. Strided blocks and
//! blocks at random places are simulated one by one.
//!
//! Where that does not help (contiguous data, chunks read through a sieve buffer, many different groups) the number of
//! chunk visits is limited. The rest is then extrapolated from the second half of the simulated part, in which the
//! cache was already full, and the result is marked as not exact. A single read of more than [`READ_COST_MAX`] chunks
//! is not simulated at all: its counts are those of a cache without hits.

mod repetition;
#[cfg(test)]
mod tests;

use super::cache::ChunkLoads;
use super::estimate::without_hits;
use super::geometry::Span;
use super::{CacheWork, ChunkCacheSim, Geometry, LibVersion, ReadCounts, Touched};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::Sweep;
use std::collections::BTreeMap;

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
    /// Distinct stored chunks that the reads touch. A sweep of whole blocks covers the dataset: all stored chunks.
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

/// Simulates opening the dataset and reading every block of the pattern.
pub fn simulate_sweep(
    geometry: &Geometry,
    settings: CacheSettings,
    version: LibVersion,
    sweep: &Sweep,
    visits_max: u64,
) -> SweepCounts {
    let reads = sweep.reads();
    let mut run = Simulation::new(geometry, settings, version, sweep, visits_max);
    if !sweep.is_plain() {
        run.sim.record_visits();
    }
    let touched = run.all(settings);
    let is_exact = run.reads == reads;
    if run.is_hopeless {
        run.counts = without_hits(geometry, sweep, &touched);
    } else if !is_exact {
        run.extrapolate(reads);
    }
    let chunks_touched = run.chunks_touched(&touched);
    SweepCounts {
        reads,
        chunks_touched,
        chunks_filtered: geometry.chunks_decodable().min(chunks_touched),
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

/// How often the pattern loads each stored chunk: linear index and number of loads, in ascending order. Chunks that are
/// never loaded are left out. `None` if the pattern is too large to be simulated to its end.
pub fn loads_by_chunk(
    geometry: &Geometry,
    settings: CacheSettings,
    version: LibVersion,
    sweep: &Sweep,
    visits_max: u64,
) -> Option<Vec<(u64, u64)>> {
    let mut run = Simulation::new(geometry, settings, version, sweep, visits_max);
    run.sim.record_loads();
    run.all(settings);
    if run.is_hopeless || run.reads != sweep.reads() {
        return None;
    }
    if run.kept.is_some() {
        return Some(geometry.chunks()?.stored().map(|(chunk, _)| (chunk, 1)).collect());
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

    /// Reads until all is read or the visits are spent. Returns what all reads of the pattern touch.
    fn all(&mut self, settings: CacheSettings) -> Touched {
        if self.sweep.reads() == 0 {
            return Touched::default();
        }
        if !self.sweep.is_plain() {
            return self.one_by_one();
        }
        let touched = Touched::by_sweep(self.sim.geometry(), self.sweep);
        if self.visits_each_chunk_once(&touched) {
            self.load_each_chunk_once(settings, &touched);
        } else {
            self.level(0);
        }
        touched
    }

    /// Reads the blocks of a pattern that does not repeat itself.
    fn one_by_one(&mut self) -> Touched {
        let (mut touched, mut blocks) = (Touched::default(), 0);
        for (start, covered) in self.sweep.blocks() {
            if self.is_spent() {
                break;
            }
            touched.add(Touched::by_read(self.sim.geometry(), &start, &covered));
            blocks += 1;
            let axes = start.iter().zip(&covered).zip(self.sweep.step());
            let spans = axes.map(|((start, len), step)| Span::strided(*start, len.div_ceil(*step), *step));
            self.spans = spans.collect();
            self.read();
        }
        match self.sweep.reads() {
            reads if reads == blocks => touched,
            reads => touched.times(reads as f64 / blocks.max(1) as f64),
        }
    }

    /// Distinct stored chunks that the pattern touches: all of them in a sweep of whole blocks. Where only a part of the reads
    /// was simulated, the others are taken to touch as many new ones each.
    fn chunks_touched(&self, touched: &Touched) -> u64 {
        let Some(chunks) = self.sim.geometry().chunks().filter(|_| self.sweep.reads() > 0) else { return 0 };
        if self.sweep.is_plain() {
            return chunks.stored_chunks();
        }
        if self.is_hopeless {
            return touched.visits.min(chunks.stored_chunks());
        }
        let visited = self.sim.visited().filter(|chunk| chunks.get(*chunk).is_some()).count();
        let all = visited as f64 * self.sweep.reads() as f64 / self.reads.max(1) as f64;
        (all.round() as u64).min(chunks.stored_chunks())
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
    fn load_each_chunk_once(&mut self, settings: CacheSettings, touched: &Touched) {
        let geometry = self.sim.geometry();
        self.counts = without_hits(geometry, self.sweep, touched);
        if let (Some(chunks), Some(chunk_bytes)) = (geometry.chunks(), geometry.chunk_bytes()) {
            let kept = chunks.stored_chunks().min(settings.nslots).min(settings.nbytes / chunk_bytes.max(1));
            self.counts.driver_bytes = chunks.stored_bytes();
            self.counts.work.evictions = chunks.stored_chunks() - kept;
            self.kept = Some(kept);
        }
        self.reads = self.sweep.reads();
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
