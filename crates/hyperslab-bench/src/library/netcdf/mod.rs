//! A netCDF-C of the user's: netCDF-4 (which is HDF5, by the libhdf5 that came with it) and the classic formats.
//!
//! The types of its functions are those of `include/netcdf.h` of netCDF-C 4.4 to 4.9.

mod create;
mod tree;
mod variable;

pub use tree::{NetcdfNode, NetcdfTree};
pub use variable::NetcdfVariable;

use super::api::Api;
use super::functions::functions;
use super::hdf5::Hdf5;
use super::{LibraryError, load};
use hyperslab_doctor::simulate::CacheSettings;
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

/// `NC_FORMATX_NC_HDF5`
const FORMAT_HDF5: c_int = 2;

/// A loaded netCDF-C. Not for several threads.
#[derive(Clone)]
pub struct Netcdf {
    pub(super) functions: Rc<Functions>,
    /// The libhdf5 that it came with, where its functions can be reached.
    hdf5: Option<Hdf5>,
}

impl Netcdf {
    /// Loads the library at a path.
    pub fn load(path: &Path) -> Result<Self, LibraryError> {
        let library = load(path)?;
        // SAFETY: a library with all these names is a netCDF-C.
        let functions = Rc::new(unsafe { Functions::find(library) }?);
        let hdf5 = Api::of(library, path).ok().map(|api| Hdf5 { api: Rc::new(api) });
        Ok(Self { functions, hdf5 })
    }

    /// Its release, such as `4.9.3`.
    pub fn version(&self) -> String {
        // SAFETY: a string that lives as long as the library.
        let text = unsafe { CStr::from_ptr((self.functions.nc_inq_libvers)()) }.to_string_lossy();
        text.split_whitespace().next().unwrap_or_default().to_owned()
    }

    /// The libhdf5 that it came with, where its functions can be reached.
    pub fn hdf5(&self) -> Option<&Hdf5> {
        self.hdf5.as_ref()
    }

    /// The chunk cache that a variable gets where nothing is set and one chunk is not larger.
    pub fn default_cache(&self) -> Result<CacheSettings, LibraryError> {
        let (mut nbytes, mut nslots, mut w0) = (0, 0, 0.0);
        // SAFETY: places for three values.
        self.check("nc_get_chunk_cache", unsafe {
            (self.functions.nc_get_chunk_cache)(&mut nbytes, &mut nslots, &mut w0)
        })?;
        Ok(settings(nbytes, nslots, w0))
    }

    /// Fails where a function answered that it failed.
    pub(super) fn check(&self, call: &'static str, answered: c_int) -> Result<(), LibraryError> {
        if answered == 0 {
            return Ok(());
        }
        // SAFETY: a string for every number, which lives as long as the library.
        let why = unsafe { CStr::from_ptr((self.functions.nc_strerror)(answered)) };
        Err(LibraryError::Call { call, why: why.to_string_lossy().into_owned() })
    }

    /// What is said where a function is asked for that came later.
    pub(super) fn lacks(&self, name: &str) -> LibraryError {
        LibraryError::Unsupported(format!("netCDF-C {} has no {name}; a newer one may", self.version()))
    }
}

fn settings(nbytes: usize, nslots: usize, w0: c_float) -> CacheSettings {
    // A fraction that was given as 0.75 shall not be told as 0.7500000119.
    let w0 = w0.to_string().parse().unwrap_or_else(|_| f64::from(w0));
    CacheSettings { nbytes: nbytes as u64, nslots: nslots as u64, w0 }
}

/// An open file, closed when it goes.
struct NetcdfFile {
    library: Netcdf,
    id: c_int,
}

/// What stands for a file that was closed.
const CLOSED: c_int = -1;

impl NetcdfFile {
    /// Closes it now, and says if that fails (what is written may reach the file only then).
    fn close(mut self) -> Result<(), LibraryError> {
        self.end()
    }

    /// Closes it, once.
    fn end(&mut self) -> Result<(), LibraryError> {
        match std::mem::replace(&mut self.id, CLOSED) {
            CLOSED => Ok(()),
            // SAFETY: an open file.
            id => self.library.check("nc_close", unsafe { (self.library.functions.nc_close)(id) }),
        }
    }
}

impl Drop for NetcdfFile {
    fn drop(&mut self) {
        // A drop cannot report a failure.
        let _ = self.end();
    }
}
