//! The functions of netCDF-C that a bench uses, looked up when a library is loaded that was found at run time. Their types
//! are those of `include/netcdf.h` of netCDF-C 4.4 to 4.9.

use crate::error::{EngineError, unsupported};
use crate::library::call::{Handle, call, close, functions};
use crate::library::hdf5::Hdf5;
use crate::library::load::{c_path, load};
use hyperslab_storage::CacheSettings;
use libloading::os::unix::RTLD_LOCAL;
use std::ffi::{CStr, c_char, c_float, c_int, c_uint, c_void};
use std::path::Path;
use std::rc::Rc;

functions! {
    /// The functions that every netCDF-C since 4.4 has, then those that came later.
    struct Functions {
        nc_inq_libvers() -> *const c_char;
        nc_strerror(c_int) -> *const c_char;
        nc_create(*const c_char, c_int, *mut c_int) -> c_int;
        nc_open(*const c_char, c_int, *mut c_int) -> c_int;
        nc_close(c_int) -> c_int;
        nc_enddef(c_int) -> c_int;
        nc_set_fill(c_int, c_int, *mut c_int) -> c_int;
        nc_def_dim(c_int, *const c_char, usize, *mut c_int) -> c_int;
        nc_def_var(c_int, *const c_char, c_int, c_int, *const c_int, *mut c_int) -> c_int;
        nc_def_var_chunking(c_int, c_int, c_int, *const usize) -> c_int;
        nc_def_var_deflate(c_int, c_int, c_int, c_int, c_int) -> c_int;
        nc_def_var_fletcher32(c_int, c_int, c_int) -> c_int;
        nc_def_var_fill(c_int, c_int, c_int, *const c_void) -> c_int;
        nc_def_var_endian(c_int, c_int, c_int) -> c_int;
        nc_set_var_chunk_cache(c_int, c_int, usize, usize, c_float) -> c_int;
        nc_get_var_chunk_cache(c_int, c_int, *mut usize, *mut usize, *mut c_float) -> c_int;
        nc_get_chunk_cache(*mut usize, *mut usize, *mut c_float) -> c_int;
        nc_inq_format_extended(c_int, *mut c_int, *mut c_int) -> c_int;
        nc_inq_grp_full_ncid(c_int, *const c_char, *mut c_int) -> c_int;
        nc_inq_varid(c_int, *const c_char, *mut c_int) -> c_int;
        nc_inq_vartype(c_int, c_int, *mut c_int) -> c_int;
        nc_inq_varndims(c_int, c_int, *mut c_int) -> c_int;
        nc_inq_var_chunking(c_int, c_int, *mut c_int, *mut usize) -> c_int;
        nc_inq_type(c_int, c_int, *mut c_char, *mut usize) -> c_int;
        nc_get_vara(c_int, c_int, *const usize, *const usize, *mut c_void) -> c_int;
        nc_get_vars(c_int, c_int, *const usize, *const usize, *const isize, *mut c_void) -> c_int;
        nc_put_vara(c_int, c_int, *const usize, *const usize, *const c_void) -> c_int;
        nc_put_vars(c_int, c_int, *const usize, *const usize, *const isize, *const c_void) -> c_int;
        nc_def_grp(c_int, *const c_char, *mut c_int) -> c_int;
        nc_put_att(c_int, c_int, *const c_char, c_int, usize, *const c_void) -> c_int;
        nc_inq_grps(c_int, *mut c_int, *mut c_int) -> c_int;
        nc_inq_grpname(c_int, *mut c_char) -> c_int;
        nc_inq_varids(c_int, *mut c_int, *mut c_int) -> c_int;
        nc_inq_varname(c_int, c_int, *mut c_char) -> c_int;
        nc_inq_vardimid(c_int, c_int, *mut c_int) -> c_int;
        nc_inq_dimlen(c_int, c_int, *mut usize) -> c_int;
        nc_inq_varnatts(c_int, c_int, *mut c_int) -> c_int;
        nc_inq_natts(c_int, *mut c_int) -> c_int;
        nc_inq_attname(c_int, c_int, c_int, *mut c_char) -> c_int;
        nc_inq_att(c_int, c_int, *const c_char, *mut c_int, *mut usize) -> c_int;
        nc_get_att(c_int, c_int, *const c_char, *mut c_void) -> c_int;
    }
    optional {
        nc_inq_var_filter_ids(c_int, c_int, *mut usize, *mut c_uint) -> c_int;
        nc_def_var_szip(c_int, c_int, c_int, c_int) -> c_int;
        nc_def_var_filter(c_int, c_int, c_uint, usize, *const c_uint) -> c_int;
    }
}

/// An open file, closed when it goes.
pub(super) type File = Handle<Netcdf, c_int>;

/// A loaded netCDF-C. Not for several threads.
#[derive(Clone)]
pub(in crate::library) struct Netcdf {
    pub(super) functions: Rc<Functions>,
    /// The libhdf5 that it came with, where its functions can be reached.
    pub(super) hdf5: Option<Rc<Hdf5>>,
}

impl Netcdf {
    /// Loads the library at a path.
    pub(in crate::library) fn load(path: &Path) -> Result<Self, EngineError> {
        let library = load(path, RTLD_LOCAL)?;
        // SAFETY: a library with all these names is a netCDF-C.
        let functions = Rc::new(unsafe { Functions::find(&[library]) }?);
        Ok(Self { functions, hdf5: Hdf5::in_library(library, path).ok().map(Rc::new) })
    }

    /// Its release, such as `4.9.3`.
    pub(super) fn release(&self) -> String {
        // SAFETY: a string that lives as long as the library.
        let text = unsafe { CStr::from_ptr((self.functions.nc_inq_libvers)()) }.to_string_lossy();
        text.split_whitespace().next().unwrap_or_default().to_owned()
    }

    /// Fails where a function answered that it failed.
    pub(super) fn checked(&self, call: &'static str, answered: c_int) -> Result<c_int, EngineError> {
        if answered == 0 {
            return Ok(answered);
        }
        // SAFETY: a string for every number, which lives as long as the library.
        let why = unsafe { CStr::from_ptr((self.functions.nc_strerror)(answered)) };
        Err(EngineError::Call { call, why: why.to_string_lossy().into_owned() })
    }

    /// Fails for a function that came later.
    pub(super) fn lacks<T>(&self, name: &str) -> Result<T, EngineError> {
        unsupported(format!("netCDF-C {} has no {name}; a newer one may", self.release()))
    }

    pub(super) fn open_file(&self, path: &Path) -> Result<Rc<File>, EngineError> {
        const READ_ONLY: c_int = 0;
        let (path, mut id) = (c_path(path)?, 0);
        // SAFETY: a string, and a place for the answer.
        unsafe { call!(self.nc_open(path.as_ptr(), READ_ONLY, &mut id)) }?;
        Ok(Rc::new(Handle::new(self, id, close!(nc_close))))
    }
}

/// What netCDF-C tells of a chunk cache.
pub(super) fn settings(nbytes: usize, nslots: usize, w0: c_float) -> CacheSettings {
    // A fraction that was given as 0.75 shall not be told as 0.7500000119.
    let w0 = w0.to_string().parse().unwrap_or_else(|_| f64::from(w0));
    CacheSettings { nbytes: nbytes as u64, nslots: nslots as u64, w0 }
}
