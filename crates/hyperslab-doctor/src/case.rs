//! One dataset under examination: its reads, each simulated under each profile. Every simulation is remembered.

use crate::DoctorError;
use crate::engine::{EngineCounts, equivalent_cache};
use crate::facts::DatasetFacts;
use crate::options::Options;
use crate::predict::{CostModel, seconds_text};
use crate::profile::Profile;
use crate::simulate::{
    Geometry, LibVersion, SweepCounts, SweepKey, WrittenCounts, simulate_sweep, simulate_writes,
};
use hyperslab_storage::pattern::{RequestedRead, Sweep, default_reads, is_permutation, shape_text};
use hyperslab_storage::{CacheSettings, WordError};
use std::cell::RefCell;
use std::collections::HashMap;

/// One read pattern of a dataset.
#[derive(Debug, Clone)]
pub(crate) struct ReadCase {
    /// Its name in a sentence.
    pub(crate) name: String,
    /// True if the user requested it.
    pub(crate) is_requested: bool,
    /// True if the user requested it, or if it follows the storage order of the data.
    pub(crate) matters: bool,
    /// How much it counts beside the other reads.
    pub(crate) weight: f64,
    pub(crate) sweep: Sweep,
    /// One for each profile.
    pub(crate) rows: Vec<Row>,
    /// Its cost in hyperslab.
    pub(crate) engine: EngineCounts,
}

/// One read under one profile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) settings: CacheSettings,
    pub(crate) counts: SweepCounts,
    /// Predicted seconds, as they are shown.
    pub(crate) seconds: f64,
    /// Predicted seconds by the stored constants, on which decisions rest.
    pub(crate) reference_seconds: f64,
}

/// One way to write the dataset.
#[derive(Debug, Clone)]
pub(crate) struct WriteCase {
    /// How much it counts beside the others.
    pub(crate) weight: f64,
    pub(crate) sweep: Sweep,
    /// One for each profile.
    pub(crate) rows: Vec<WriteRow>,
}

/// One way to write it, under one profile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WriteRow {
    pub(crate) settings: CacheSettings,
    pub(crate) counts: WrittenCounts,
    /// Predicted seconds, as they are shown.
    pub(crate) seconds: f64,
    /// Predicted seconds by the stored constants, on which decisions rest.
    pub(crate) reference_seconds: f64,
}

impl ReadCase {
    /// `row by row (1x1x1x717)`, or the shape alone where it is the name.
    pub(crate) fn text(&self) -> String {
        read_text(&self.name, &self.sweep)
    }
}

/// A read by its name and its shape, or by the shape alone where it is the name.
pub(crate) fn read_text(name: &str, sweep: &Sweep) -> String {
    let shape = sweep.to_string();
    if name == shape { shape } else { format!("{name} ({shape})") }
}

pub(crate) struct Case<'a> {
    pub(crate) facts: &'a DatasetFacts,
    pub(crate) options: &'a Options,
    pub(crate) geometry: Geometry,
    pub(crate) profiles: Vec<Profile>,
    pub(crate) reads: Vec<ReadCase>,
    /// None for data without filters, whose writing encodes nothing.
    pub(crate) writes: Vec<WriteCase>,
    /// Speeds as far as they were measured on this dataset: what is shown.
    pub(crate) costs: CostModel,
    /// Speeds by the stored constants: what decisions rest on.
    pub(crate) reference: CostModel,
    memory: RefCell<HashMap<MemoryKey, SweepCounts>>,
    /// The same of writes; `None` for data without filters.
    memory_of_writes: RefCell<HashMap<MemoryKey, Option<WrittenCounts>>>,
}

/// What is read, and the properties of cache and library that affect the counts.
type MemoryKey = (Sweep, SweepKey);

impl<'a> Case<'a> {
    /// The case of a dataset before any read is simulated. `None` for layouts whose reads are not simulated.
    pub(crate) fn without_reads(
        facts: &'a DatasetFacts,
        options: &'a Options,
    ) -> Result<Option<Self>, DoctorError> {
        let Some(geometry) = Geometry::of(facts)? else { return Ok(None) };
        let profiles = options.profiles_or_defaults();
        let costs = CostModel::new(facts, &geometry, options.terms, options.threads);
        let reference = CostModel::reference(facts, &geometry, options.threads);
        Ok(Some(Self {
            facts,
            options,
            geometry,
            profiles,
            reads: Vec::new(),
            writes: Vec::new(),
            costs,
            reference,
            memory: RefCell::default(),
            memory_of_writes: RefCell::default(),
        }))
    }

    /// Simulates every read under every profile. `None` for layouts whose reads are not simulated.
    pub(crate) fn new(facts: &'a DatasetFacts, options: &'a Options) -> Result<Option<Self>, DoctorError> {
        let Some(mut case) = Self::without_reads(facts, options)? else { return Ok(None) };
        for NamedSweep { name, is_requested, matters, weight, sweep } in
            sweeps(facts, &case.geometry, options)?
        {
            let rows: Vec<Row> = case.profiles.iter().map(|profile| case.row(&sweep, profile)).collect();
            let engine = case.engine(&sweep, &rows[0].counts);
            case.reads.push(ReadCase { name, is_requested, matters, weight, sweep, rows, engine });
        }
        for NamedSweep { weight, sweep, .. } in requested(facts, &case.geometry, options, &options.writes)? {
            let rows: Option<Vec<WriteRow>> =
                case.profiles.iter().map(|profile| case.write_row(&sweep, profile)).collect();
            case.writes.extend(rows.map(|rows| WriteCase { weight, sweep, rows }));
        }
        Ok(Some(case))
    }

    fn row(&self, sweep: &Sweep, profile: &Profile) -> Row {
        let settings = profile.cache(self.geometry.chunk_bytes());
        let counts = self.counts(sweep, settings, profile.version);
        let (seconds, reference_seconds) = (self.costs.seconds(&counts), self.reference.seconds(&counts));
        Row { settings, counts, seconds, reference_seconds }
    }

    /// `None` for data without filters.
    fn write_row(&self, sweep: &Sweep, profile: &Profile) -> Option<WriteRow> {
        let settings = profile.cache(self.geometry.chunk_bytes());
        let counts = self.written(sweep, settings, profile.version)?;
        let seconds = |costs: &CostModel| costs.write_seconds(&counts, self.facts);
        let (seconds, reference_seconds) = (seconds(&self.costs), seconds(&self.reference));
        Some(WriteRow { settings, counts, seconds, reference_seconds })
    }

    /// What the sweep costs hyperslab. Chunk visits and chunks touched are the same under every profile.
    fn engine(&self, sweep: &Sweep, counts: &SweepCounts) -> EngineCounts {
        let budget_bytes = self.options.engine_cache_bytes;
        EngineCounts::new(&self.geometry, sweep, counts, budget_bytes, || {
            let (settings, version) = equivalent_cache(budget_bytes);
            self.counts(sweep, settings, version)
        })
    }

    /// A predicted time: `0.21 s`, or `about 0.21 s` where it follows from constants.
    pub(crate) fn time_text(&self, seconds: f64) -> String {
        let about = if self.options.is_calibrated { "" } else { "about " };
        format!("{about}{}", seconds_text(seconds))
    }

    /// The versions of libhdf5 in these profiles, each once.
    pub(crate) fn versions(&self, profiles: &[usize]) -> Vec<LibVersion> {
        let mut versions: Vec<LibVersion> =
            profiles.iter().map(|profile| self.profiles[*profile].version).collect();
        versions.sort();
        versions.dedup();
        versions
    }

    /// What happens to a chunk that is loaded.
    pub(crate) fn loaded_word(&self) -> &'static str {
        if self.geometry.is_filtered() { "decoded" } else { "fetched" }
    }

    /// The counts of a sweep, simulated once for all libraries and caches that behave identically on this dataset.
    pub(crate) fn counts(&self, sweep: &Sweep, settings: CacheSettings, version: LibVersion) -> SweepCounts {
        let key = SweepKey::new(&self.geometry, settings, version);
        let key = (sweep.clone(), key);
        if let Some(counts) = self.memory.borrow().get(&key) {
            return *counts;
        }
        let counts = simulate_sweep(&self.geometry, settings, version, sweep, self.options.visits_max);
        self.memory.borrow_mut().insert(key, counts);
        counts
    }

    /// The counts of writing a sweep into a new dataset of this kind, as [`Self::counts`]. `None` for data without filters.
    pub(crate) fn written(
        &self,
        sweep: &Sweep,
        settings: CacheSettings,
        version: LibVersion,
    ) -> Option<WrittenCounts> {
        let key = (sweep.clone(), SweepKey::new(&self.geometry, settings, version));
        if let Some(counts) = self.memory_of_writes.borrow().get(&key) {
            return *counts;
        }
        let counts = simulate_writes(&self.geometry, settings, version, sweep, self.options.visits_max);
        self.memory_of_writes.borrow_mut().insert(key, counts);
        counts
    }
}

/// A read before it is simulated.
pub(crate) struct NamedSweep {
    pub(crate) name: String,
    pub(crate) is_requested: bool,
    pub(crate) matters: bool,
    weight: f64,
    pub(crate) sweep: Sweep,
}

/// The reads that the user requested, or the usual ones.
pub(crate) fn sweeps(
    facts: &DatasetFacts,
    geometry: &Geometry,
    options: &Options,
) -> Result<Vec<NamedSweep>, DoctorError> {
    if !options.reads.is_empty() {
        return requested(facts, geometry, options, &options.reads);
    }
    let (shape, order) = (geometry.shape(), checked(facts, geometry, options.order.as_ref())?);
    let usual = default_reads(shape, geometry.chunk_dims()).into_iter().map(|read| NamedSweep {
        name: read.name,
        is_requested: false,
        matters: read.is_natural,
        weight: 1.0,
        sweep: Sweep::new(shape, &read.block, &order),
    });
    Ok(usual.collect())
}

/// The patterns of blocks that the user requested.
fn requested(
    facts: &DatasetFacts,
    geometry: &Geometry,
    options: &Options,
    blocks: &[RequestedRead],
) -> Result<Vec<NamedSweep>, DoctorError> {
    let (shape, order) = (geometry.shape(), checked(facts, geometry, options.order.as_ref())?);
    let sweep = |block: &RequestedRead| {
        let resolved = block.shape.resolve(shape);
        let resolved =
            resolved.ok_or_else(|| rank_error(facts, block.to_string(), block.shape.dims().len()))?;
        checked(facts, geometry, block.placement.order.as_ref())?;
        if let Some(step) = block.placement.step.as_ref().filter(|step| step.len() != shape.len()) {
            return Err(rank_error(facts, format!("every {}", shape_text(step)), step.len()));
        }
        let sweep = block.placement.sweep(shape, &resolved, &order);
        let name = sweep.to_string();
        Ok(NamedSweep { name, is_requested: true, matters: true, weight: block.weight, sweep })
    };
    blocks.iter().map(sweep).collect()
}

/// An order of the dimensions; row-major if there is none.
fn checked(
    facts: &DatasetFacts,
    geometry: &Geometry,
    order: Option<&Vec<usize>>,
) -> Result<Vec<usize>, DoctorError> {
    // Not of the facts: a scalar has the shape of one element here.
    let rank = geometry.shape().len();
    match order {
        Some(order) if order.len() != rank => {
            let text = order.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            Err(rank_error(facts, format!("in the order {text}"), order.len()))
        }
        Some(order) if !is_permutation(order) => {
            let problem = "it is not a permutation of the dimensions".to_owned();
            Err(WordError::Order { text: format!("{order:?}"), problem }.into())
        }
        Some(order) => Ok(order.clone()),
        None => Ok((0..rank).collect()),
    }
}

fn rank_error(facts: &DatasetFacts, text: String, given: usize) -> DoctorError {
    let (path, shape) = (facts.path.clone(), shape_text(&facts.shape));
    DoctorError::Rank { text, given, path, rank: facts.shape.len(), shape }
}
