//! What a preloaded library is to do, as the command tells it: JSON in an environment variable, which children inherit.

use hyperslab_storage::CacheSettings;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The variable. `off` in place of JSON leaves a program as it is.
pub const PLAN_VARIABLE: &str = "HYPERSLAB_RUN";

/// What a preloaded library is to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The folder for the files of a trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<PathBuf>,
    /// Chunk caches that fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CachePlan>,
    /// Reads are answered by the engine where that comes to the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EnginePlan>,
}

/// Reads that the engine answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnginePlan {
    /// The threads that decode; by default those of the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// Bytes of decoded chunks that are kept; by default those of the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Smaller datasets are left to libhdf5; by default those of less than 1 MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset_bytes_min: Option<u64>,
    /// Each read is made by both, and compared; the program gets libhdf5's.
    #[serde(default)]
    pub verify: bool,
    /// What was read, answered and left is printed at the end.
    #[serde(default)]
    pub report: bool,
}

/// Chunk caches that fit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CachePlan {
    /// Bytes for the caches of all open datasets together; by default, what the engine would take for its own cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The caches of datasets whose reads were traced before. All others have those of the usual reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<PlannedCache>,
}

/// The cache of a dataset whose reads were traced before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedCache {
    /// Its path.
    pub dataset: String,
    /// The file, as the program reached it, and its device and inode.
    pub file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs)]
    pub inode: Option<[u64; 2]>,
    /// The cache with which these reads decode least.
    pub cache: CacheSettings,
}

impl Plan {
    /// The plan in the environment of this process; none if it is missing, `off`, or not a plan.
    pub fn of_environment() -> Option<Self> {
        serde_json::from_str(&std::env::var(PLAN_VARIABLE).ok()?).ok()
    }

    /// The value of the variable.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
