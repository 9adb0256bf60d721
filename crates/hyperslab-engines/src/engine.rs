//! An engine by name: hyperslab, a library of the user's, or the one that does nothing.

use crate::interface::{Opened, PreparedEngine};
use crate::kind::EngineKind;
use crate::library::{self, Found};
use crate::storage::Format;
use serde::{Deserialize, Serialize};

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
    pub fn of(kind: EngineKind, found: Found) -> Self {
        match kind {
            EngineKind::Libhdf5 => Self::Libhdf5(found),
            EngineKind::Netcdf => Self::Netcdf(found),
            EngineKind::Hdf4 => Self::Hdf4(found),
            EngineKind::Hyperslab => Self::Hyperslab,
        }
    }

    /// A name for tables.
    pub fn name(&self) -> String {
        match (self.kind(), self.library()) {
            (Some(kind), Some(found)) => format!("{} ({})", kind.name(), found.origin),
            (Some(kind), None) => kind.name().to_owned(),
            (None, _) => "null".to_owned(),
        }
    }

    /// Its kind; none for the one that does nothing.
    pub fn kind(&self) -> Option<EngineKind> {
        match self {
            Self::Hyperslab => Some(EngineKind::Hyperslab),
            Self::Libhdf5(_) => Some(EngineKind::Libhdf5),
            Self::Netcdf(_) => Some(EngineKind::Netcdf),
            Self::Hdf4(_) => Some(EngineKind::Hdf4),
            Self::Null => None,
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
            Self::Hyperslab => true,
            Self::Libhdf5(_) | Self::Null => format.is_hdf5(),
            Self::Netcdf(_) => format.is_hdf5() || format.is_classic(),
            Self::Hdf4(_) => format == Format::Hdf4,
        }
    }

    /// True where it writes files of this format.
    pub fn writes(&self, format: Format) -> bool {
        match self {
            Self::Hyperslab => format == Format::Hdf5,
            _ => self.kind() == Some(EngineKind::of(format)),
        }
    }

    /// True where a chunk cache can be set for files of this format.
    pub fn has_chunk_cache(&self, format: Format) -> bool {
        matches!(self, Self::Libhdf5(_) | Self::Netcdf(_)) && format.is_hdf5()
    }

    /// True where a page buffer and a metadata cache can be set.
    pub fn has_file_buffers(&self) -> bool {
        matches!(self, Self::Libhdf5(_))
    }

    /// Does once what is not to be measured: loads a library, starts threads.
    ///
    /// # Errors
    /// The library cannot be loaded, or lacks a function.
    pub fn prepare(&self) -> Opened<dyn PreparedEngine> {
        match self {
            Self::Hyperslab => Ok(Box::new(crate::hyperslab::Hyperslab::prepare())),
            Self::Null => Ok(Box::new(crate::null::Null)),
            Self::Libhdf5(found) => library::hdf5(found),
            Self::Netcdf(found) => library::netcdf(found),
            Self::Hdf4(found) => library::hdf4(found),
        }
    }
}
