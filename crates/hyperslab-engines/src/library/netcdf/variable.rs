//! An open variable: blocks of it are read and written.

use super::api::{File, settings};
use crate::block::Block;
use crate::error::{EngineError, unsupported};
use crate::interface::{OpenDataset, check_buffer};
use crate::library::call::{call, close_last};
use crate::library::load::c_name;
use hyperslab_storage::CacheSettings;
use std::ffi::c_int;
use std::rc::Rc;

/// The last of the numbered types that are numbers or characters: `NC_UINT64`. Strings have no fixed length.
pub(super) const LAST_PLAIN_TYPE: c_int = 11;
/// What netCDF-C puts before the name of a variable that is called like a dimension of others, in HDF5.
const SECRET_PREFIX: &str = "_nc4_non_coord_";
const CHUNKED: c_int = 0;
/// `NC_FORMATX_NC_HDF5`
const FORMAT_HDF5: c_int = 2;

/// An open variable of a file that closes with its last variable.
pub(super) struct Variable {
    file: Rc<File>,
    /// The file or group that it lies in.
    group: c_int,
    id: c_int,
    element_bytes: usize,
    rank: usize,
    // The block of the last call, in the library's types; their memory is used again.
    start: Vec<usize>,
    count: Vec<usize>,
    step: Vec<isize>,
}

impl Variable {
    /// Opens a variable for reading, with a chunk cache of its own, or with the library's default.
    pub(super) fn open(
        file: &Rc<File>,
        path: &str,
        cache: Option<CacheSettings>,
    ) -> Result<Self, EngineError> {
        let (library, mut group, mut id) = (&file.library, file.id, 0);
        let path = path.trim_start_matches('/');
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let name = c_name(name.strip_prefix(SECRET_PREFIX).unwrap_or(name))?;
        // SAFETY: an open file or group, strings, and places for the answers.
        unsafe {
            if !folder.is_empty() {
                let folder = c_name(&format!("/{folder}"))?;
                call!(library.nc_inq_grp_full_ncid(file.id, folder.as_ptr(), &mut group))?;
            }
            call!(library.nc_inq_varid(group, name.as_ptr(), &mut id))?;
        }
        Self::new(file, group, id, cache)
    }

    /// The variable of this number.
    pub(super) fn new(
        file: &Rc<File>,
        group: c_int,
        id: c_int,
        cache: Option<CacheSettings>,
    ) -> Result<Self, EngineError> {
        let (library, no_name) = (&file.library, std::ptr::null_mut());
        let (mut element, mut element_bytes, mut rank) = (0, 0, 0);
        // SAFETY: an open variable, and places for the answers; a name is not wanted.
        unsafe {
            call!(library.nc_inq_vartype(group, id, &mut element))?;
            call!(library.nc_inq_type(group, element, no_name, &mut element_bytes))?;
            call!(library.nc_inq_varndims(group, id, &mut rank))?;
            if element > LAST_PLAIN_TYPE {
                return unsupported("netCDF-C is only asked for variables of numbers and characters");
            }
            if let Some(CacheSettings { nbytes, nslots, w0 }) = cache {
                let (nbytes, nslots) = (nbytes as usize, nslots as usize);
                call!(library.nc_set_var_chunk_cache(group, id, nbytes, nslots, w0 as f32))?;
            }
        }
        let rank = usize::try_from(rank).unwrap_or(0);
        let (start, count, step) = Default::default();
        Ok(Self { file: file.clone(), group, id, element_bytes, rank, start, count, step })
    }

    /// Puts the block into arrays of the library's types. Where it ends is for the library to check: what is written beyond
    /// the end of a dimension that may grow lets it grow.
    fn prepare(&mut self, block: &Block, buffer: &[u8]) -> Result<(), EngineError> {
        check_buffer(block, self.element_bytes, buffer)?;
        if !block.has_rank(self.rank) {
            let (rank, own) = (block.count.len(), self.rank);
            return unsupported(format!("a block of {rank} dimensions, but the variable has {own}"));
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

impl OpenDataset for Variable {
    fn element_bytes(&self) -> usize {
        self.element_bytes
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        self.prepare(block, out)?;
        let (library, out) = (&self.file.library, out.as_mut_ptr().cast());
        let (start, count, step) = (self.start.as_ptr(), self.count.as_ptr(), self.step.as_ptr());
        // SAFETY: arrays of the variable's rank; `prepare` checked that the buffer has room for the elements.
        let done = unsafe {
            match block.is_plain() {
                true => call!(library.nc_get_vara(self.group, self.id, start, count, out)),
                false => call!(library.nc_get_vars(self.group, self.id, start, count, step, out)),
            }
        };
        done.map(drop)
    }

    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError> {
        self.prepare(block, values)?;
        let (library, values) = (&self.file.library, values.as_ptr().cast());
        let (start, count, step) = (self.start.as_ptr(), self.count.as_ptr(), self.step.as_ptr());
        // SAFETY: as above.
        let done = unsafe {
            match block.is_plain() {
                true => call!(library.nc_put_vara(self.group, self.id, start, count, values)),
                false => call!(library.nc_put_vars(self.group, self.id, start, count, step, values)),
            }
        };
        done.map(drop)
    }

    /// The chunk cache that it really has, if it has chunks: netCDF-C enlarges its default for large ones.
    fn cache(&self) -> Result<Option<CacheSettings>, EngineError> {
        let (library, group, id) = (&self.file.library, self.group, self.id);
        let (mut format, mut mode, mut storage) = (0, 0, 0);
        let (mut nbytes, mut nslots, mut w0) = (0, 0, 0.0);
        // SAFETY: an open file and variable, and places for the answers; the chunk shape is not wanted.
        unsafe {
            call!(library.nc_inq_format_extended(self.file.id, &mut format, &mut mode))?;
            if format != FORMAT_HDF5 {
                return Ok(None);
            }
            call!(library.nc_inq_var_chunking(group, id, &mut storage, std::ptr::null_mut()))?;
            if storage != CHUNKED {
                return Ok(None);
            }
            call!(library.nc_get_var_chunk_cache(group, id, &mut nbytes, &mut nslots, &mut w0))?;
        }
        Ok(Some(settings(nbytes, nslots, w0)))
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        close_last(self.file)
    }
}
