//! What was measured of one cell.

use super::extrapolation::{Extrapolation, by_average};
use super::files::MatrixFile;
use super::simulated;
use super::skipped::Skipped;
use super::subject::Matrix;
use super::write_figures::WriteFigures;
use crate::explanation::Counts;
use hyperslab_doctor::{DatasetFacts, equivalent_cache};
use hyperslab_engines::{CreationProperties, Engine, FileBuffers, PageBuffer};
use hyperslab_measure::PageCache;
use hyperslab_measure::access::{Access, Part};
use hyperslab_measure::process::Outcome;
use hyperslab_measure::runner::{EngineRun, Summary};
use hyperslab_storage::CacheSettings;
use serde::{Deserialize, Serialize};

/// All that was measured, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// What was measured.
    pub rows: Vec<Row>,
    /// What was not, and why.
    pub skipped: Vec<Skipped>,
    /// What has to be said of it all, and is not a failure.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// One storage, one access, one engine with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// How the data is stored; none for the user's file as it is.
    pub storage: Option<CreationProperties>,
    /// The same in words.
    pub stored_as: String,
    /// How it is read.
    pub access: Access,
    /// The same in words.
    pub read_as: String,
    /// The engine: `hyperslab`, `libhdf5 (h5py 3.16.0)`.
    pub engine: String,
    /// The engine's release.
    pub version: String,
    /// The chunk cache that it had; none where there is none to set.
    pub cache: Option<CacheSettings>,
    /// True where that is the engine's own default.
    pub is_default_cache: bool,
    /// What the library buffered of the file beside its chunks.
    #[serde(flatten)]
    pub buffers: FileBuffers,
    /// How the file was made, where it was made here.
    pub write: Option<WriteFigures>,
    /// How it was read.
    pub read: ReadFigures,
}

/// What reading took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadFigures {
    /// Seconds of reading all blocks.
    pub read: Summary,
    /// Seconds of opening, reading and closing.
    pub open_read_close: Summary,
    /// Seconds of the first read.
    pub first: Summary,
    /// Seconds of a read, on average.
    pub average: f64,
    /// Seconds of processor time of it all.
    pub cpu: Summary,
    /// Blocks that were read.
    pub reads: u64,
    /// Blocks that there are: the times are of those that were read, extrapolated to these in `extrapolated_read`.
    pub reads_in_all: u64,
    /// Seconds that all blocks would take, where not all were read: by what the chunk cache does for those that were, and
    /// for all.
    #[serde(alias = "reckoned_read")]
    pub extrapolated_read: Option<f64>,
    /// Bytes of values.
    pub bytes: u64,
    /// Calls that read the file.
    pub read_calls: u64,
    /// Bytes that they got.
    pub read_bytes: u64,
    /// Most memory beyond what the process had before.
    pub memory_bytes: u64,
    /// Chunks decoded, as counted.
    pub decodes: Option<u64>,
    /// Chunks decoded, as simulated.
    pub simulated_decodes: Option<u64>,
    /// Seconds that the simulated decodes and requests should take in a libhdf5, by the measured speed of this
    /// dataset's decoder.
    pub predicted_seconds: Option<f64>,
    /// What passed libhdf5's page buffer, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_buffer: Option<PageBuffer>,
    /// What was done about the page cache.
    pub page_cache: PageCache,
}

impl ReadFigures {
    /// What explains how long it took: decodes as counted, or as simulated where they cannot be counted.
    pub fn counts(&self) -> Counts {
        let Self { read_calls, read_bytes, .. } = *self;
        Counts { decodes: self.decodes.or(self.simulated_decodes), read_calls, read_bytes }
    }
}

impl Row {
    /// What the runs came to, on a file that was written so.
    ///
    /// # Errors
    /// Why there is nothing to say of them.
    pub(super) fn of(
        run: &EngineRun<Self>,
        file: &MatrixFile<'_>,
        written: Option<&WriteFigures>,
        matrix: &Matrix,
        facts: Option<&DatasetFacts>,
    ) -> Result<Self, String> {
        let (runs, engine, access) = (&run.runs, &run.task.engine, &run.task.access);
        let (Some(check), Some(last)) = (runs.check(), runs.last()) else { return Err(run.failure()) };
        let read = runs.summary(|outcome| outcome.data_seconds);
        let in_all = access.len(matrix.subject.shape());
        let reads = last.blocks;
        let is_part = reads > 0 && reads < in_all;
        let part = if is_part { Part::Spread(reads) } else { Part::All };
        let average = if reads == 0 { 0.0 } else { read.median / reads as f64 };
        let first = runs.summary(|outcome| outcome.first_seconds);
        let has_cache = engine.has_chunk_cache(matrix.format_of(file.made));
        let cache = run.task.options.cache.or(check.default_cache).filter(|_| has_cache);
        let version = || check.hdf5_version.as_deref()?.parse().ok();
        let simulated_cache = match engine {
            Engine::Hyperslab => Some(equivalent_cache(hyperslab::cache_bytes() as u64)),
            _ => cache.zip(version()),
        };
        let extrapolated = is_part.then(|| {
            let by_average = by_average(first.median, read.median, reads, in_all);
            let (Some(facts), Some((cache, version))) = (facts, simulated_cache) else { return by_average };
            let made = Extrapolation { facts, access, part, cache, version };
            made.seconds(&runs.block_seconds()).unwrap_or(by_average)
        });
        let simulated = facts.zip(simulated_cache).and_then(|(facts, (cache, version))| {
            simulated::decodes_and_seconds(facts, access, part, version, cache)
        });
        Ok(Self {
            storage: file.made.map(|(storage, _)| storage.clone()),
            stored_as: file.stored_as.clone(),
            access: access.clone(),
            read_as: access.to_string(),
            engine: engine.name(),
            version: check.version.clone(),
            cache,
            is_default_cache: run.task.options.cache.is_none(),
            buffers: run.task.options.buffers,
            write: written.cloned(),
            read: ReadFigures {
                read,
                open_read_close: runs.summary(Outcome::total_seconds),
                first,
                average,
                cpu: runs.summary(|outcome| outcome.usage.cpu_seconds),
                reads,
                reads_in_all: in_all,
                extrapolated_read: extrapolated,
                bytes: last.bytes,
                read_calls: last.usage.read_calls,
                read_bytes: last.usage.read_bytes,
                memory_bytes: last.memory_bytes(),
                decodes: check.decodes,
                simulated_decodes: simulated.map(|(decodes, _)| decodes),
                // Those of a libhdf5.
                predicted_seconds: simulated
                    .filter(|_| *engine != Engine::Hyperslab)
                    .and_then(|(_, seconds)| seconds),
                page_buffer: last.page_buffer,
                page_cache: last.page_cache,
            },
        })
    }

    /// Seconds that the whole access takes.
    pub fn seconds(&self) -> f64 {
        self.read.extrapolated_read.unwrap_or(self.read.read.median)
    }
}
