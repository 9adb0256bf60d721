//! Loads libraries, and hands names over to C functions.

use crate::error::{EngineError, unsupported};
use crate::library::discover::Found;
use libloading::Library;
use libloading::os::unix::{Library as UnixLibrary, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{CString, c_int};
use std::path::Path;

/// Lets libraries that are loaded later see the symbols of this one, as plug-ins of libhdf5 have to that were linked
/// without it. Only for a process that loads one library: two builds would mix.
pub fn share_symbols(found: &Found) -> Result<(), EngineError> {
    load(&found.path, RTLD_GLOBAL).map(drop)
}

/// Loads a library, and binds all its symbols now: none is looked for while a clock runs. It stays loaded as long as the
/// process runs: libraries register functions for its end.
pub(super) fn load(path: &Path, scope: c_int) -> Result<&'static Library, EngineError> {
    // SAFETY: the user names the library, or it is the one that their Python loads: its initialisers are as trustworthy as
    // in the user's own programs.
    let library = unsafe { UnixLibrary::open(Some(path), RTLD_NOW | scope) };
    let library =
        library.map_err(|error| EngineError::Load { path: path.to_owned(), why: error.to_string() })?;
    Ok(Box::leak(Box::new(library.into())))
}

/// A path as C functions take it.
pub(super) fn c_path(path: &Path) -> Result<CString, EngineError> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).or_else(|_| unsupported(format!("the file name {path:?}")))
}

/// A name as C functions take it.
pub(super) fn c_name(name: &str) -> Result<CString, EngineError> {
    CString::new(name).or_else(|_| unsupported(format!("the name {name:?}")))
}
