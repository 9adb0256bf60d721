//! A libhdf5 and its files: what a bench does with them.

mod create;
mod dataset;

pub use dataset::Hdf5Dataset;

use super::api::{Api, DEFAULT, Id};
use super::count::Counter;
use super::datatype::{COMPOUND, FLOAT, INTEGER, class, copy, native};
use super::handle::{Handle, check};
use super::memory_type::MemoryType;
use super::{LibraryError, c_name, c_path};
use crate::study::Records;
use hyperslab_doctor::simulate::CacheSettings;
use std::ffi::{CStr, c_int};
use std::path::Path;
use std::rc::Rc;

const UNLIMITED: u64 = u64::MAX;
const READ_ONLY: u32 = 0;

/// A loaded libhdf5. Not for several threads: few builds of the library allow that.
#[derive(Clone)]
pub struct Hdf5 {
    pub(super) api: Rc<Api>,
}

/// An open file.
pub struct Hdf5File {
    pub(super) handle: Handle,
}

impl Hdf5 {
    /// Loads the library at a path.
    pub fn load(path: &Path) -> Result<Self, LibraryError> {
        Ok(Self { api: Rc::new(Api::load(path)?) })
    }

    /// Its release, such as `2.0.0`.
    pub fn version(&self) -> String {
        self.api.version_text()
    }

    /// The chunk cache that a dataset gets where nothing is set.
    pub fn default_cache(&self) -> Result<CacheSettings, LibraryError> {
        let access = self.properties(self.api.constants.H5P_CLS_DATASET_ACCESS_ID_g)?;
        let (mut nslots, mut nbytes, mut w0) = (0, 0, 0.0);
        // SAFETY: places for three values.
        let answered =
            unsafe { (self.api.functions.H5Pget_chunk_cache)(access.id, &mut nslots, &mut nbytes, &mut w0) };
        check(&self.api, "H5Pget_chunk_cache", answered)?;
        // The dataset's own list says "as the file's" by values that no cache has; the file's defaults follow.
        if nslots == usize::MAX || w0 < 0.0 {
            return self.file_cache();
        }
        Ok(CacheSettings { nbytes: nbytes as u64, nslots: nslots as u64, w0 })
    }

    fn file_cache(&self) -> Result<CacheSettings, LibraryError> {
        let get = self.api.functions.H5Pget_cache;
        let access = self.properties(self.api.constants.H5P_CLS_FILE_ACCESS_ID_g)?;
        let (mut unused, mut nslots, mut nbytes, mut w0) = (0, 0, 0, 0.0);
        // SAFETY: places for four values.
        check(&self.api, "H5Pget_cache", unsafe {
            get(access.id, &mut unused, &mut nslots, &mut nbytes, &mut w0)
        })?;
        Ok(CacheSettings { nbytes: nbytes as u64, nslots: nslots as u64, w0 })
    }

    /// Counts the chunks that pass this pipeline from now on, where the library allows. Once a process.
    pub fn count(&self, filters: &[u16]) -> Option<Counter> {
        Counter::install(&self.api.filters, filters)
    }

    /// True where a filter can be used, perhaps after loading a plug-in.
    fn has_filter(&self, id: u16) -> bool {
        // SAFETY: a plain call.
        unsafe { (self.api.functions.H5Zfilter_avail)(c_int::from(id)) > 0 }
    }

    /// Opens a file for reading, with a page buffer of so many bytes where one is wanted.
    pub fn open(&self, path: &Path, page_buffer: Option<u64>) -> Result<Hdf5File, LibraryError> {
        let access = page_buffer.map(|bytes| self.with_page_buffer(bytes)).transpose()?;
        let name = c_path(path)?;
        let f = &self.api.functions;
        // SAFETY: a string, and an open list or the default.
        let answered = unsafe { (f.H5Fopen)(name.as_ptr(), READ_ONLY, id_of(&access)) };
        Ok(Hdf5File { handle: Handle::new(&self.api, "H5Fopen", answered, f.H5Fclose)? })
    }

    fn with_page_buffer(&self, bytes: u64) -> Result<Handle, LibraryError> {
        let set = self.api.functions.H5Pset_page_buffer_size.ok_or_else(|| {
            LibraryError::Unsupported(format!("libhdf5 {} has no page buffer", self.version()))
        })?;
        let list = self.properties(self.api.constants.H5P_CLS_FILE_ACCESS_ID_g)?;
        // SAFETY: an open list.
        check(&self.api, "H5Pset_page_buffer_size", unsafe { set(list.id, bytes as usize, 0, 0) })?;
        Ok(list)
    }

    fn with_cache(&self, cache: CacheSettings) -> Result<Handle, LibraryError> {
        let list = self.properties(self.api.constants.H5P_CLS_DATASET_ACCESS_ID_g)?;
        let (nslots, nbytes) = (cache.nslots as usize, cache.nbytes as usize);
        // SAFETY: an open list.
        let answered = unsafe { (self.api.functions.H5Pset_chunk_cache)(list.id, nslots, nbytes, cache.w0) };
        check(&self.api, "H5Pset_chunk_cache", answered)?;
        Ok(list)
    }

    /// A new list of a class of properties.
    fn properties(&self, class: Id) -> Result<Handle, LibraryError> {
        let f = &self.api.functions;
        // SAFETY: a class of property lists.
        let answered = unsafe { (f.H5Pcreate)(class) };
        Handle::new(&self.api, "H5Pcreate", answered, f.H5Pclose)
    }

    /// Numbers as the machine has them, records as asked for; anything else as it is in the file.
    fn memory_type(&self, file_type: &Handle, records: &Records) -> Result<MemoryType, LibraryError> {
        match class(file_type) {
            COMPOUND => self.fields_in_memory(file_type, records.fields.as_deref(), records.memory),
            _ if records.fields.is_some() => {
                Err(LibraryError::Unsupported("the dataset has no records, so no fields".to_owned()))
            }
            INTEGER | FLOAT => Ok(MemoryType::new(native(file_type)?)),
            _ => Ok(MemoryType::new(copy(&self.api, file_type.id)?)),
        }
    }

    /// Opens a dataset that lies below an object, with a list of its access.
    pub(super) fn dataset(
        &self,
        above: Id,
        name: &CStr,
        access: &Option<Handle>,
        records: &Records,
    ) -> Result<Hdf5Dataset, LibraryError> {
        let (api, f) = (&self.api, &self.api.functions);
        // SAFETY: a string, and open identifiers.
        let answered = unsafe { (f.H5Dopen2)(above, name.as_ptr(), id_of(access)) };
        let handle = Handle::new(api, "H5Dopen2", answered, f.H5Dclose)?;
        // SAFETY: an open dataset.
        let (space, file_type) = unsafe { ((f.H5Dget_space)(handle.id), (f.H5Dget_type)(handle.id)) };
        let file_space = Handle::new(api, "H5Dget_space", space, f.H5Sclose)?;
        let file_type = Handle::new(api, "H5Dget_type", file_type, f.H5Tclose)?;
        Hdf5Dataset::new(handle, file_space, self.memory_type(&file_type, records)?)
    }

    /// What a dataset is opened with for a chunk cache of its own; nothing for the library's default.
    pub(super) fn access(&self, cache: Option<CacheSettings>) -> Result<Option<Handle>, LibraryError> {
        cache.map(|cache| self.with_cache(cache)).transpose()
    }

    pub(super) fn space(&self, shape: &[u64], unlimited: bool) -> Result<Handle, LibraryError> {
        let f = &self.api.functions;
        let most = vec![UNLIMITED; shape.len()];
        let most = if unlimited { most.as_ptr() } else { std::ptr::null() };
        // SAFETY: arrays of the rank.
        let answered = unsafe {
            match shape {
                [] => (f.H5Screate)(0),
                _ => (f.H5Screate_simple)(shape.len() as c_int, shape.as_ptr(), most),
            }
        };
        Handle::new(&self.api, "H5Screate_simple", answered, f.H5Sclose)
    }
}

impl Hdf5File {
    /// Opens a dataset with a chunk cache of its own, or with the library's default.
    pub fn dataset(
        &self,
        name: &str,
        cache: Option<CacheSettings>,
        records: &Records,
    ) -> Result<Hdf5Dataset, LibraryError> {
        let library = self.library();
        library.dataset(self.handle.id, &c_name(name)?, &library.access(cache)?, records)
    }

    /// Closes it; what was written reaches the file at the latest now.
    pub fn close(self) -> Result<(), LibraryError> {
        self.handle.close("H5Fclose")
    }

    pub(super) fn library(&self) -> Hdf5 {
        Hdf5 { api: self.handle.api.clone() }
    }
}

/// A list where one was made; else the library's default.
fn id_of(list: &Option<Handle>) -> Id {
    list.as_ref().map_or(DEFAULT, |list| list.id)
}
