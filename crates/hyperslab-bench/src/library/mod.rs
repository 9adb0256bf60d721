//! The user's own libraries: found, loaded while the program runs, and called.
//!
//! Nothing is linked: what a user measures is the very file that their programs load. Each library implements the
//! interface of an engine.

mod call;
mod discover;
mod family;
mod hdf4;
mod hdf5;
mod netcdf;

pub use discover::{Found, Libraries, find_all, of_python};
pub use family::Family;

use crate::engine::error::{EngineError, unsupported};
use crate::engine::interface::{Opened, PreparedEngine};
use libloading::Library;
use libloading::os::unix::{Library as UnixLibrary, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{CString, c_int};
use std::path::Path;

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

/// Lets libraries that are loaded later see the symbols of this one, as plug-ins of libhdf5 have to that were linked
/// without it. Only for a process that loads one library: two builds would mix.
pub(crate) fn share_symbols(found: &Found) -> Result<(), EngineError> {
    load(&found.path, RTLD_GLOBAL).map(drop)
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

/// Loads a library, and binds all its symbols now: none is looked for while a clock runs. It stays loaded as long as the
/// process runs: libraries register functions for its end.
fn load(path: &Path, scope: c_int) -> Result<&'static Library, EngineError> {
    // SAFETY: the user names the library, or it is the one that their Python loads: its initialisers are as trustworthy as
    // in the user's own programs.
    let library = unsafe { UnixLibrary::open(Some(path), RTLD_NOW | scope) };
    let library =
        library.map_err(|error| EngineError::Load { path: path.to_owned(), why: error.to_string() })?;
    Ok(Box::leak(Box::new(library.into())))
}

/// A path as C functions take it.
fn c_path(path: &Path) -> Result<CString, EngineError> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).or_else(|_| unsupported(format!("the file name {path:?}")))
}

/// A name as C functions take it.
fn c_name(name: &str) -> Result<CString, EngineError> {
    CString::new(name).or_else(|_| unsupported(format!("the name {name:?}")))
}
