//! The user's own libraries: found, loaded while the program runs, and called.
//!
//! Nothing is linked: what a user measures is the very file that their programs load.

mod api;
mod compound;
mod count;
mod datatype;
mod discover;
mod family;
mod functions;
mod handle;
mod hdf4;
mod hdf5;
mod memory_type;
mod netcdf;
mod objects;
mod places;
mod record;

pub use count::{Counter, Counts};
pub use discover::{Found, Libraries, find_all, of_python};
pub use family::Family;
pub use hdf4::{Hdf4, Hdf4Dataset, Hdf4File, Hdf4Table};
pub use hdf5::{Hdf5, Hdf5Dataset, Hdf5File};
pub use netcdf::{Netcdf, NetcdfNode, NetcdfTree, NetcdfVariable};
pub use objects::Visited;

use crate::NoMemory;
use crate::study::Block;
use libloading::Library;
use libloading::os::unix::{Library as UnixLibrary, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{CString, c_int};
use std::path::{Path, PathBuf};

/// What can go wrong with a library.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// It cannot be loaded.
    #[error("{path}: {why}")]
    Load {
        /// Where it lies.
        path: PathBuf,
        /// What the loader says.
        why: String,
    },
    /// It is older than what is supported.
    #[error("{path} is libhdf5 {version}; 1.8 or newer is needed")]
    TooOld {
        /// Where it lies.
        path: PathBuf,
        /// Its release.
        version: String,
    },
    /// It lacks a function.
    #[error("the library has no {0}")]
    Missing(&'static str),
    /// A call failed.
    #[error("{call}: {why}")]
    Call {
        /// The function.
        call: &'static str,
        /// What the library says.
        why: String,
    },
    /// There is too little memory for what it has.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// It cannot do what is asked.
    #[error("{0}")]
    Unsupported(String),
}

/// Loads a library, and binds all its symbols now: none is looked for while a clock runs. It stays loaded as long as the
/// process runs: libraries register functions for its end.
fn load(path: &Path) -> Result<&'static Library, LibraryError> {
    load_as(path, RTLD_LOCAL)
}

/// The same for a library whose symbols are there for those that are loaded after it.
fn load_for_others(path: &Path) -> Result<&'static Library, LibraryError> {
    load_as(path, RTLD_GLOBAL)
}

fn load_as(path: &Path, scope: c_int) -> Result<&'static Library, LibraryError> {
    // SAFETY: the user names the library, or it is the one that their Python loads: its initialisers are as trustworthy as
    // in the user's own programs.
    let library = unsafe { UnixLibrary::open(Some(path), RTLD_NOW | scope) };
    let library =
        library.map_err(|error| LibraryError::Load { path: path.to_owned(), why: error.to_string() })?;
    Ok(Box::leak(Box::new(library.into())))
}

/// A path as C functions take it.
fn c_path(path: &Path) -> Result<CString, LibraryError> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| LibraryError::Unsupported(format!("the file name {path:?}")))
}

/// A name as C functions take it.
fn c_name(name: &str) -> Result<CString, LibraryError> {
    CString::new(name).map_err(|_| LibraryError::Unsupported(format!("the name {name:?}")))
}

/// Fails where a buffer has not as many bytes as the elements of a block: C functions only get to see where it begins.
fn check_buffer(block: &Block, element_bytes: usize, buffer: &[u8]) -> Result<(), LibraryError> {
    let (needed, bytes) = (block.bytes(element_bytes), buffer.len());
    if needed == bytes as u64 {
        return Ok(());
    }
    Err(LibraryError::Unsupported(format!("a block of {needed} bytes in a buffer of {bytes}")))
}
