//! One dataset of an older format under examination: its reads, each simulated in the library of the format.

use super::{Library, OlderFacts, OlderStorage};
use crate::DoctorError;
use crate::case::{NamedSweep, read_text, sweeps};
use crate::engine::{EngineCounts, equivalent_cache};
use crate::options::Options;
use crate::predict::{CostModel, seconds_text};
use crate::simulate::older::{
    Hdf4Chunks, Hdf4Counts, PAGE_BYTES, RecordCounts, Records, simulate_hdf4_chunks, simulate_records,
    simulate_stream,
};
use crate::simulate::{ChunkedStorage, Geometry, Touched, simulate_sweep};
use hyperslab_storage::cost::Terms;
use hyperslab_storage::pattern::Sweep;

/// Seconds of a page that netCDF-C reads for a piece of a record, and of each of its bytes that is wanted: fitted to records of 64
/// bytes to 512 KiB and to series.
const PAGE_SECONDS: f64 = 1.1e-6;
const BYTE_SECONDS: f64 = 0.5e-9;
/// The same of hyperslab, which brings numbers into their order as it copies them.
const ENGINE_PAGE_SECONDS: f64 = 0.4e-6;
const ENGINE_BYTE_SECONDS: f64 = 0.25e-9;
/// Seconds of a call that reads one run of bytes, and of each byte.
const RUN_SECONDS: f64 = 1.5e-6;
const RUN_BYTE_SECONDS: f64 = 0.3e-9;
/// Pieces of records this close together are fetched in one request.
const GAP_BYTES: u64 = 8 << 10;
const REQUEST_BYTES_MAX: u64 = 1 << 20;

/// What a read costs the library.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counts {
    Hdf4(Hdf4Counts),
    Records(RecordCounts),
    /// Runs of bytes of values that are not compressed, and their bytes.
    Runs {
        runs: u64,
        bytes: u64,
    },
}

/// One read pattern.
#[derive(Debug, Clone)]
pub(crate) struct OlderRead {
    pub(crate) name: String,
    pub(crate) is_requested: bool,
    pub(crate) matters: bool,
    pub(crate) sweep: Sweep,
    pub(crate) counts: Counts,
    /// Predicted seconds in the library, and if nothing were decoded or touched twice.
    pub(crate) seconds: f64,
    pub(crate) ideal_seconds: f64,
    /// Its cost in hyperslab.
    pub(crate) engine: EngineCounts,
    pub(crate) engine_seconds: f64,
}

impl OlderRead {
    /// Seconds that are lost.
    pub(crate) fn excess_seconds(&self) -> f64 {
        self.seconds - self.ideal_seconds
    }

    /// `row by row (1x717)`, or the shape alone where it is the name.
    pub(crate) fn text(&self) -> String {
        read_text(&self.name, &self.sweep)
    }
}

pub(crate) struct OlderCase<'a> {
    pub(crate) facts: &'a OlderFacts,
    pub(crate) options: &'a Options,
    /// The dataset as hyperslab reads it: in chunks, or contiguous.
    pub(crate) geometry: Geometry,
    pub(crate) costs: CostModel,
    pub(crate) reads: Vec<OlderRead>,
}

impl<'a> OlderCase<'a> {
    /// Simulates every read. `None` for a dataset without axes or values.
    pub(crate) fn new(facts: &'a OlderFacts, options: &'a Options) -> Result<Option<Self>, DoctorError> {
        let Some(mut case) = Self::without_reads(facts, options)? else { return Ok(None) };
        // What is usual does not depend on a stream, which nobody reads chunk by chunk.
        let plain = Geometry::contiguous(&facts.dataset.shape, facts.dataset.element_bytes, true)?;
        let asked = if facts.storage == OlderStorage::Stream { &plain } else { &case.geometry };
        let named = sweeps(&facts.dataset, asked, options)?;
        case.reads = named.into_iter().map(|read| case.read(read)).collect();
        Ok(Some(case))
    }

    /// The case before any read is simulated.
    pub(crate) fn without_reads(
        facts: &'a OlderFacts,
        options: &'a Options,
    ) -> Result<Option<Self>, DoctorError> {
        let dataset = &facts.dataset;
        if dataset.shape.is_empty() || dataset.shape.contains(&0) {
            return Ok(None);
        }
        let geometry = match &facts.storage {
            OlderStorage::Stream => chunked(facts, &dataset.shape)?,
            OlderStorage::Chunks(chunk) => chunked(facts, chunk)?,
            _ => Geometry::contiguous(&dataset.shape, dataset.element_bytes, true)?,
        };
        let costs = CostModel::reference(dataset, &geometry, options.threads);
        Ok(Some(Self { facts, options, geometry, costs, reads: Vec::new() }))
    }

    /// The library.
    pub(crate) fn library(&self) -> Library {
        self.facts.library
    }

    /// A predicted time, of which constants are the base: `about 0.21 s`.
    pub(crate) fn time_text(seconds: f64) -> String {
        format!("about {}", seconds_text(seconds))
    }

    /// The chunks that libhdf4's cache holds, if it has one for this dataset.
    pub(crate) fn cached_chunks(&self) -> Option<u64> {
        match &self.facts.storage {
            OlderStorage::Chunks(chunk) => Some(Hdf4Chunks::default_cache(self.geometry.shape(), chunk)),
            _ => None,
        }
    }

    /// What a read of chunks costs libhdf4 with a cache of `cached` chunks.
    pub(crate) fn with_cache(&self, sweep: &Sweep, cached: u64) -> Option<Hdf4Counts> {
        let OlderStorage::Chunks(chunk) = &self.facts.storage else { return None };
        let stored = self.facts.dataset.chunks.as_deref();
        let is_stored = |number: u64| stored.is_none_or(|map| map.get(number).is_some());
        let chunks =
            Hdf4Chunks { chunk, chunk_bytes: self.geometry.chunk_bytes()?, cached, is_stored: &is_stored };
        Some(simulate_hdf4_chunks(&chunks, sweep, self.options.visits_max))
    }

    fn read(&self, NamedSweep { name, is_requested, matters, sweep, .. }: NamedSweep) -> OlderRead {
        let counts = self.counts(&sweep);
        let (seconds, ideal_seconds) = self.seconds(&sweep, &counts);
        let (engine, engine_seconds) = self.engine(&sweep, &counts);
        OlderRead {
            name,
            is_requested,
            matters,
            sweep,
            counts,
            seconds,
            ideal_seconds,
            engine,
            engine_seconds,
        }
    }

    fn counts(&self, sweep: &Sweep) -> Counts {
        let visits_max = self.options.visits_max;
        if let Some(counts) = self.cached_chunks().and_then(|cached| self.with_cache(sweep, cached)) {
            return Counts::Hdf4(counts);
        }
        match &self.facts.storage {
            OlderStorage::Stream => {
                Counts::Hdf4(simulate_stream(self.facts.dataset.element_bytes, sweep, visits_max))
            }
            OlderStorage::Records(records) => Counts::Records(simulate_records(records, sweep, visits_max)),
            _ => {
                let Touched { runs, elements, .. } = Touched::by_sweep(&self.geometry, sweep);
                Counts::Runs { runs, bytes: elements.saturating_mul(self.facts.dataset.element_bytes) }
            }
        }
    }

    /// Seconds of a read in the library; and if nothing were decoded or touched twice.
    fn seconds(&self, sweep: &Sweep, counts: &Counts) -> (f64, f64) {
        let calls = sweep.reads() as f64 * Terms::BUILT_IN.call;
        match counts {
            Counts::Hdf4(counts) => {
                let chunk_bytes = self.geometry.chunk_bytes().unwrap_or(1).max(1) as f64;
                let decode_byte = if self.geometry.is_filtered() {
                    self.costs.decode_once() / chunk_bytes
                } else {
                    RUN_BYTE_SECONDS
                };
                let needed = (counts.chunks_touched as f64 * chunk_bytes).min(counts.decoded_bytes as f64);
                let Touched { elements, runs, .. } = Touched::by_sweep(&self.geometry, sweep);
                let copied = elements as f64 * self.facts.dataset.element_bytes as f64 * RUN_BYTE_SECONDS
                    + runs as f64 * Terms::BUILT_IN.run;
                let of = |bytes: f64| calls + copied + bytes * decode_byte;
                (of(counts.decoded_bytes as f64), of(needed))
            }
            Counts::Records(counts) => {
                let copied = counts.wanted_bytes as f64 * BYTE_SECONDS;
                let ideal_pages = (counts.wanted_bytes.div_ceil(PAGE_BYTES)).min(counts.pages) as f64;
                let of = |pages: f64| calls + copied + pages * PAGE_SECONDS;
                (of(counts.pages as f64), of(ideal_pages))
            }
            Counts::Runs { runs, bytes } => {
                let seconds = calls + *runs as f64 * RUN_SECONDS + *bytes as f64 * RUN_BYTE_SECONDS;
                (seconds, seconds)
            }
        }
    }

    fn engine(&self, sweep: &Sweep, counts: &Counts) -> (EngineCounts, f64) {
        if let (Counts::Records(counts), OlderStorage::Records(records)) = (counts, &self.facts.storage) {
            return engine_of_records(records, counts);
        }
        let budget = self.options.engine_cache_bytes;
        let (settings, version) = equivalent_cache(budget);
        let swept = simulate_sweep(&self.geometry, settings, version, sweep, self.options.visits_max);
        let engine = EngineCounts::new(&self.geometry, sweep, &swept, budget, || swept);
        (engine, self.costs.engine_seconds(&swept, &engine))
    }
}

/// What pieces of records cost hyperslab: near ones are fetched together.
fn engine_of_records(records: &Records, counts: &RecordCounts) -> (EngineCounts, f64) {
    let piece_bytes = counts.wanted_bytes / counts.pieces.max(1);
    let is_near = records.every.saturating_sub(piece_bytes) <= GAP_BYTES;
    let bytes = if is_near { counts.pieces.saturating_mul(records.every) } else { counts.wanted_bytes };
    let requests = if is_near { bytes.div_ceil(REQUEST_BYTES_MAX).max(counts.reads) } else { counts.pieces };
    let seconds =
        counts.pages as f64 * ENGINE_PAGE_SECONDS + counts.wanted_bytes as f64 * ENGINE_BYTE_SECONDS;
    (EngineCounts { decodes: 0, requests, bytes }, seconds)
}

fn chunked(facts: &OlderFacts, chunk: &[u64]) -> Result<Geometry, DoctorError> {
    let dataset = &facts.dataset;
    let storage = ChunkedStorage {
        chunk_dims: chunk.to_vec(),
        is_filtered: facts.storage == OlderStorage::Stream || !dataset.filters.is_empty(),
        edge_chunks_unfiltered: false,
        skips_missing_chunks: false,
        chunks: dataset.chunks.clone(),
    };
    Ok(Geometry::chunked(&dataset.shape, dataset.element_bytes, storage)?)
}
