//! An open variable: blocks of it are read and written.

use super::{FORMAT_HDF5, LibraryError, Netcdf, NetcdfFile, settings};
use crate::library::{c_name, c_path, check_buffer};
use crate::study::Block;
use hyperslab_doctor::simulate::CacheSettings;
use std::ffi::c_int;
use std::path::Path;
use std::rc::Rc;

/// The last of the numbered types that are numbers or characters: `NC_UINT64`. Strings have no fixed length.
pub(super) const LAST_PLAIN_TYPE: c_int = 11;
/// What netCDF-C puts before the name of a variable that is called like a dimension of others, in HDF5.
const SECRET_PREFIX: &str = "_nc4_non_coord_";
const CHUNKED: c_int = 0;

/// An open variable of a file that closes with its last variable.
pub struct NetcdfVariable {
    file: Rc<NetcdfFile>,
    /// The file or group that it lies in.
    group: c_int,
    id: c_int,
    element_bytes: usize,
    rank: usize,
    // CachedResult between reads.
    start: Vec<usize>,
    count: Vec<usize>,
    step: Vec<isize>,
}

impl Netcdf {
    /// Opens a variable for reading, with a chunk cache of its own, or with the library's default.
    pub fn open(
        &self,
        path: &Path,
        variable: &str,
        cache: Option<CacheSettings>,
    ) -> Result<NetcdfVariable, LibraryError> {
        const READ_ONLY: c_int = 0;
        let (mut id, f) = (0, &self.functions);
        let place = c_path(path)?;
        // SAFETY: a string, and a place for the answer.
        self.check("nc_open", unsafe { (f.nc_open)(place.as_ptr(), READ_ONLY, &mut id) })?;
        let file = NetcdfFile { library: self.clone(), id };
        let variable = variable.trim_start_matches('/');
        let (group, variable) = match variable.rsplit_once('/') {
            Some((folder, variable)) => (self.group(id, folder)?, variable),
            None => (id, variable),
        };
        let short = c_name(variable.strip_prefix(SECRET_PREFIX).unwrap_or(variable))?;
        let mut found = 0;
        // SAFETY: an open file or group, a string, and a place for the answer.
        self.check("nc_inq_varid", unsafe { (f.nc_inq_varid)(group, short.as_ptr(), &mut found) })?;
        NetcdfVariable::new(Rc::new(file), group, found, cache)
    }

    fn group(&self, file: c_int, folder: &str) -> Result<c_int, LibraryError> {
        let (mut group, path) = (0, c_name(&format!("/{folder}"))?);
        // SAFETY: an open file, a string, and a place for the answer.
        self.check("nc_inq_grp_full_ncid", unsafe {
            (self.functions.nc_inq_grp_full_ncid)(file, path.as_ptr(), &mut group)
        })?;
        Ok(group)
    }
}

impl NetcdfVariable {
    pub(super) fn new(
        file: Rc<NetcdfFile>,
        group: c_int,
        id: c_int,
        cache: Option<CacheSettings>,
    ) -> Result<Self, LibraryError> {
        let library = &file.library;
        let f = &library.functions;
        let (mut element, mut element_bytes, mut rank) = (0, 0, 0);
        // SAFETY: an open variable, and places for the answers; a name is not wanted.
        unsafe {
            library.check("nc_inq_vartype", (f.nc_inq_vartype)(group, id, &mut element))?;
            let answered = (f.nc_inq_type)(group, element, std::ptr::null_mut(), &mut element_bytes);
            library.check("nc_inq_type", answered)?;
            library.check("nc_inq_varndims", (f.nc_inq_varndims)(group, id, &mut rank))?;
        }
        if element > LAST_PLAIN_TYPE {
            return Err(LibraryError::Unsupported(
                "netCDF-C is only asked for variables of numbers and characters".to_owned(),
            ));
        }
        if let Some(cache) = cache {
            let (nbytes, nslots) = (cache.nbytes as usize, cache.nslots as usize);
            // SAFETY: an open variable.
            library.check("nc_set_var_chunk_cache", unsafe {
                (f.nc_set_var_chunk_cache)(group, id, nbytes, nslots, cache.w0 as f32)
            })?;
        }
        let rank = usize::try_from(rank).unwrap_or(0);
        let (start, count, step) = Default::default();
        Ok(Self { file, group, id, element_bytes, rank, start, count, step })
    }

    /// Bytes of one element in memory.
    pub fn element_bytes(&self) -> usize {
        self.element_bytes
    }

    /// The chunk cache that it really has, if it has chunks: netCDF-C enlarges its default for large ones.
    pub fn cache(&self) -> Result<Option<CacheSettings>, LibraryError> {
        let (library, f) = (&self.file.library, &self.file.library.functions);
        let (mut format, mut mode, mut storage) = (0, 0, 0);
        let (mut nbytes, mut nslots, mut w0) = (0, 0, 0.0);
        // SAFETY: an open file and variable, and places for the answers; the chunk shape is not wanted.
        unsafe {
            let answered = (f.nc_inq_format_extended)(self.file.id, &mut format, &mut mode);
            library.check("nc_inq_format_extended", answered)?;
            if format != FORMAT_HDF5 {
                return Ok(None);
            }
            let answered = (f.nc_inq_var_chunking)(self.group, self.id, &mut storage, std::ptr::null_mut());
            library.check("nc_inq_var_chunking", answered)?;
            if storage != CHUNKED {
                return Ok(None);
            }
            let answered = (f.nc_get_var_chunk_cache)(self.group, self.id, &mut nbytes, &mut nslots, &mut w0);
            library.check("nc_get_var_chunk_cache", answered)?;
        }
        Ok(Some(settings(nbytes, nslots, w0)))
    }

    /// Reads a block into `out`, which has room for its elements.
    pub fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), LibraryError> {
        self.prepare(block, out)?;
        let (library, f) = (&self.file.library, &self.file.library.functions);
        let (start, count, to) = (self.start.as_ptr(), self.count.as_ptr(), out.as_mut_ptr().cast());
        // SAFETY: arrays of the variable's rank; `prepare` checked that the buffer has room for the elements.
        unsafe {
            if block.is_plain() {
                library.check("nc_get_vara", (f.nc_get_vara)(self.group, self.id, start, count, to))
            } else {
                let step = self.step.as_ptr();
                library.check("nc_get_vars", (f.nc_get_vars)(self.group, self.id, start, count, step, to))
            }
        }
    }

    /// Writes a block from `values`.
    pub fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), LibraryError> {
        self.prepare(block, values)?;
        let (library, f) = (&self.file.library, &self.file.library.functions);
        let (start, count, from) = (self.start.as_ptr(), self.count.as_ptr(), values.as_ptr().cast());
        // SAFETY: as above.
        unsafe {
            if block.is_plain() {
                library.check("nc_put_vara", (f.nc_put_vara)(self.group, self.id, start, count, from))
            } else {
                let step = self.step.as_ptr();
                library.check("nc_put_vars", (f.nc_put_vars)(self.group, self.id, start, count, step, from))
            }
        }
    }

    /// Closes the file, unless others have it; what was written reaches it at the latest now.
    pub fn close(self) -> Result<(), LibraryError> {
        Rc::into_inner(self.file).map_or(Ok(()), NetcdfFile::close)
    }

    /// Puts the block into arrays of the library's types. Where it ends is for the library to check: what is written beyond
    /// the end of a dimension that may grow lets it grow.
    fn prepare(&mut self, block: &Block, buffer: &[u8]) -> Result<(), LibraryError> {
        check_buffer(block, self.element_bytes, buffer)?;
        if !block.has_rank(self.rank) {
            let rank = block.count.len();
            return Err(LibraryError::Unsupported(format!(
                "a block of {rank} dimensions, but the variable has {}",
                self.rank
            )));
        }
        self.start.clear();
        self.start.extend(block.start.iter().map(|at| *at as usize));
        self.count.clear();
        self.count.extend(block.count.iter().map(|count| *count as usize));
        self.step.clear();
        self.step.extend(block.step.iter().map(|step| *step as isize));
        Ok(())
    }
}
