//! The datasets of a trace, added up over its processes.

use super::cure::{Cure, cure};
use super::when::timeline;
use hyperslab_trace::{
    CacheDecodes, Calls, ChunkDecodes, Others, Process, Timeline, Trace, TracedDataset, TracedPattern,
};
use serde::Serialize;

/// The most patterns of a dataset that an answer has.
const PATTERNS_MAX: usize = 8;

/// What a trace says.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Answer {
    /// The folder or the file.
    pub trace: String,
    /// The command line of the process that used most time in HDF5.
    pub program: Vec<String>,
    /// How many processes called HDF5.
    pub processes: u64,
    /// The longest that one of them ran, in seconds; and whether all ended by themselves.
    pub seconds: f64,
    #[allow(missing_docs)]
    pub ended: bool,
    /// Seconds inside the calls of all processes.
    pub seconds_in_hdf5: f64,
    /// The datasets, those that took most time first.
    pub datasets: Vec<Traced>,
    /// Datasets of which only sums are told, because a process used too many.
    pub others: Option<Others>,
}

/// A dataset.
#[derive(Debug, Clone, Serialize)]
pub struct Traced {
    /// The file and the dataset.
    pub file: String,
    #[allow(missing_docs)]
    pub dataset: String,
    /// The versions of the libraries that read it.
    pub libhdf5: String,
    /// Its extent, type, chunks and filters.
    pub shape: Vec<u64>,
    #[serde(rename = "type")]
    #[allow(missing_docs)]
    pub element: String,
    #[allow(missing_docs)]
    pub chunks: Option<Vec<u64>>,
    #[allow(missing_docs)]
    pub filters: String,
    /// All reads and writes.
    pub reads: Calls,
    #[allow(missing_docs)]
    pub writes: Calls,
    /// Chunks read as they are stored, by H5Dread_chunk.
    pub stored_chunks: Calls,
    /// The decodes that the same reads need at least, in each process.
    pub decodes_least: Option<u64>,
    /// The chunk cache in force, and where it is from.
    pub cache: Option<hyperslab_storage::CacheSettings>,
    #[allow(missing_docs)]
    pub cache_from: Option<String>,
    /// What the same reads, in the same order, decode with other caches.
    pub candidates: Vec<CacheDecodes>,
    /// Why decodes are not counted, where they are not.
    pub not_counted: Option<String>,
    /// What was read most: calls that are alike, those that took most time first.
    pub patterns: Vec<TracedPattern>,
    /// When it was read, in seconds since the first process began.
    pub timeline: Option<Timeline>,
    /// How often its chunks were decoded.
    pub chunk_decodes: Option<ChunkDecodes>,
    /// The line that helps most.
    pub cure: Option<Cure>,
}

impl Answer {
    /// Adds up the datasets of a trace.
    pub(super) fn of(trace: &Trace, name: &str) -> Self {
        let most = trace.processes.iter().max_by(|a, b| in_hdf5(a).total_cmp(&in_hdf5(b)));
        let program = most.map(|(process, _)| process.program.clone()).unwrap_or_default();
        let mut datasets: Vec<Traced> = Vec::new();
        for dataset in trace.processes.iter().flat_map(|(_, datasets)| datasets) {
            let same = |known: &&mut Traced| known.file == dataset.file && known.dataset == dataset.traced;
            match datasets.iter_mut().find(same) {
                Some(known) => known.add(dataset),
                None => datasets.push(Traced::of_line(dataset)),
            }
        }
        for dataset in &mut datasets {
            dataset.cure = cure(dataset, &program);
            dataset.patterns = patterns(trace, dataset);
            dataset.timeline = timeline(trace, &dataset.file, &dataset.dataset);
        }
        datasets.sort_by(|a, b| b.seconds().total_cmp(&a.seconds()).then_with(|| a.dataset.cmp(&b.dataset)));
        let mut others: Option<Others> = None;
        for of_process in trace.processes.iter().filter_map(|(process, _)| process.others.as_ref()) {
            others.get_or_insert_default().add(of_process);
        }
        Self {
            trace: name.to_owned(),
            processes: trace.processes.len() as u64,
            seconds: trace.processes.iter().map(|(process, _)| process.seconds).fold(0.0, f64::max),
            ended: trace.processes.iter().all(|(process, _)| process.ended),
            seconds_in_hdf5: trace.processes.iter().map(in_hdf5).sum(),
            program,
            datasets,
            others,
        }
    }
}

/// Seconds inside the calls of a process.
fn in_hdf5((process, datasets): &(Process, Vec<TracedDataset>)) -> f64 {
    let seconds = |dataset: &TracedDataset| {
        dataset.reads.seconds + dataset.writes.seconds + dataset.stored_chunks.seconds
    };
    datasets.iter().map(seconds).sum::<f64>() + process.others.as_ref().map_or(0.0, Others::seconds)
}

/// The patterns of a dataset in all processes.
fn patterns(trace: &Trace, dataset: &Traced) -> Vec<TracedPattern> {
    let mut found: Vec<TracedPattern> = Vec::new();
    let is_of = |pattern: &&TracedPattern| {
        pattern.dataset == dataset.dataset && pattern.file.as_ref() == Some(&dataset.file)
    };
    for pattern in trace.patterns.iter().filter(is_of) {
        let same = |known: &&mut TracedPattern| {
            (&known.shape, &known.step, &known.order) == (&pattern.shape, &pattern.step, &pattern.order)
                && (known.write, known.irregular) == (pattern.write, pattern.irregular)
        };
        match found.iter_mut().find(same) {
            Some(known) => {
                known.count += pattern.count;
                known.bytes = known.bytes.saturating_add(pattern.bytes);
                known.seconds += pattern.seconds;
                known.decodes = known.decodes.zip(pattern.decodes).map(|(a, b)| a + b);
            }
            None => found.push(pattern.clone()),
        }
    }
    found.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    found.truncate(PATTERNS_MAX);
    found
}

impl Traced {
    /// One that a single process used.
    pub fn of_line(dataset: &TracedDataset) -> Self {
        Self {
            file: dataset.file.clone(),
            dataset: dataset.traced.clone(),
            libhdf5: dataset.libhdf5.clone(),
            shape: dataset.shape.clone(),
            element: dataset.element.clone(),
            chunks: dataset.chunks.clone(),
            filters: dataset.filters.clone(),
            reads: dataset.reads,
            writes: dataset.writes,
            stored_chunks: dataset.stored_chunks,
            decodes_least: dataset.decodes_least,
            cache: dataset.cache,
            cache_from: dataset.cache_from.clone(),
            candidates: dataset.candidates.clone(),
            not_counted: dataset.not_counted.clone(),
            patterns: Vec::new(),
            timeline: None,
            chunk_decodes: dataset.chunk_decodes.clone(),
            cure: None,
        }
    }

    /// Adds what another process did with it.
    fn add(&mut self, other: &TracedDataset) {
        let counted = self.reads.decodes.is_some() && other.reads.decodes.is_some();
        self.reads.add(other.reads);
        self.writes.add(other.writes);
        self.stored_chunks.add(other.stored_chunks);
        if !counted {
            // A sum of some processes would be taken for that of all.
            (self.reads.decodes, self.decodes_least) = (None, None);
            self.candidates.clear();
            self.not_counted = self.not_counted.take().or_else(|| other.not_counted.clone());
        }
        match (&mut self.chunk_decodes, &other.chunk_decodes) {
            (Some(ours), Some(others)) if ours.decodes.len() == others.decodes.len() => {
                ours.decodes.iter_mut().zip(&others.decodes).for_each(|(ours, others)| *ours += others);
            }
            (None, others) => self.chunk_decodes = others.clone(),
            (Some(_), _) => {}
        }
        self.decodes_least = self.decodes_least.zip(other.decodes_least).map(|(a, b)| a + b);
        let other_decodes = |cache| other.candidates.iter().find(|tried| tried.cache == cache);
        self.candidates.retain_mut(|tried| match other_decodes(tried.cache) {
            Some(same) => {
                tried.decodes += same.decodes;
                true
            }
            None => false,
        });
        if !self.libhdf5.split(", ").any(|known| known == other.libhdf5) {
            self.libhdf5 = format!("{}, {}", self.libhdf5, other.libhdf5);
        }
    }

    /// Seconds inside all calls.
    pub fn seconds(&self) -> f64 {
        self.reads.seconds + self.writes.seconds + self.stored_chunks.seconds
    }
}
