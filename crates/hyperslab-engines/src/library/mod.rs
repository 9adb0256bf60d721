//! The user's own libraries: found, loaded while the program runs, and called.
//!
//! Nothing is linked: what a user measures is the very file that their programs load. Each library implements the
//! interface of an engine.

mod call;
mod discover;
mod hdf4;
mod hdf5;
mod load;
mod netcdf;
mod python;

pub use discover::{Found, Libraries, find_all, of_python};
pub use load::share_symbols;
pub use python::{ask, ask_with, pythons};

use crate::interface::{Opened, PreparedEngine};

/// Loads a libhdf5.
pub(crate) fn hdf5(found: &Found) -> Opened<dyn PreparedEngine> {
    name_plugins(found);
    Ok(Box::new(hdf5::Hdf5::load(&found.path)?))
}

/// Loads a netCDF-C.
pub(crate) fn netcdf(found: &Found) -> Opened<dyn PreparedEngine> {
    name_plugins(found);
    Ok(Box::new(netcdf::Netcdf::load(&found.path)?))
}

/// Loads a libmfhdf and its libdf.
pub(crate) fn hdf4(found: &Found) -> Opened<dyn PreparedEngine> {
    Ok(Box::new(hdf4::Hdf4::load(&found.path)?))
}

/// Where libhdf5 looks for filters that are not its own.
const PLUGIN_VARIABLE: &str = "HDF5_PLUGIN_PATH";

/// Has the plug-ins found that came with a library, unless the user named some.
fn name_plugins(found: &Found) {
    if let (Some(plugins), None) = (&found.plugins, std::env::var_os(PLUGIN_VARIABLE)) {
        // SAFETY: a process that runs one task has one thread at this point; libhdf5 reads it when it is loaded.
        unsafe { std::env::set_var(PLUGIN_VARIABLE, plugins) };
    }
}
