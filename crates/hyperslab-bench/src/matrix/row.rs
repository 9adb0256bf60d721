//! What was measured of one cell.

use super::files::MatrixFile;
use super::question::format_of;
use super::simulated;
use super::skipped::Skipped;
use super::subject::Matrix;
use super::write_figures::WriteFigures;
use crate::explanation::Counts;
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::simulate::CacheSettings;
use hyperslab_engines::FileBuffers;
use hyperslab_engines::Storage;
use hyperslab_measure::PageCache;
use hyperslab_measure::access::Access;
use hyperslab_measure::process::Outcome;
use hyperslab_measure::runner::{EngineRun, Summary};
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
    pub storage: Option<Storage>,
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
    /// Blocks that there are: the times are of those that were read, extrapolated to these in `reckoned_read`.
    pub reads_in_all: u64,
    /// Seconds that all blocks would take, where not all were read: the first took what it took, each other one as long as
    /// those after it did on average, from a state in which the first chunks were decoded.
    pub reckoned_read: Option<f64>,
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
        let is_part = check.blocks > 0 && check.blocks < in_all;
        let average = if check.blocks == 0 { 0.0 } else { read.median / check.blocks as f64 };
        let first = runs.summary(|outcome| outcome.first_seconds);
        let extrapolated = extrapolated(first.median, read.median, check.blocks, in_all);
        let has_cache = engine.has_chunk_cache(format_of(file.made));
        let cache = run.task.options.cache.or(check.default_cache).filter(|_| has_cache);
        let predicted = facts.zip(cache).and_then(|(facts, cache)| {
            let version = check.hdf5_version.as_deref()?;
            simulated::decodes_and_seconds(facts, access, matrix.reads_max, version, cache)
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
                reads: check.blocks,
                reads_in_all: in_all,
                reckoned_read: is_part.then_some(extrapolated),
                bytes: last.bytes,
                read_calls: last.usage.read_calls,
                read_bytes: last.usage.read_bytes,
                memory_bytes: last.memory_bytes(),
                decodes: check.decodes,
                simulated_decodes: predicted.map(|(decodes, _)| decodes),
                predicted_seconds: predicted.and_then(|(_, seconds)| seconds),
                page_cache: last.page_cache,
            },
        })
    }

    /// Seconds that the whole access takes.
    pub fn seconds(&self) -> f64 {
        self.read.reckoned_read.unwrap_or(self.read.read.median)
    }
}

/// Seconds of all blocks from those of some: after the first, each takes as long as those after it took on average. The
/// first alone decodes what later ones find decoded, so it must not count for each of them.
fn extrapolated(first: f64, read: f64, blocks: u64, in_all: u64) -> f64 {
    match blocks {
        0 | 1 => read * in_all as f64,
        _ => first + (read - first).max(0.0) / (blocks - 1) as f64 * (in_all - 1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_reads_are_extrapolated_from_those_after_the_first() {
        // The first of 50 reads decodes a chunk in 10 ms; the others take 20 µs, and so do all that follow.
        let some = 0.010 + 49.0 * 20e-6;
        assert!((extrapolated(0.010, some, 50, 16_200) - (0.010 + 16_199.0 * 20e-6)).abs() < 1e-9);
        // Where each read decodes, each takes as long as the first.
        assert!((extrapolated(0.010, 0.5, 50, 16_200) - 162.0).abs() < 1e-9);
        assert_eq!(extrapolated(0.5, 0.5, 1, 10), 5.0);
    }
}
