//! A netCDF-C of the user's: netCDF-4 (which is HDF5, by the libhdf5 that came with it) and the classic formats.
//!
//! The types of its functions are those of `include/netcdf.h` of netCDF-C 4.4 to 4.9.

mod create;
mod objects;
mod variable;

use super::call::{Handle, call, close, functions};
use super::hdf5::Hdf5;
use super::{c_name, c_path, load};
use crate::engine::error::{EngineError, unsupported};
use crate::engine::interface::{Counter, Creator, OpenDataset, OpenOptions, Opened, PreparedEngine, Visitor};
use crate::study::{Format, Storage};
use hyperslab_doctor::simulate::CacheSettings;
use libloading::os::unix::RTLD_LOCAL;
use std::ffi::{CStr, c_char, c_float, c_int, c_uint, c_void};
use std::path::Path;
use std::rc::Rc;
use variable::Variable;

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
type File = Handle<Netcdf, c_int>;

/// A loaded netCDF-C. Not for several threads.
#[derive(Clone)]
pub(super) struct Netcdf {
    functions: Rc<Functions>,
    /// The libhdf5 that it came with, where its functions can be reached.
    hdf5: Option<Rc<Hdf5>>,
}

impl Netcdf {
    /// Loads the library at a path.
    pub(super) fn load(path: &Path) -> Result<Self, EngineError> {
        let library = load(path, RTLD_LOCAL)?;
        // SAFETY: a library with all these names is a netCDF-C.
        let functions = Rc::new(unsafe { Functions::find(&[library]) }?);
        Ok(Self { functions, hdf5: Hdf5::in_library(library, path).ok().map(Rc::new) })
    }

    /// Fails where a function answered that it failed.
    fn checked(&self, call: &'static str, answered: c_int) -> Result<c_int, EngineError> {
        if answered == 0 {
            return Ok(answered);
        }
        // SAFETY: a string for every number, which lives as long as the library.
        let why = unsafe { CStr::from_ptr((self.functions.nc_strerror)(answered)) };
        Err(EngineError::Call { call, why: why.to_string_lossy().into_owned() })
    }

    /// Fails for a function that came later.
    fn lacks<T>(&self, name: &str) -> Result<T, EngineError> {
        unsupported(format!("netCDF-C {} has no {name}; a newer one may", self.version()))
    }

    fn open_file(&self, path: &Path) -> Result<Rc<File>, EngineError> {
        const READ_ONLY: c_int = 0;
        let (path, mut id) = (c_path(path)?, 0);
        // SAFETY: a string, and a place for the answer.
        unsafe { call!(self.nc_open(path.as_ptr(), READ_ONLY, &mut id)) }?;
        Ok(Rc::new(Handle::new(self, id, close!(nc_close))))
    }
}

impl PreparedEngine for Netcdf {
    fn version(&self) -> String {
        // SAFETY: a string that lives as long as the library.
        let text = unsafe { CStr::from_ptr((self.functions.nc_inq_libvers)()) }.to_string_lossy();
        text.split_whitespace().next().unwrap_or_default().to_owned()
    }

    fn hdf5_version(&self) -> Option<String> {
        self.hdf5.as_ref().map(|hdf5| hdf5.version())
    }

    /// What a variable gets where one chunk is not larger.
    fn default_cache(&self) -> Option<CacheSettings> {
        let (mut nbytes, mut nslots, mut w0) = (0, 0, 0.0);
        // SAFETY: places for three values.
        unsafe { call!(self.nc_get_chunk_cache(&mut nbytes, &mut nslots, &mut w0)) }.ok()?;
        Some(settings(nbytes, nslots, w0))
    }

    /// What netCDF-C decodes and encodes goes through the libhdf5 that it came with.
    fn count(&self, filters: &[u16]) -> Option<Counter> {
        self.hdf5.as_ref()?.count(filters)
    }

    fn open(&self, file: &Path, dataset: &str, options: &OpenOptions) -> Opened<dyn OpenDataset> {
        no_page_buffer(options)?;
        Ok(Box::new(Variable::open(&self.open_file(file)?, dataset, options.cache)?))
    }

    fn create(
        &self,
        file: &Path,
        dataset: &str,
        storage: &Storage,
        options: &OpenOptions,
    ) -> Opened<dyn OpenDataset> {
        no_page_buffer(options)?;
        let file = create::file(self, file, storage.format)?;
        let dimensions = create::dimensions(&file, storage)?;
        let name = dataset.trim_start_matches('/');
        let id = create::variable(self, file.id, name, storage, &dimensions)?;
        let variable = Variable::new(&file, file.id, id, options.cache)?;
        // SAFETY: an open file.
        unsafe { call!(self.nc_enddef(file.id)) }?;
        Ok(Box::new(variable))
    }

    fn make(&self, file: &Path, storage: &Storage) -> Opened<dyn Creator> {
        if storage.format != Format::Netcdf4 {
            return unsupported(
                "files of many variables are made as netCDF-4: a classic one is rewritten for each",
            );
        }
        Ok(Box::new(objects::Made::new(create::file(self, file, storage.format)?, storage)))
    }

    fn visit(&self, file: &Path, _: &OpenOptions) -> Opened<dyn Visitor> {
        Ok(Box::new(objects::Visited(self.open_file(file)?)))
    }
}

fn no_page_buffer(options: &OpenOptions) -> Result<(), EngineError> {
    match options.page_buffer {
        None => Ok(()),
        Some(_) => unsupported("netCDF-C has no page buffer to set"),
    }
}

fn settings(nbytes: usize, nslots: usize, w0: c_float) -> CacheSettings {
    // A fraction that was given as 0.75 shall not be told as 0.7500000119.
    let w0 = w0.to_string().parse().unwrap_or_else(|_| f64::from(w0));
    CacheSettings { nbytes: nbytes as u64, nslots: nslots as u64, w0 }
}
