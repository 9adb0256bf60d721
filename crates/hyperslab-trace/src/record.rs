//! The lines of a trace: JSON, one process, dataset or pattern each.
//!
//! ```text
//! {"hyperslab_trace": 1, "pid": 4711, "program": ["./rows", "cris.h5"], …}
//! {"traced": "/t2m", "file": "/data/era5.nc", "chunks": [1, 361, 720], "reads": {"calls": 16200, "decodes": 16200, …}, …}
//! {"dataset": "/t2m", "file": "/data/era5.nc", "shape": [1460, 1, 1], "count": 16200, "order": [1, 2, 0], …}
//! ```
//!
//! The lines of patterns are those that `--reads-from` takes from any program.

use crate::Order;
use hyperslab_storage::CacheSettings;
use serde::{Deserialize, Serialize};

/// The version of these lines.
pub const VERSION: u32 = 1;

/// A line of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// The first line: the process that was watched.
    Process(Process),
    /// A dataset, with all its reads and writes together.
    Dataset(Box<TracedDataset>),
    /// Calls that are alike.
    Pattern(TracedPattern),
}

/// A process that was watched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Process {
    /// The version of the lines.
    pub hyperslab_trace: u32,
    /// Its number.
    pub pid: u32,
    /// Its command line.
    pub program: Vec<String>,
    /// When it began, in seconds since 1970.
    pub started: f64,
    /// How long it ran until these lines were written.
    pub seconds: f64,
    /// True if it ended by itself; otherwise it was still running, or was killed, when these lines were written.
    pub ended: bool,
    /// The versions of the libraries that it called.
    pub libhdf5: Vec<String>,
    /// Where it used too many datasets to tell of each: those that took least time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<Others>,
}

/// Datasets of which only sums are told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Others {
    /// Their number; one that was closed and opened again may count twice.
    pub datasets: u64,
    /// All reads and writes, and chunks read as they are stored.
    pub reads: Calls,
    #[allow(missing_docs)]
    pub writes: Calls,
    #[allow(missing_docs)]
    pub stored_chunks: Calls,
}

impl Others {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.datasets += other.datasets;
        self.reads.add(other.reads);
        self.writes.add(other.writes);
        self.stored_chunks.add(other.stored_chunks);
        // Not every dataset has its decodes counted, and a sum of some would be taken for that of all.
        self.reads.decodes = None;
    }

    /// Seconds inside all calls.
    pub fn seconds(&self) -> f64 {
        self.reads.seconds + self.writes.seconds + self.stored_chunks.seconds
    }
}

/// What was read of a dataset, or written to it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TracedDataset {
    /// Its path.
    pub traced: String,
    /// The file, as the program reached it.
    pub file: String,
    /// Device and inode of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inode: Option<[u64; 2]>,
    /// Its extent.
    pub shape: Vec<u64>,
    /// The type of its elements.
    #[serde(rename = "type")]
    pub element: String,
    /// The bytes of an element.
    pub element_bytes: u64,
    /// The extent of a chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunks: Option<Vec<u64>>,
    /// Its filters, in the words of `--filter`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filters: String,
    /// The version of the library that read it.
    pub libhdf5: String,
    /// The chunk cache that was in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheSettings>,
    /// Where these settings are from: `dataset`, `file`, `netCDF-C` or `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_from: Option<String>,
    /// How often it was opened.
    pub opened: u64,
    /// How many threads read it.
    pub threads: u32,
    /// Seconds from the beginning of the process to the first call and to the end of the last.
    pub first: f64,
    #[allow(missing_docs)]
    pub last: f64,
    /// All reads.
    pub reads: Calls,
    /// All writes.
    #[serde(default, skip_serializing_if = "Calls::is_empty")]
    pub writes: Calls,
    /// Chunks read as they are stored, by H5Dread_chunk: nothing is decoded.
    #[serde(default, skip_serializing_if = "Calls::is_empty")]
    pub stored_chunks: Calls,
    /// The chunks that the reads touched, counted again at each read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
    /// The chunks with elements that were read: fewer decodes are not possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decodes_least: Option<u64>,
    /// What the same reads, in the same order, cost with other caches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<CacheDecodes>,
    /// Why decodes are not counted, where they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_counted: Option<String>,
    /// When the calls were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// How often each chunk was decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_decodes: Option<ChunkDecodes>,
}

/// Calls of one kind, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Calls {
    /// Calls of H5Dread or H5Dwrite.
    pub calls: u64,
    /// Bytes of the elements, as they are in the file without filters.
    pub bytes: u64,
    /// Seconds inside the calls.
    pub seconds: f64,
    /// Chunks that libhdf5 decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decodes: Option<u64>,
}

impl Calls {
    /// True where there was none.
    pub fn is_empty(&self) -> bool {
        self.calls == 0
    }

    /// Adds others.
    pub fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.seconds += other.seconds;
        self.decodes = match (self.decodes, other.decodes) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }
}

/// What the reads cost with a cache that was not in force.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CacheDecodes {
    /// The settings.
    #[serde(flatten)]
    pub cache: CacheSettings,
    /// Chunks decoded.
    pub decodes: u64,
}

/// Calls by time, in parts of equal length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The length of a part in seconds.
    pub part_seconds: f64,
    /// The number of the first part; those before it have no call.
    pub first_part: u64,
    /// Seconds inside calls, calls, and chunks decoded, of each part.
    pub seconds: Vec<f64>,
    #[allow(missing_docs)]
    pub calls: Vec<u64>,
    #[allow(missing_docs)]
    pub decodes: Vec<u64>,
}

/// How often chunks were decoded, in row-major order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkDecodes {
    /// The number of neighbouring chunks that are counted together.
    pub chunks_per_part: u64,
    /// The decodes of each part.
    pub decodes: Vec<u64>,
}

/// Calls that read blocks of the same shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracedPattern {
    /// The dataset.
    pub dataset: String,
    /// The file, as the program reached it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Device and inode of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inode: Option<[u64; 2]>,
    /// The extent of the block.
    pub shape: Vec<u64>,
    /// Of the block, every `step`-th element was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Vec<u64>>,
    /// The order of the blocks; row-major where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// How many such calls there were.
    #[serde(default = "once")]
    pub count: u64,
    /// True for writes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub write: bool,
    /// True where the elements are not a block: `shape` is what holds them all, or a single element for points.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub irregular: bool,
    /// The bytes of the elements.
    #[serde(default)]
    pub bytes: u64,
    /// Seconds inside the calls.
    #[serde(default)]
    pub seconds: f64,
    /// Chunks that libhdf5 decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decodes: Option<u64>,
    /// The type of the elements in the program's memory.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory_type: String,
}

fn once() -> u64 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart_and_those_of_any_program_are_patterns() {
        let line = |text: &str| serde_json::from_str::<Line>(text);
        let text = r#"{"dataset": "/t2m", "shape": [1, 361, 720], "count": 365, "order": "random"}"#;
        let Line::Pattern(pattern) = line(text).unwrap() else { panic!("no pattern") };
        assert_eq!((pattern.count, pattern.order), (365, Some(Order::Named("random".into()))));
        let dataset = TracedDataset { traced: "/t2m".into(), ..TracedDataset::default() };
        let written = serde_json::to_string(&Line::Dataset(dataset.clone().into())).unwrap();
        assert_eq!(line(&written).unwrap(), Line::Dataset(dataset.into()));
        assert!(line(r#"{"shape": [1]}"#).is_err());
    }
}
