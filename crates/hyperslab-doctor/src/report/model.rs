//! The report as `--json` prints it.

use crate::case::{Case, ReadCase, WriteCase};
use crate::facts::{DatasetFacts, FilterFact, Layout, VariableLength};
use crate::finding::Finding;
use crate::forecast::Forecast;
use crate::numbers::rounded;
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::{Placement, RandomPlaces, Sweep};
use serde::{Deserialize, Serialize};

/// A whole file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The file's name.
    pub file: String,
    /// What predicted seconds are based on.
    #[serde(default)]
    pub prediction: Prediction,
    /// What is wrong with the file as a whole, most severe first.
    pub findings: Vec<Finding>,
    /// Each dataset that was examined in detail, and each other with a finding.
    pub datasets: Vec<DatasetReport>,
    /// What the file refers to and lacks, and whether it was not closed: a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
    /// What the file takes in an object store, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forecast: Option<Forecast>,
}

/// What predicted seconds are based on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prediction {
    /// The libhdf5 that was calibrated on this machine, or null where the built-in constants were used.
    pub library: Option<String>,
    /// Its release, or null.
    pub release: Option<String>,
}

/// One dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetReport {
    /// Absolute path in the file.
    pub path: String,
    /// Current extent.
    pub shape: Vec<u64>,
    /// Element type, as h5py writes it.
    pub dtype: String,
    /// `chunked`, `contiguous`, `compact`, `virtual` or `external`; in older formats also `stream`, `linked blocks` or `records`.
    pub layout: String,
    /// Extent of a chunk, or null.
    pub chunks: Option<Vec<u64>>,
    /// Bytes of a decoded chunk, or null.
    pub chunk_bytes: Option<u64>,
    /// Number of stored chunks, or null if the layout is not chunked or they were not counted.
    pub stored_chunks: Option<u64>,
    /// Kind of chunk index, or null.
    pub chunk_index: Option<String>,
    /// The filter pipeline.
    pub filters: Vec<FilterFact>,
    /// Elements times their size.
    pub logical_bytes: u64,
    /// Raw data bytes in the file.
    pub stored_bytes: u64,
    /// What its elements refer to in the global heap, or null.
    pub variable_length: Option<VariableLength>,
    /// True if the predicted seconds are based on a measurement of this dataset's own chunks.
    pub speed_measured: bool,
    /// Each read that was simulated.
    pub reads: Vec<ReadReport>,
    /// Each way to write it that was simulated; left out if none was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<WriteReport>,
    /// What is wrong, most severe first.
    pub findings: Vec<Finding>,
}

/// One read pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadReport {
    /// `row by row`, or the shape that the user requested.
    pub name: String,
    /// Extent of the block.
    pub shape: Vec<u64>,
    /// Dimensions, slowest first.
    pub order: Vec<usize>,
    /// The distances of the elements that are wanted, by dimension; left out where all are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Vec<u64>>,
    /// Random places in place of a sweep; left out for a sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomPlaces>,
    /// Blocks that are read.
    pub reads: u64,
    /// True if the user requested it.
    pub asked: bool,
    /// The result under each profile.
    pub profiles: Vec<ProfileReport>,
    /// The result in hyperslab.
    pub hyperslab: EngineReport,
}

impl ReadReport {
    /// The pattern over a dataset of this shape, the one that was simulated.
    ///
    /// # Panics
    /// If the dataset has another rank.
    pub fn sweep(&self, shape: &[u64]) -> Sweep {
        let placement = Placement { order: None, step: self.step.clone(), random: self.random };
        placement.sweep(shape, &self.shape, &self.order)
    }
}

/// A read under one profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileReport {
    /// Name of the profile.
    pub name: String,
    /// The version of the library that was simulated.
    pub version: String,
    /// The chunk cache of the profile.
    pub cache: CacheSettings,
    /// Different stored chunks that the sweep touches.
    pub chunks_touched: u64,
    /// Chunks put through the filter pipeline.
    pub decodes: u64,
    /// Bytes that come out of the decoder, in a library that decodes parts of a stream; left out for libhdf5, which decodes whole
    /// chunks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoded_bytes: Option<u64>,
    /// Decodes per chunk that needs any; null if none does.
    pub amplification: Option<f64>,
    /// Reads of raw data that reached the file driver.
    pub driver_reads: u64,
    /// The bytes of those reads.
    pub driver_bytes: u64,
    /// Predicted seconds; see the crate's `predict` module.
    pub predicted_seconds: f64,
    /// False if part of the counts is extrapolated.
    pub exact: bool,
    /// Reads that were simulated, or counted exactly because they repeat.
    pub reads_simulated: u64,
}

/// One pattern of writes into a new dataset of this kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteReport {
    /// The shape that the user requested, with steps and places.
    pub name: String,
    /// Extent of the block.
    pub shape: Vec<u64>,
    /// Dimensions, slowest first.
    pub order: Vec<usize>,
    /// Blocks that are written.
    pub writes: u64,
    /// The result under each profile.
    pub profiles: Vec<WriteProfileReport>,
}

/// Writes under one profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteProfileReport {
    /// Name of the profile.
    pub name: String,
    /// The version of libhdf5 that was simulated.
    pub version: String,
    /// The chunk cache of the profile.
    pub cache: CacheSettings,
    /// Different chunks that are written.
    pub chunks: u64,
    /// Chunks that were encoded.
    pub encodes: u64,
    /// Chunks that were decoded before they were changed.
    pub decodes: u64,
    /// Encodes per chunk: 1 is ideal.
    pub amplification: f64,
    /// Predicted seconds. Encoding is not measured: it is about so long.
    pub predicted_seconds: f64,
    /// False if part of the counts is extrapolated.
    pub exact: bool,
}

/// A read in hyperslab.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EngineReport {
    /// Different stored chunks that the sweep touches.
    pub chunks_touched: u64,
    /// Chunks decoded: each once, as long as the cache has room for the chunks that the sweep returns to.
    pub decodes: u64,
    /// Decodes per chunk that needs any; null if none does.
    pub amplification: Option<f64>,
    /// Requests for stored bytes, estimated without a plan.
    pub driver_reads: u64,
    /// The bytes of those requests; an upper bound for filtered chunks.
    pub driver_bytes: u64,
    /// Predicted seconds, using all threads.
    pub predicted_seconds: f64,
}

impl DatasetReport {
    pub(crate) fn of(facts: &DatasetFacts) -> Self {
        let (layout, chunk_index) = match &facts.layout {
            Layout::Chunked { index_kind, .. } => ("chunked", Some(index_kind.clone())),
            Layout::Contiguous { .. } => ("contiguous", None),
            Layout::Compact => ("compact", None),
            Layout::Virtual => ("virtual", None),
            Layout::External => ("external", None),
            Layout::Linked => ("linked", None),
        };
        Self {
            path: facts.path.clone(),
            shape: facts.shape.clone(),
            dtype: facts.dtype.clone(),
            layout: layout.to_owned(),
            chunks: facts.chunk_dims().map(<[u64]>::to_vec),
            chunk_bytes: facts.chunk_bytes(),
            stored_chunks: facts.chunks.as_ref().map(|chunks| chunks.stored_chunks()),
            chunk_index,
            filters: facts.filters.clone(),
            logical_bytes: facts.logical_bytes,
            stored_bytes: facts.stored_bytes,
            variable_length: facts.variable_length,
            speed_measured: facts.samples.as_ref().is_some_and(|s| s.decode_bytes_per_second().is_some()),
            reads: Vec::new(),
            writes: Vec::new(),
            findings: Vec::new(),
        }
    }

    pub(crate) fn fill(&mut self, case: &Case<'_>) {
        if self.chunks.is_some() {
            self.stored_chunks = case.geometry.chunks().map(|chunks| chunks.stored_chunks());
        }
        self.reads = case.reads.iter().map(|read| read_report(case, read)).collect();
        self.writes = case.writes.iter().map(|write| write_report(case, write)).collect();
    }
}

impl ReadReport {
    /// The report on these reads.
    pub(crate) fn new(
        name: &str,
        sweep: &Sweep,
        asked: bool,
        profiles: Vec<ProfileReport>,
        hyperslab: EngineReport,
    ) -> Self {
        Self {
            name: name.to_owned(),
            shape: sweep.block().to_vec(),
            order: sweep.order().to_vec(),
            step: sweep.step().iter().any(|step| *step != 1).then(|| sweep.step().to_vec()),
            random: sweep.random(),
            reads: sweep.reads(),
            asked,
            profiles,
            hyperslab,
        }
    }
}

fn write_report(case: &Case<'_>, write: &WriteCase) -> WriteReport {
    let profiles = case.profiles.iter().zip(&write.rows).map(|(profile, row)| WriteProfileReport {
        name: profile.name.clone(),
        version: profile.version.to_string(),
        cache: row.settings,
        chunks: row.counts.chunks,
        encodes: row.counts.counts.encodes,
        decodes: row.counts.counts.decodes,
        amplification: rounded(row.counts.amplification()),
        predicted_seconds: rounded(row.seconds),
        exact: row.counts.is_exact,
    });
    WriteReport {
        name: write.sweep.to_string(),
        shape: write.sweep.block().to_vec(),
        order: write.sweep.order().to_vec(),
        writes: write.sweep.reads(),
        profiles: profiles.collect(),
    }
}

fn read_report(case: &Case<'_>, read: &ReadCase) -> ReadReport {
    let profiles = case.profiles.iter().zip(&read.rows).map(|(profile, row)| ProfileReport {
        name: profile.name.clone(),
        version: profile.version.to_string(),
        cache: row.settings,
        chunks_touched: row.counts.chunks_touched,
        decodes: row.counts.decodes,
        decoded_bytes: None,
        amplification: row.counts.amplification().map(rounded),
        driver_reads: row.counts.driver_reads,
        driver_bytes: row.counts.driver_bytes,
        predicted_seconds: rounded(row.seconds),
        exact: row.counts.is_exact,
        reads_simulated: row.counts.reads_simulated,
    });
    // Chunks touched and chunks that need decoding are the same under every profile, and there is at least one.
    let counts = read.rows[0].counts;
    let asked = read.is_requested;
    ReadReport::new(
        &read.name,
        &read.sweep,
        asked,
        profiles.collect(),
        EngineReport {
            chunks_touched: counts.chunks_touched,
            decodes: read.engine.decodes,
            amplification: (counts.chunks_filtered > 0)
                .then(|| rounded(read.engine.decodes as f64 / counts.chunks_filtered as f64)),
            driver_reads: read.engine.requests,
            driver_bytes: read.engine.bytes,
            predicted_seconds: rounded(case.costs.engine_seconds(&counts, &read.engine)),
        },
    )
}
