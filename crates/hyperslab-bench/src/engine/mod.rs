//! Who reads and writes: each engine behind the same few calls.

mod hyperslab;
mod libhdf5;
mod null;

use crate::library::{Counts, Found, LibraryError};
use crate::study::{Block, Storage};
use hyperslab_doctor::simulate::CacheSettings;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// An engine under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// This project's.
    Hyperslab,
    /// A libhdf5 of the user's.
    Libhdf5(Found),
    /// Does nothing: what is measured is the harness.
    Null,
}

/// What an engine cannot do, or failed to do.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A library of the user's.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// hyperslab.
    #[error(transparent)]
    Hyperslab(#[from] ::hyperslab::Error),
    /// Nobody's fault.
    #[error("{0}")]
    Unsupported(String),
}

/// How a file is opened for reading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// The chunk cache; the library's own default where none is set. hyperslab has none to set.
    pub cache: Option<CacheSettings>,
    /// Bytes of the page buffer; none unless the file is paged.
    pub page_buffer: Option<u64>,
}

/// A dataset, open for reading.
pub trait Reading {
    /// Bytes of one element in memory.
    fn element_bytes(&self) -> usize;

    /// Reads a block, in the machine's byte order.
    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError>;

    /// Chunks decoded since it was opened, where that can be counted.
    fn decodes(&self) -> Option<u64>;

    /// Closes dataset and file.
    fn close(self: Box<Self>) -> Result<(), EngineError>;
}

/// A dataset, open for writing.
pub trait Writing {
    /// Writes a block that is in the machine's byte order.
    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError>;

    /// Closes dataset and file, so that everything is in the file. What passed the filters, where that can be counted.
    fn close(self: Box<Self>) -> Result<Option<Counts>, EngineError>;
}

impl Engine {
    /// A name for tables.
    pub fn name(&self) -> String {
        match self {
            Self::Hyperslab => "hyperslab".to_owned(),
            Self::Libhdf5(found) => format!("libhdf5 ({})", found.origin),
            Self::Null => "null".to_owned(),
        }
    }

    /// Does once what is not to be measured: loads a library, starts threads.
    pub fn prepare(&self) -> Result<Prepared, EngineError> {
        Ok(match self {
            Self::Hyperslab => Prepared::Hyperslab,
            Self::Libhdf5(found) => Prepared::Libhdf5(libhdf5::load(found)?),
            Self::Null => Prepared::Null,
        })
    }
}

/// An engine that is ready.
pub enum Prepared {
    /// This project's.
    Hyperslab,
    /// A loaded library.
    Libhdf5(crate::library::Hdf5),
    /// Nothing.
    Null,
}

impl Prepared {
    /// The engine's own version.
    pub fn version(&self) -> String {
        match self {
            Self::Hyperslab => env!("CARGO_PKG_VERSION").to_owned(),
            Self::Libhdf5(library) => library.version(),
            Self::Null => String::new(),
        }
    }

    /// The chunk cache that a dataset gets where none is set; none where there is nothing to set.
    pub fn default_cache(&self) -> Option<CacheSettings> {
        match self {
            Self::Libhdf5(library) => library.default_cache().ok(),
            Self::Hyperslab | Self::Null => None,
        }
    }

    /// Opens a dataset for reading. `counted` are its filters, where decodes are to be counted.
    pub fn open(
        &self,
        file: &Path,
        dataset: &str,
        opening: &Opening,
        counted: Option<&[u16]>,
    ) -> Result<Box<dyn Reading>, EngineError> {
        match self {
            Self::Hyperslab => hyperslab::open(file, dataset),
            Self::Libhdf5(library) => libhdf5::open(library, file, dataset, opening, counted),
            Self::Null => null::open(file, dataset),
        }
    }

    /// Makes a file with one dataset, open for writing.
    pub fn create(
        &self,
        file: &Path,
        dataset: &str,
        storage: &Storage,
        opening: &Opening,
    ) -> Result<Box<dyn Writing>, EngineError> {
        match self {
            Self::Libhdf5(library) => libhdf5::create(library, file, dataset, storage, opening),
            Self::Null => Ok(null::create()),
            Self::Hyperslab => Err(EngineError::Unsupported("hyperslab does not write yet".to_owned())),
        }
    }
}
