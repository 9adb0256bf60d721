//! What a cell came to: its times, and what was counted, from which reasons are derived.

use super::cell::{Cell, Work};
use super::figure::{Figure, Kind, Metric, Published};
use crate::explanation::Counts;
use hyperslab_doctor::simulate::ReadCounts;
use hyperslab_engines::{CreationProperties, EngineKind, PageBuffer, PageCounts};
use hyperslab_measure::PageCache;
use hyperslab_measure::access::Access;
use hyperslab_measure::process::{Objects, Outcome};
use hyperslab_measure::runner::{EngineRun, Summary};
use hyperslab_storage::CacheSettings;
use serde::{Deserialize, Serialize};

/// One cell, by one engine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The cell.
    pub cell: String,
    /// What it did.
    pub kind: Kind,
    /// The kind of the engine.
    #[serde(rename = "who")]
    pub by: EngineKind,
    /// The engine: `libhdf5 (h5py 3.16.0)`.
    pub engine: String,
    /// Its release.
    pub version: String,
    /// What was published of it, where this is the engine of the publication.
    pub published: Vec<Published>,
    /// How the data is stored, in words.
    pub stored_as: String,
    /// How it is read or written, in words.
    pub done_as: String,
    /// Seconds of all reads or writes.
    pub seconds: Summary,
    /// Seconds of the first.
    pub first: Summary,
    /// Seconds of opening, reading or writing, and closing.
    pub total: Summary,
    /// Seconds of processor time of it all.
    pub cpu: Summary,
    /// Reads or writes that were made.
    pub blocks: u64,
    /// Reads or writes that there are in all.
    pub blocks_in_all: u64,
    /// Bytes of values.
    pub bytes: u64,
    /// Bytes of all values of the dataset.
    pub logical_bytes: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Calls that read the file.
    pub read_calls: u64,
    /// Bytes that they got.
    pub read_bytes: u64,
    /// Calls that wrote the file.
    pub write_calls: u64,
    /// Bytes that they wrote.
    pub write_bytes: u64,
    /// Most memory beyond what the process had before.
    pub memory_bytes: u64,
    /// Chunks decoded, as counted in the library.
    pub decodes: Option<u64>,
    /// What the simulated cache decodes and reads.
    pub simulated: Option<ReadCounts>,
    /// What was done about the page cache.
    pub page_cache: PageCache,
    /// What was made or visited in a file of many objects.
    pub objects: Option<Objects>,
    /// What passed the library's page buffer.
    pub page_buffer: Option<PageBuffer>,
    /// The chunk cache, and what of the data it can hold.
    pub cache: Option<CacheFit>,
}

/// A chunk cache against the chunks that a read touches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CacheFit {
    /// Its settings.
    pub settings: CacheSettings,
    /// True where they are the library's own.
    pub is_default: bool,
    /// Bytes of a decoded chunk.
    pub chunk_bytes: u64,
    /// Chunks that one read touches.
    pub chunks_touched: u64,
    /// Whether chunks pass a pipeline of filters: only then does one that is too large have to be read whole.
    pub is_filtered: bool,
}

impl CacheFit {
    /// Chunks that fit.
    pub fn chunks_held(&self) -> u64 {
        (self.settings.nbytes / self.chunk_bytes.max(1)).min(self.settings.nslots)
    }

    /// For chunks of this storage, read so, under settings that were given.
    pub(super) fn of(storage: &CreationProperties, access: &Access, settings: CacheSettings) -> Option<Self> {
        let (chunk, chunk_bytes) = (storage.chunks.as_ref()?, storage.chunk_bytes()?);
        let block = access.blocks(&storage.shape).next()?;
        let touched = block.count.iter().zip(&block.step).zip(block.start.iter().zip(chunk));
        let chunks_touched = touched.map(|((count, step), (start, chunk))| {
            let last = start + count.saturating_sub(1) * step;
            if step > chunk { *count } else { last / chunk - start / chunk + 1 }
        });
        Some(Self {
            settings,
            is_default: false,
            chunk_bytes,
            chunks_touched: chunks_touched.product(),
            is_filtered: !storage.filters.is_empty(),
        })
    }
}

impl Measured {
    /// What the runs of a cell came to, by an engine, read or written so from a dataset that is stored so; none where
    /// there are none.
    pub(super) fn of(
        cell: &Cell,
        by: EngineKind,
        run: &EngineRun<Self>,
        storage: &CreationProperties,
        simulated: Option<(CacheFit, Option<ReadCounts>)>,
    ) -> Option<Self> {
        let runs = &run.runs;
        let (check, last) = (runs.check()?, runs.last()?);
        let datasets = check.objects.map(|objects| objects.datasets);
        Some(Self {
            cell: cell.name.clone(),
            kind: cell.work.kind(),
            by,
            engine: run.task.engine.name(),
            version: check.release(),
            published: Vec::new(),
            stored_as: storage.to_string(),
            done_as: cell.work.words(),
            seconds: runs.summary(|run| run.data_seconds),
            first: runs.summary(|run| run.first_seconds),
            total: runs.summary(Outcome::total_seconds),
            cpu: runs.summary(|run| run.usage.cpu_seconds),
            blocks: check.blocks,
            blocks_in_all: datasets.map_or_else(|| run.task.access.len(&storage.shape), |_| check.blocks),
            bytes: last.bytes,
            logical_bytes: datasets.unwrap_or(1) * storage.logical_bytes(),
            file_bytes: last.file_bytes,
            read_calls: last.usage.read_calls,
            read_bytes: last.usage.read_bytes,
            write_calls: last.usage.write_calls,
            write_bytes: last.usage.write_bytes,
            memory_bytes: last.memory_bytes(),
            decodes: check.decodes,
            simulated: simulated.and_then(|(_, counts)| counts),
            page_cache: last.page_cache,
            objects: check.objects,
            page_buffer: last.page_buffer,
            cache: simulated.map(|(fit, _)| fit),
        })
    }

    /// What the cell came to that a figure is of.
    pub(super) fn of_figure<'a>(figure: &Figure, measured: &'a [Self]) -> Option<&'a Self> {
        measured.iter().find(|cell| cell.cell == figure.cell && cell.by == figure.by)
    }

    /// The same as what a cell came to: several may be the same work.
    pub(super) fn of_cell(self, cell: &Cell) -> Self {
        let is_default = matches!(&cell.work, Work::Read(read) if read.cache().is_none());
        Self {
            cell: cell.name.clone(),
            published: cell.published_of(self.by),
            cache: self.cache.map(|fit| CacheFit { is_default, ..fit }),
            ..self
        }
    }

    /// One of its numbers; none where it could not be counted.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        Some(match metric {
            Metric::Seconds => self.seconds.median,
            Metric::First => self.first.median,
            Metric::Average if self.blocks == 0 => return None,
            Metric::Average => self.seconds.median / self.blocks as f64,
            Metric::PerByte if self.bytes == 0 => return None,
            Metric::PerByte => self.seconds.median / self.bytes as f64,
            Metric::Total => self.total.median,
            Metric::FileBytes => self.file_bytes as f64,
            Metric::Overhead => self.file_bytes as f64 - self.logical_bytes as f64,
            Metric::Decodes => self.decodes_known()? as f64,
            Metric::ReadBytes => self.read_bytes as f64,
            Metric::ReadCalls => self.read_calls as f64,
            Metric::PageAccesses => self.pages(|counts| counts.accesses)?,
            Metric::PageHits => self.pages(|counts| counts.hits)?,
            Metric::PageMisses => self.pages(|counts| counts.misses)?,
            Metric::PageEvictions => self.pages(|counts| counts.evictions)?,
        })
    }

    /// Chunks decoded, as counted; as simulated where they cannot be counted.
    pub(super) fn decodes_known(&self) -> Option<u64> {
        self.decodes.or(self.simulated.map(|counts| counts.decodes))
    }

    /// What explains how long it took.
    pub(super) fn counts(&self) -> Counts {
        let Self { read_calls, read_bytes, .. } = *self;
        Counts { decodes: self.decodes_known(), read_calls, read_bytes }
    }

    /// Of metadata and raw data together.
    fn pages(&self, of: fn(PageCounts) -> u64) -> Option<f64> {
        let buffer = self.page_buffer?;
        Some((of(buffer.metadata) + of(buffer.raw)) as f64)
    }

    /// Chunks decoded, as counted and as simulated, where both are known and chunks pass filters.
    pub fn counts_to_compare(&self) -> Option<(u64, u64)> {
        let is_filtered = self.cache.is_some_and(|cache| cache.is_filtered);
        Some((self.decodes?, self.simulated?.decodes)).filter(|_| is_filtered)
    }
}

#[cfg(test)]
impl Measured {
    /// A read in one block that took so long, for tests.
    pub(super) fn example(cell: &str, by: EngineKind, seconds: f64) -> Self {
        let took = Summary::of(&[seconds]);
        Self {
            cell: cell.to_owned(),
            by,
            version: "1.2".to_owned(),
            seconds: took.clone(),
            first: took.clone(),
            total: took.clone(),
            cpu: took,
            blocks: 1,
            blocks_in_all: 1,
            bytes: 1 << 20,
            logical_bytes: 1 << 20,
            file_bytes: 1 << 20,
            read_calls: 9,
            read_bytes: 1 << 20,
            ..Self::default()
        }
    }
}
