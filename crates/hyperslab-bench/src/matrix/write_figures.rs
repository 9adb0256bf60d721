//! What was measured of writing one file.

use super::question::Made;
use hyperslab_measure::access::Access;
use hyperslab_measure::process::Outcome;
use hyperslab_measure::runner::{EngineRun, Summary};
use hyperslab_storage::CacheSettings;
use serde::{Deserialize, Serialize};

/// What writing took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteFigures {
    /// The engine.
    pub engine: String,
    /// The engine's release.
    pub version: String,
    /// In which blocks.
    pub access: Access,
    /// The same in words.
    pub written_as: String,
    /// The chunk cache that it had; none where there is none to set.
    pub cache: Option<CacheSettings>,
    /// True where that is the engine's own default.
    pub is_default_cache: bool,
    /// Seconds of writing.
    pub write: Summary,
    /// Seconds of creating, writing and closing.
    pub open_write_close: Summary,
    /// Seconds of processor time of it all.
    pub cpu: Summary,
    /// Blocks that were written.
    pub writes: u64,
    /// Bytes of values.
    pub bytes: u64,
    /// Calls that wrote the file.
    pub write_calls: u64,
    /// Bytes that they wrote.
    pub write_bytes: u64,
    /// Most memory beyond what the process had before.
    pub memory_bytes: u64,
    /// Chunks encoded, as counted: more than there are where chunks leave the cache before they are full.
    pub encodes: Option<u64>,
    /// Chunks decoded to be filled further, as counted.
    pub decodes: Option<u64>,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of the file beyond the values' own; none where filters make these smaller.
    pub overhead_bytes: Option<i64>,
}

impl WriteFigures {
    /// What writing came to; none where it failed.
    pub(super) fn of(run: &EngineRun<()>, (storage, strategy): Made<'_>) -> Option<Self> {
        let (runs, access) = (&run.runs, &run.task.access);
        let (writer, last) = (&run.task.engine, runs.last().filter(|_| run.failure.is_none())?);
        let has_cache = writer.has_chunk_cache(storage.format);
        Some(Self {
            engine: writer.name(),
            version: last.version.clone(),
            written_as: access.to_string(),
            access: access.clone(),
            cache: strategy.cache.or(last.default_cache).filter(|_| has_cache),
            is_default_cache: strategy.cache.is_none(),
            write: runs.summary(|outcome| outcome.data_seconds),
            open_write_close: runs.summary(Outcome::total_seconds),
            cpu: runs.summary(|outcome| outcome.usage.cpu_seconds),
            writes: last.blocks,
            bytes: last.bytes,
            write_calls: last.usage.write_calls,
            write_bytes: last.usage.write_bytes,
            memory_bytes: last.memory_bytes(),
            encodes: last.encodes,
            decodes: last.decodes,
            file_bytes: last.file_bytes,
            overhead_bytes: storage
                .filters
                .is_empty()
                .then(|| last.file_bytes as i64 - storage.logical_bytes() as i64),
        })
    }
}
