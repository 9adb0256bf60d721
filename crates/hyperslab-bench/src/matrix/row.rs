//! What was measured of one cell.

use super::Summary;
use crate::measure::PageCache;
use crate::study::{Access, Storage};
use hyperslab_doctor::simulate::CacheSettings;
use serde::{Deserialize, Serialize};

/// All that was measured, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// What was measured.
    pub rows: Vec<Row>,
    /// What was not, and why.
    pub skipped: Vec<Skipped>,
    /// What has to be said of it all, and is no failure.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Something that was not measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The cell, in words.
    pub what: String,
    /// Why, and what to do about it.
    pub why: String,
}

/// One storage, one access, one contender.
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
    /// EngineKind read: `hyperslab`, `libhdf5 (h5py 3.16.0)`.
    pub engine: String,
    /// The engine's release.
    pub version: String,
    /// The chunk cache that it had; none where there is none to set.
    pub cache: Option<CacheSettings>,
    /// True where that is the engine's own default.
    pub is_default_cache: bool,
    /// Bytes of the page buffer.
    pub page_buffer: Option<u64>,
    /// How the file was made, where it was made here.
    pub write: Option<WriteFigures>,
    /// How it was read.
    pub read: ReadFigures,
}

/// What writing took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteFigures {
    /// EngineKind wrote.
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
    /// Bytes of the file beyond the values' own; negative where filters save more than the format takes.
    pub overhead_bytes: i64,
}

/// What reading took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadFigures {
    /// Seconds of reading all blocks.
    pub read: Summary,
    /// Seconds of options, reading and closing.
    pub open_read_close: Summary,
    /// Seconds of the first read.
    pub first: Summary,
    /// Seconds of a read, on average.
    pub average: f64,
    /// Seconds of processor time of it all.
    pub cpu: Summary,
    /// Blocks that were read.
    pub reads: u64,
    /// Blocks that there are: the times are of those that were read, reckoned up to these in `reckoned_read`.
    pub reads_in_all: u64,
    /// Seconds that all blocks would take, where not all were read.
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
    /// Chunks decoded, as counted; as simulated where nobody could count.
    pub fn decodes_known(&self) -> Option<u64> {
        self.decodes.or(self.simulated_decodes)
    }
}

impl Row {
    /// Seconds that the whole access takes.
    pub fn seconds(&self) -> f64 {
        self.read.reckoned_read.unwrap_or(self.read.read.median)
    }
}
