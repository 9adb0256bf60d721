//! The kinds of engines, and how to get a library that is missing.

use crate::library::{Found, Libraries};
use crate::storage::Format;
use serde::{Deserialize, Serialize};

/// A library, whichever build of it the user has; or this project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// libhdf5.
    #[default]
    Libhdf5,
    /// netCDF-C.
    Netcdf,
    /// HDF4: libmfhdf and libdf.
    Hdf4,
    /// This project.
    Hyperslab,
}

impl EngineKind {
    /// All kinds, those that write files first.
    pub const ALL: [Self; 4] = [Self::Libhdf5, Self::Netcdf, Self::Hdf4, Self::Hyperslab];

    /// The kinds of libraries.
    pub const LIBRARIES: [Self; 3] = [Self::Libhdf5, Self::Netcdf, Self::Hdf4];

    /// The kind that writes a format.
    pub fn of(format: Format) -> Self {
        match format {
            Format::Hdf5 => Self::Libhdf5,
            Format::Netcdf4 | Format::Classic | Format::Cdf5 => Self::Netcdf,
            Format::Hdf4 => Self::Hdf4,
        }
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Libhdf5 => "libhdf5",
            Self::Netcdf => "netCDF-C",
            Self::Hdf4 => "HDF4",
            Self::Hyperslab => "hyperslab",
        }
    }

    /// How it is named on the command line and in documents.
    pub fn key(self) -> &'static str {
        match self {
            Self::Netcdf => "netcdf",
            Self::Hdf4 => "hdf4",
            Self::Libhdf5 | Self::Hyperslab => self.name(),
        }
    }

    /// How to get one.
    pub fn how_to_get(self) -> &'static str {
        match self {
            Self::Libhdf5 => "pip install h5py brings one; --libhdf5 PATH names any other",
            Self::Netcdf => "pip install netCDF4 brings one; --netcdf PATH names any other",
            Self::Hdf4 => {
                "pip install pyhdf brings one, and so does the system's package libhdf4-0-alt; --hdf4 PATH names the \
                 libmfhdf of any other"
            }
            Self::Hyperslab => "it is built in, and was left out",
        }
    }

    /// The libraries of this kind that were found.
    pub fn among(self, libraries: &Libraries) -> &[Found] {
        match self {
            Self::Libhdf5 => &libraries.hdf5,
            Self::Netcdf => &libraries.netcdf,
            Self::Hdf4 => &libraries.hdf4,
            Self::Hyperslab => &[],
        }
    }
}
