//! What a matrix varies, and the data on which.

use super::question::Made;
use super::write_strategy::WriteStrategy;
use hyperslab_engines::{CreationProperties, Engine, FileBuffers, Format, Records};
use hyperslab_measure::access::{Access, Part};
use hyperslab_measure::data::{Synthetic, Values};
use hyperslab_storage::CacheSettings;
use std::path::PathBuf;

/// What is stored and read.
#[derive(Debug, Clone)]
pub enum Subject {
    /// A dataset of the user's, whose file is only read.
    Dataset {
        /// The file.
        file: PathBuf,
        /// The dataset in it.
        path: String,
        /// Its extent.
        shape: Vec<u64>,
        /// The format of the file.
        format: Format,
    },
    /// Values that are made up.
    Synthetic(Synthetic),
}

impl Subject {
    /// What is written of it.
    pub fn values(&self) -> Values {
        match self {
            Self::Dataset { file, path, .. } => Values::Dataset { file: file.clone(), path: path.clone() },
            Self::Synthetic(synthetic) => Values::Synthetic(synthetic.clone()),
        }
    }

    /// The extent.
    pub fn shape(&self) -> &[u64] {
        match self {
            Self::Dataset { shape, .. } => shape,
            Self::Synthetic(synthetic) => &synthetic.shape,
        }
    }
}

/// What is varied, each a list; the cells are their product.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// What is stored.
    pub subject: Subject,
    /// How; none stands for the user's file as it is.
    pub storages: Vec<Option<CreationProperties>>,
    /// How it is read.
    pub accesses: Vec<Access>,
    /// Chunk caches of libraries that have one; none stands for the library's default.
    pub caches: Vec<Option<CacheSettings>>,
    /// Page buffers and metadata caches of libraries that have them.
    pub buffers: Vec<FileBuffers>,
    /// What is read of records, and how they lie in memory.
    pub records: Records,
    /// Engines that read.
    pub engines: Vec<Engine>,
    /// Engines for formats that none of the readers writes.
    pub writers: Vec<Engine>,
    /// How files are written; at least one strategy.
    pub strategies: Vec<WriteStrategy>,
    /// How often each file is written, at most: not again once that took `seconds_max`, but for the one that is read.
    pub write_repeats: usize,
    /// How often each cell is measured, at most.
    pub repeats: usize,
    /// A cell is not repeated once its runs have taken so many seconds.
    pub seconds_max: f64,
    /// How many of the reads of each access are made.
    pub reads: ReadLimit,
    /// Whether the file is taken out of the page cache before each run.
    pub cold: bool,
}

/// How many of the reads of an access are made; the time of all is extrapolated.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ReadLimit {
    /// All of them.
    #[default]
    All,
    /// At most so many of each.
    AtMost(u64),
    /// At most so many of these accesses, all of the others.
    Of(Vec<(Access, u64)>),
}

impl Matrix {
    /// Which reads of an access are made.
    pub fn part(&self, access: &Access) -> Part {
        match &self.reads {
            ReadLimit::All => Part::All,
            ReadLimit::AtMost(most) => Part::Spread(*most),
            ReadLimit::Of(limits) => {
                let limit = limits.iter().find(|(limited, _)| limited == access);
                limit.map_or(Part::All, |(_, most)| Part::Spread(*most))
            }
        }
    }

    /// The format of a file: that of the user's as it is, or of one that is made here.
    pub fn format_of(&self, made: Option<Made<'_>>) -> Format {
        match (made, &self.subject) {
            (Some((storage, _)), _) => storage.format,
            (None, Subject::Dataset { format, .. }) => *format,
            (None, Subject::Synthetic(_)) => Format::Hdf5,
        }
    }

    /// The engine that writes files of a format, if there is one: a library of the user's, if one takes part, else hyperslab.
    pub fn writer(&self, format: Format) -> Option<&Engine> {
        let writes = |engine: &&Engine| engine.writes(format);
        let libraries = self.engines.iter().filter(|engine| **engine != Engine::Hyperslab);
        libraries.chain(&self.writers).find(writes).or_else(|| self.engines.iter().find(writes))
    }
}
