//! The engines that read and write, each behind the same few calls.

mod hdf4;
mod hyperslab;
mod interface;
mod libhdf5;
mod netcdf;
mod null;
mod objects;

pub use interface::{Creator, EngineError, Event, OpenDataset, OpenOptions, PageBuffer, PageCounts, Visitor};

use crate::library::{Family, Found, Hdf4, Hdf5, Netcdf};
use crate::study::{Format, Storage};
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
    /// A netCDF-C of the user's.
    Netcdf(Found),
    /// An HDF4 of the user's.
    Hdf4(Found),
    /// Does nothing: what is measured is the harness.
    Null,
}

impl Engine {
    /// The engine that a library is.
    pub fn of(family: Family, found: Found) -> Self {
        match family {
            Family::Hdf5 => Self::Libhdf5(found),
            Family::Netcdf => Self::Netcdf(found),
            Family::Hdf4 => Self::Hdf4(found),
        }
    }

    /// A name for tables.
    pub fn name(&self) -> String {
        match self {
            Self::Hyperslab => "hyperslab".to_owned(),
            Self::Libhdf5(found) => format!("libhdf5 ({})", found.origin),
            Self::Netcdf(found) => format!("netCDF-C ({})", found.origin),
            Self::Hdf4(found) => format!("HDF4 ({})", found.origin),
            Self::Null => "null".to_owned(),
        }
    }

    /// The user's library that it is; none for those that are built in.
    pub fn library(&self) -> Option<&Found> {
        match self {
            Self::Libhdf5(found) | Self::Netcdf(found) | Self::Hdf4(found) => Some(found),
            Self::Hyperslab | Self::Null => None,
        }
    }

    /// True where it reads files of this format.
    pub fn reads(&self, format: Format) -> bool {
        match self {
            Self::Hyperslab | Self::Libhdf5(_) | Self::Null => format.is_hdf5(),
            Self::Netcdf(_) => format.is_hdf5() || format.is_classic(),
            Self::Hdf4(_) => format == Format::Hdf4,
        }
    }

    /// True where it writes files of this format.
    pub fn writes(&self, format: Format) -> bool {
        match self {
            Self::Libhdf5(_) => format == Format::Hdf5,
            Self::Netcdf(_) => format == Format::Netcdf4 || format.is_classic(),
            Self::Hdf4(_) => format == Format::Hdf4,
            Self::Hyperslab | Self::Null => false,
        }
    }

    /// True where a chunk cache can be set for files of this format.
    pub fn has_chunk_cache(&self, format: Format) -> bool {
        matches!(self, Self::Libhdf5(_) | Self::Netcdf(_)) && format.is_hdf5()
    }

    /// True where a page buffer can be set.
    pub fn has_page_buffer(&self) -> bool {
        matches!(self, Self::Libhdf5(_))
    }

    /// Does once what is not to be measured: loads a library, starts threads.
    pub fn prepare(&self) -> Result<Prepared, EngineError> {
        Ok(match self {
            Self::Hyperslab => {
                hyperslab::prepare();
                Prepared::Hyperslab
            }
            Self::Libhdf5(found) => {
                libhdf5::name_plugins(found);
                Prepared::Libhdf5(Hdf5::load(&found.path)?)
            }
            Self::Netcdf(found) => {
                libhdf5::name_plugins(found);
                Prepared::Netcdf(Netcdf::load(&found.path)?)
            }
            Self::Hdf4(found) => Prepared::Hdf4(Hdf4::load(&found.path)?),
            Self::Null => Prepared::Null,
        })
    }
}

/// An engine that is ready.
pub enum Prepared {
    /// This project's.
    Hyperslab,
    /// A loaded library.
    Libhdf5(Hdf5),
    /// A loaded library.
    Netcdf(Netcdf),
    /// Loaded libraries.
    Hdf4(Hdf4),
    /// Nothing.
    Null,
}

impl Prepared {
    /// The engine's own version.
    pub fn version(&self) -> String {
        match self {
            Self::Hyperslab => env!("CARGO_PKG_VERSION").to_owned(),
            Self::Libhdf5(library) => library.version(),
            Self::Netcdf(library) => library.version(),
            Self::Hdf4(library) => library.version(),
            Self::Null => String::new(),
        }
    }

    /// The version of the libhdf5 that reads and writes HDF5 for it.
    pub fn hdf5_version(&self) -> Option<String> {
        match self {
            Self::Libhdf5(library) => Some(library.version()),
            Self::Netcdf(library) => library.hdf5().map(Hdf5::version),
            Self::Hyperslab | Self::Hdf4(_) | Self::Null => None,
        }
    }

    /// The chunk cache that a dataset gets where none is set; none where there is nothing to set.
    pub fn default_cache(&self) -> Option<CacheSettings> {
        match self {
            Self::Libhdf5(library) => library.default_cache().ok(),
            Self::Netcdf(library) => library.default_cache().ok(),
            Self::Hyperslab | Self::Hdf4(_) | Self::Null => None,
        }
    }

    /// Opens a dataset for reading. `counted` are its filters, where decodes are to be counted.
    pub fn open(
        &self,
        file: &Path,
        dataset: &str,
        options: &OpenOptions,
        counted: Option<&[u16]>,
    ) -> Result<Box<dyn OpenDataset>, EngineError> {
        match self {
            Self::Hyperslab => hyperslab::open(file, dataset, &options.records),
            Self::Libhdf5(library) => libhdf5::open(library, file, dataset, options, counted),
            Self::Netcdf(library) => netcdf::open(library, file, dataset, options, counted),
            Self::Hdf4(library) => hdf4::open(library, file, dataset, options),
            Self::Null => null::open(file, dataset),
        }
    }

    /// Makes a file with one dataset, open for writing.
    pub fn create(
        &self,
        file: &Path,
        dataset: &str,
        storage: &Storage,
        options: &OpenOptions,
    ) -> Result<Box<dyn OpenDataset>, EngineError> {
        match self {
            Self::Libhdf5(library) => libhdf5::create(library, file, dataset, storage, options),
            Self::Netcdf(library) => netcdf::create(library, file, dataset, storage, options),
            Self::Hdf4(library) => hdf4::create(library, file, dataset, storage, options),
            Self::Null => Ok(null::create()),
            Self::Hyperslab => Err(hyperslab::does_not_write()),
        }
    }

    /// Makes a file for many objects, each dataset stored so.
    pub fn make(&self, file: &Path, storage: &Storage) -> Result<Box<dyn Creator>, EngineError> {
        match self {
            Self::Libhdf5(library) => objects::libhdf5::make(library, file, storage),
            Self::Netcdf(library) => objects::netcdf::make(library, file, storage),
            Self::Hdf4(library) => objects::hdf4::make(library, file, storage),
            Self::Hyperslab => Err(hyperslab::does_not_write()),
            Self::Null => Err(nothing()),
        }
    }

    /// Opens a file for all its objects to be visited.
    pub fn visit(&self, file: &Path, options: &OpenOptions) -> Result<Box<dyn Visitor>, EngineError> {
        match self {
            Self::Hyperslab => objects::hyperslab::visit(file),
            Self::Libhdf5(library) => objects::libhdf5::visit(library, file, options),
            Self::Netcdf(library) => objects::netcdf::visit(library, file),
            Self::Hdf4(library) => objects::hdf4::visit(library, file),
            Self::Null => Err(nothing()),
        }
    }
}

fn nothing() -> EngineError {
    EngineError::Unsupported("the null engine knows nothing of files of many objects".to_owned())
}
