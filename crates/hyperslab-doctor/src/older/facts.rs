//! The facts about a dataset of an older format, and about its file.

use crate::facts::DatasetFacts;
use crate::simulate::older::Records;

/// A dataset, and how its format stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct OlderFacts {
    /// Its shape, its type, its filters. The layout is that of [`Self::storage`].
    pub dataset: DatasetFacts,
    /// How its values are stored.
    pub storage: OlderStorage,
    /// The library that most programs read it with.
    pub library: Library,
    /// The names of its dimensions, where it has names.
    pub dimensions: Vec<String>,
}

/// How values are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OlderStorage {
    /// In one compressed stream.
    Stream,
    /// In chunks of this shape, compressed or not.
    Chunks(Vec<u64>),
    /// In this number of pieces that are linked one to the other.
    Blocks(u64),
    /// Record by record, between other variables.
    Records(Records),
    /// In one piece.
    Whole,
}

/// The library of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// libhdf4.
    Libhdf4,
    /// netCDF-C.
    NetcdfC,
}

impl Library {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Libhdf4 => "libhdf4",
            Self::NetcdfC => "netCDF-C",
        }
    }

    /// The release whose rules are simulated.
    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::Libhdf4 => "4.3",
            Self::NetcdfC => "4.10",
        }
    }
}

/// A file.
#[derive(Debug, Clone, PartialEq)]
pub struct OlderFileFacts {
    /// Its format, as users know it.
    pub format: String,
    /// The library that most programs read it with.
    pub library: Library,
    /// Its length.
    pub bytes: u64,
    /// Blocks of descriptors, each of which says where the next one is.
    pub descriptor_blocks: u64,
    /// What is left below the largest size that the format has.
    pub room: Option<Room>,
}

/// A size with a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// What has this size: `the file`, `one record of /t`.
    pub what: String,
    /// Its bytes.
    pub bytes: u64,
    /// The most that the format allows.
    pub bytes_max: u64,
}
