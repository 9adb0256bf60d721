//! The reads that the user's own libhdf5 makes of a file, recorded by its h5py.

use super::SweptRead;
use hyperslab_engines::library;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// What Python runs.
const SCRIPT: &str = include_str!("record.py");
/// A Python that takes longer hangs.
const PYTHON_MAX: Duration = Duration::from_secs(180);
/// So many blocks of a series are recorded at most,
const BLOCKS_MAX: usize = 1_000;
/// and only until so many bytes of the file were read.
const BYTES_MAX: u64 = 64 << 20;

#[derive(Serialize)]
struct Request<'a> {
    file: &'a Path,
    reads: Vec<ReadRequest<'a>>,
    bytes_max: u64,
}

#[derive(Serialize)]
struct ReadRequest<'a> {
    dataset: &'a str,
    /// Start and count of each.
    blocks: &'a [(Vec<u64>, Vec<u64>)],
}

/// What libhdf5 read of a file.
#[derive(Debug, Deserialize)]
pub(super) struct Recording {
    h5py: String,
    hdf5: String,
    /// To open it.
    pub(super) opening: Recorded,
    /// To list all objects with their attributes, and the addresses of all chunks.
    pub(super) listing: Recorded,
    /// For each of the reads, from the opening on.
    pub(super) reads: Vec<Recorded>,
}

/// What libhdf5 read in one session, or why it could not.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Recorded {
    /// Offset and length of each read, and the number of blocks that were read.
    Done { accesses: Vec<(u64, u64)>, blocks: u64 },
    /// It failed.
    Failed { error: String },
}

impl Recorded {
    /// The number of blocks that were read.
    pub(super) fn blocks(&self) -> Option<usize> {
        match self {
            Self::Done { blocks, .. } => usize::try_from(*blocks).ok(),
            Self::Failed { .. } => None,
        }
    }
}

impl Recording {
    /// Records the reads of a local file. `None` if no Python with h5py is found, or if it does not end in time.
    pub(super) fn of(file: &Path, reads: &[SweptRead]) -> Option<Self> {
        let reads = reads.iter().map(|read| {
            let blocks = &read.blocks[..read.blocks.len().min(BLOCKS_MAX)];
            ReadRequest { dataset: &read.path, blocks }
        });
        // Python runs in the same folder, but it may also be given a name that begins with a dash.
        let file = &std::path::absolute(file).ok()?;
        let request = Request { file, reads: reads.collect(), bytes_max: BYTES_MAX };
        let request = serde_json::to_string(&request).ok()?;
        library::pythons().iter().find_map(|python| library::ask_with(python, SCRIPT, &request, PYTHON_MAX))
    }

    /// The release of libhdf5.
    pub(super) fn release(&self) -> &str {
        &self.hdf5
    }

    /// Whose reads they are: `h5py 3.16.0, libhdf5 2.0.0`.
    pub(super) fn library(&self) -> String {
        format!("h5py {}, libhdf5 {}", self.h5py, self.hdf5)
    }
}
