//! What a process of its own is asked to do, and what it answers. Both travel as one line of JSON.

use crate::access::{Access, Part};
use crate::calibration::{Pass, SamplePlan};
use crate::data::Values;
use crate::tree::Tree;
use crate::{PageCache, Usage};
use hyperslab_engines::{CreationProperties, Element, Engine, OpenOptions, PageBuffer, Wanted};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::cost::LibraryDecoding;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The engine.
    pub engine: Engine,
    /// The file.
    pub file: PathBuf,
    /// The dataset in it.
    pub dataset: String,
    /// Which blocks, in which order.
    pub access: Access,
    /// How the file is opened.
    pub options: OpenOptions,
    /// Reading or writing.
    pub operation: Operation,
}

impl Task {
    /// A task that goes over no blocks, of a file that is opened as the engine does by default.
    pub fn new(engine: &Engine, file: &Path, dataset: &str, operation: Operation) -> Self {
        Self {
            engine: engine.clone(),
            file: file.to_owned(),
            dataset: dataset.to_owned(),
            access: Access::none(),
            options: OpenOptions::default(),
            operation,
        }
    }
}

/// What is done with the blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// They are read.
    Read {
        /// The extent.
        shape: Vec<u64>,
        /// Which of them; what all would take is extrapolated by the reader of the answer.
        part: Part,
        /// The file is taken out of the page cache before.
        cold: bool,
        /// Their values go into a checksum, and decodes are counted where possible: not for measuring.
        check: Option<Check>,
    },
    /// They are written into a new file.
    Write {
        /// How the dataset is stored.
        storage: Box<CreationProperties>,
        /// What is written.
        values: Values,
    },
    /// Nothing is read: the checksum is that of the values themselves.
    Expect {
        /// The extent.
        shape: Vec<u64>,
        /// Which of the blocks.
        part: Part,
        /// The values that were written.
        values: Values,
        /// Their type.
        element: Element,
    },
    /// A file of many objects is made.
    Make {
        /// What is put into it.
        tree: Box<Tree>,
    },
    /// All groups, datasets and attributes of a file are visited.
    Visit {
        /// What is read of each dataset.
        wanted: Wanted,
        /// The file is taken out of the page cache before.
        cold: bool,
        /// Everything goes into a checksum: not for measuring.
        check: bool,
    },
    /// Nothing: the answer tells the engine's version and default cache.
    Inspect,
    /// The parts of a read are timed, in files of the folder that the task names as its file.
    Calibrate {
        /// The files are made first.
        create: bool,
    },
    /// Some chunks of the dataset are decoded.
    DecodeSamples(SamplePlan),
}

/// What a run that checks needs to know.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The filters of the dataset, by identification.
    pub filters: Vec<u16>,
}

/// What was made or visited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Objects {
    /// Groups, the root among them.
    pub groups: u64,
    /// Datasets.
    pub datasets: u64,
    /// Attributes of them all.
    pub attributes: u64,
}

/// What a run took and gave. Times are seconds of wall time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// Opening (or creating) file and dataset.
    pub open_seconds: f64,
    /// The first block.
    pub first_seconds: f64,
    /// All blocks.
    pub data_seconds: f64,
    /// Each block, where only some of them are read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub block_seconds: Vec<f64>,
    /// Closing dataset and file.
    pub close_seconds: f64,
    /// Blocks that were read or written.
    pub blocks: u64,
    /// Bytes of their elements in memory.
    pub bytes: u64,
    /// What opening, reading or writing, and closing used; where objects are visited and checked, the checksum as well.
    pub usage: Usage,
    /// Most memory the process had resident.
    pub peak_memory_bytes: u64,
    /// Most memory the process had resident before the file was opened: the program, its libraries, and their threads.
    /// Buffers for blocks are made later, and are part of what the run needs beyond it.
    pub base_memory_bytes: u64,
    /// What was done about the page cache.
    pub page_cache: PageCache,
    /// Chunks decoded, where that was asked for and could be counted.
    pub decodes: Option<u64>,
    /// Chunks encoded while writing, where that could be counted.
    pub encodes: Option<u64>,
    /// SHA-256 of all values in the order of the blocks, where that was asked for.
    pub checksum: Option<String>,
    /// What was made or visited in a file of many objects.
    pub objects: Option<Objects>,
    /// What passed libhdf5's page buffer, where there is one.
    pub page_buffer: Option<PageBuffer>,
    /// Bytes of the file afterwards.
    pub file_bytes: u64,
    /// The engine's own version.
    pub version: String,
    /// The version of the libhdf5 that it reads and writes HDF5 with.
    pub hdf5_version: Option<String>,
    /// The chunk cache that the engine gives this dataset where none is set.
    pub default_cache: Option<CacheSettings>,
}

impl Outcome {
    /// Opening, all blocks, and closing.
    pub fn total_seconds(&self) -> f64 {
        self.open_seconds + self.data_seconds + self.close_seconds
    }

    /// Most memory beyond what the process had before the file was opened.
    pub fn memory_bytes(&self) -> u64 {
        self.peak_memory_bytes.saturating_sub(self.base_memory_bytes)
    }

    /// The release: `2.0.0`, `4.10.1 (HDF5 2.2.0)`.
    pub fn release(&self) -> String {
        match &self.hdf5_version {
            Some(hdf5) if *hdf5 != self.version => format!("{} (HDF5 {hdf5})", self.version),
            _ => self.version.clone(),
        }
    }
}

/// What the process prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It is done.
    Done(Box<Outcome>),
    /// A pass of a calibration.
    Kernels(Box<Pass>),
    /// What decoding costs, if enough was decoded.
    Decoding(Option<LibraryDecoding>),
    /// It could not be done; why, in a sentence.
    Failed(String),
}
