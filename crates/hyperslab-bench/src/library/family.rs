//! The kinds of libraries that are looked for, and how to get one that is missing.

use super::discover::{Found, Libraries};
use crate::study::Format;

/// A kind of library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// libhdf5.
    Hdf5,
    /// netCDF-C.
    Netcdf,
    /// libmfhdf and libdf.
    Hdf4,
}

impl Family {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Hdf5, Self::Netcdf, Self::Hdf4];

    /// The kind that writes a format.
    pub fn of(format: Format) -> Self {
        match format {
            Format::Hdf5 => Self::Hdf5,
            Format::Netcdf4 | Format::Classic | Format::Cdf5 => Self::Netcdf,
            Format::Hdf4 => Self::Hdf4,
        }
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hdf5 => "libhdf5",
            Self::Netcdf => "netCDF-C",
            Self::Hdf4 => "HDF4",
        }
    }

    /// How to get one.
    pub fn how_to_get(self) -> &'static str {
        match self {
            Self::Hdf5 => "pip install h5py brings one; --libhdf5 PATH names any other",
            Self::Netcdf => "pip install netCDF4 brings one; --netcdf PATH names any other",
            Self::Hdf4 => {
                "pip install pyhdf brings one, and so does the system's package libhdf4-0-alt; --hdf4 PATH names the \
                 libmfhdf of any other"
            }
        }
    }

    /// Those that were found.
    pub fn among(self, libraries: &Libraries) -> &[Found] {
        match self {
            Self::Hdf5 => &libraries.hdf5,
            Self::Netcdf => &libraries.netcdf,
            Self::Hdf4 => &libraries.hdf4,
        }
    }
}
