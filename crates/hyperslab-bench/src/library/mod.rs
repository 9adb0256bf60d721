//! The user's own libraries: found, loaded while the program runs, and called.
//!
//! Nothing is linked: what a user measures is the very file that their programs load.

mod api;
mod count;
mod discover;
mod family;
mod functions;
mod handle;
mod hdf4;
mod hdf5;
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

use std::ffi::CString;
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
    /// It cannot do what is asked.
    #[error("{0}")]
    Unsupported(String),
}

/// A path as C functions take it.
fn text(path: &Path) -> Result<CString, LibraryError> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| LibraryError::Unsupported(format!("the file name {path:?}")))
}
