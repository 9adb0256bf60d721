//! A libhdf5, its files and datasets: what a bench does with them.

use super::LibraryError;
use super::api::{Api, DEFAULT, Id};
use super::handle::{Handle, check};
use super::record::{COMPOUND, MemoryType};
use super::text;
use crate::study::{
    AllocTime, Block, Element, FillTime, FilterSpec, Kind, Layout, Libver, Memory, Records, Storage,
};
use hyperslab_doctor::simulate::CacheSettings;
use std::ffi::{CString, c_int};
use std::path::Path;
use std::rc::Rc;

const UNLIMITED: u64 = u64::MAX;
const SELECT_SET: c_int = 0;
const TRUNCATE: u32 = 2;
const READ_ONLY: u32 = 0;
const CONTIGUOUS: c_int = 1;
const FILTER_OPTIONAL: u32 = 1;
const FILTER_MANDATORY: u32 = 0;
/// `H5T_INTEGER` and `H5T_FLOAT`
const NUMBERS: [c_int; 2] = [0, 1];

/// A loaded libhdf5. Not for several threads: few builds of the library allow that.
#[derive(Clone)]
pub struct Hdf5 {
    pub(super) api: Rc<Api>,
}

/// An open file.
pub struct Hdf5File {
    pub(super) handle: Handle,
}

/// An open dataset, with what it takes to read and write blocks of it.
pub struct Hdf5Dataset {
    pub(super) handle: Handle,
    pub(super) file_space: Handle,
    memory_type: MemoryType,
    /// The dataspace of the block in memory, kept while blocks have the same shape.
    memory_space: Option<(Vec<u64>, Handle)>,
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

    /// Its release in numbers.
    pub fn release(&self) -> (u32, u32, u32) {
        self.api.version
    }

    /// The chunk cache that a dataset gets where nothing is set.
    pub fn default_cache(&self) -> Result<CacheSettings, LibraryError> {
        let access = self.properties("H5P_CLS_DATASET_ACCESS_ID_g")?;
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
        type GetCache = unsafe extern "C" fn(Id, *mut c_int, *mut usize, *mut usize, *mut f64) -> c_int;
        let get: GetCache = self.api.optional("H5Pget_cache").ok_or(LibraryError::Missing("H5Pget_cache"))?;
        let access = self.properties("H5P_CLS_FILE_ACCESS_ID_g")?;
        let (mut unused, mut nslots, mut nbytes, mut w0) = (0, 0, 0, 0.0);
        // SAFETY: places for four values.
        check(&self.api, "H5Pget_cache", unsafe {
            get(access.id, &mut unused, &mut nslots, &mut nbytes, &mut w0)
        })?;
        Ok(CacheSettings { nbytes: nbytes as u64, nslots: nslots as u64, w0 })
    }

    /// True where a filter can be used, perhaps after loading a plug-in.
    pub fn has_filter(&self, id: u16) -> bool {
        // SAFETY: a plain call.
        unsafe { (self.api.functions.H5Zfilter_avail)(c_int::from(id)) > 0 }
    }

    /// Opens a file for reading, with a page buffer of so many bytes where one is wanted.
    pub fn open(&self, path: &Path, page_buffer: Option<u64>) -> Result<Hdf5File, LibraryError> {
        let access = self.properties("H5P_CLS_FILE_ACCESS_ID_g")?;
        if let Some(bytes) = page_buffer {
            type SetPageBuffer = unsafe extern "C" fn(Id, usize, u32, u32) -> c_int;
            let set: SetPageBuffer = self.api.optional("H5Pset_page_buffer_size").ok_or_else(|| {
                LibraryError::Unsupported(format!("libhdf5 {} has no page buffer", self.version()))
            })?;
            // SAFETY: a plain call.
            check(&self.api, "H5Pset_page_buffer_size", unsafe { set(access.id, bytes as usize, 0, 0) })?;
        }
        let name = text(path)?;
        let f = &self.api.functions;
        // SAFETY: a string, and an open list.
        let answered = unsafe { (f.H5Fopen)(name.as_ptr(), READ_ONLY, access.id) };
        Ok(Hdf5File { handle: Handle::new(&self.api, "H5Fopen", answered, f.H5Fclose)? })
    }

    /// Makes a file for a dataset that will be stored so.
    pub fn create(&self, path: &Path, storage: &Storage) -> Result<Hdf5File, LibraryError> {
        let f = &self.api.functions;
        let creation = self.properties("H5P_CLS_FILE_CREATE_ID_g")?;
        if let Some(bytes) = storage.page_bytes {
            type SetStrategy = unsafe extern "C" fn(Id, c_int, bool, u64) -> c_int;
            type SetPageSize = unsafe extern "C" fn(Id, u64) -> c_int;
            const PAGE: c_int = 1;
            let strategy: Option<SetStrategy> = self.api.optional("H5Pset_file_space_strategy");
            let size: Option<SetPageSize> = self.api.optional("H5Pset_file_space_page_size");
            let (Some(strategy), Some(size)) = (strategy, size) else {
                let version = self.version();
                return Err(LibraryError::Unsupported(format!("libhdf5 {version} writes no paged files")));
            };
            // SAFETY: plain calls.
            unsafe {
                check(&self.api, "H5Pset_file_space_strategy", strategy(creation.id, PAGE, false, 1))?;
                check(&self.api, "H5Pset_file_space_page_size", size(creation.id, bytes))?;
            }
        }
        let access = self.properties("H5P_CLS_FILE_ACCESS_ID_g")?;
        if let Some((low, high)) = self.bounds(storage.libver) {
            // SAFETY: a plain call.
            check(&self.api, "H5Pset_libver_bounds", unsafe {
                (f.H5Pset_libver_bounds)(access.id, low, high)
            })?;
        }
        let name = text(path)?;
        // SAFETY: a string, and open lists.
        let answered = unsafe { (f.H5Fcreate)(name.as_ptr(), TRUNCATE, creation.id, access.id) };
        Ok(Hdf5File { handle: Handle::new(&self.api, "H5Fcreate", answered, f.H5Fclose)? })
    }

    /// `H5F_LIBVER_*`: the newest has another number in each release.
    fn bounds(&self, libver: Libver) -> Option<(c_int, c_int)> {
        const EARLIEST: c_int = 0;
        let latest = match self.api.version {
            version if version < (1, 10, 2) => 1,
            (1, 10, _) => 2,
            (1, 11 | 12, _) => 3,
            (1, ..) => 4,
            _ => 5,
        };
        match libver {
            Libver::Default => None,
            Libver::Earliest => Some((EARLIEST, latest)),
            Libver::Latest => Some((latest, latest)),
        }
    }

    fn properties(&self, class: &'static str) -> Result<Handle, LibraryError> {
        let f = &self.api.functions;
        // SAFETY: a class of property lists.
        let answered = unsafe { (f.H5Pcreate)(self.api.constant(class)?) };
        Handle::new(&self.api, "H5Pcreate", answered, f.H5Pclose)
    }

    pub(super) fn file_type(&self, element: Element) -> Result<Handle, LibraryError> {
        let big = element.is_big_endian;
        let name = match (element.kind, element.bytes, big) {
            (Kind::Record(record), ..) => return self.record_type(record),
            (Kind::Text, ..) => "H5T_C_S1_g",
            (Kind::Float, 4, false) => "H5T_IEEE_F32LE_g",
            (Kind::Float, 4, true) => "H5T_IEEE_F32BE_g",
            (Kind::Float, _, false) => "H5T_IEEE_F64LE_g",
            (Kind::Float, _, true) => "H5T_IEEE_F64BE_g",
            (Kind::Signed, 1, _) => "H5T_STD_I8LE_g",
            (Kind::Signed, 2, false) => "H5T_STD_I16LE_g",
            (Kind::Signed, 2, true) => "H5T_STD_I16BE_g",
            (Kind::Signed, 4, false) => "H5T_STD_I32LE_g",
            (Kind::Signed, 4, true) => "H5T_STD_I32BE_g",
            (Kind::Signed, _, false) => "H5T_STD_I64LE_g",
            (Kind::Signed, _, true) => "H5T_STD_I64BE_g",
            (Kind::Unsigned, 1, _) => "H5T_STD_U8LE_g",
            (Kind::Unsigned, 2, false) => "H5T_STD_U16LE_g",
            (Kind::Unsigned, 2, true) => "H5T_STD_U16BE_g",
            (Kind::Unsigned, 4, false) => "H5T_STD_U32LE_g",
            (Kind::Unsigned, 4, true) => "H5T_STD_U32BE_g",
            (Kind::Unsigned, _, false) => "H5T_STD_U64LE_g",
            (Kind::Unsigned, _, true) => "H5T_STD_U64BE_g",
        };
        let f = &self.api.functions;
        // SAFETY: a predefined type.
        let answered = unsafe { (f.H5Tcopy)(self.api.constant(name)?) };
        let copy = Handle::new(&self.api, "H5Tcopy", answered, f.H5Tclose)?;
        if element.kind == Kind::Text {
            // SAFETY: a copy, so it may be changed.
            check(&self.api, "H5Tset_size", unsafe { (f.H5Tset_size)(copy.id, element.bytes as usize) })?;
        }
        Ok(copy)
    }

    /// Numbers as the machine has them, records as asked for; anything else as it is in the file.
    fn memory_type(&self, file_type: &Handle, records: &Records) -> Result<MemoryType, LibraryError> {
        let f = &self.api.functions;
        // SAFETY: an open type.
        if unsafe { (f.H5Tget_class)(file_type.id) } == COMPOUND {
            return self.fields_in_memory(file_type, records.fields.as_deref(), records.memory);
        }
        if records.fields.is_some() {
            return Err(LibraryError::Unsupported("the dataset has no records, so no fields".to_owned()));
        }
        // SAFETY: an open type.
        unsafe {
            if NUMBERS.contains(&(f.H5Tget_class)(file_type.id)) {
                let answered = (f.H5Tget_native_type)(file_type.id, 0);
                let handle = Handle::new(&self.api, "H5Tget_native_type", answered, f.H5Tclose)?;
                return Ok(MemoryType { handle, layout: None });
            }
            let handle = Handle::new(&self.api, "H5Tcopy", (f.H5Tcopy)(file_type.id), f.H5Tclose)?;
            Ok(MemoryType { handle, layout: None })
        }
    }

    fn space(&self, shape: &[u64], unlimited: bool) -> Result<Handle, LibraryError> {
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

    fn creation(&self, storage: &Storage) -> Result<Handle, LibraryError> {
        let f = &self.api.functions;
        let list = self.properties("H5P_CLS_DATASET_CREATE_ID_g")?;
        // SAFETY: an open list, and values or arrays that outlive each call.
        unsafe {
            match &storage.chunks {
                Some(chunks) => {
                    let answered = (f.H5Pset_chunk)(list.id, chunks.len() as c_int, chunks.as_ptr());
                    check(&self.api, "H5Pset_chunk", answered)?;
                }
                None => check(&self.api, "H5Pset_layout", (f.H5Pset_layout)(list.id, CONTIGUOUS))?,
            }
            let fill_time = match storage.fill_time {
                FillTime::Alloc => 0,
                FillTime::Never => 1,
                FillTime::IfSet => 2,
            };
            check(&self.api, "H5Pset_fill_time", (f.H5Pset_fill_time)(list.id, fill_time))?;
            let alloc_time = match storage.alloc_time {
                AllocTime::Default => 0,
                AllocTime::Early => 1,
                AllocTime::Late => 2,
                AllocTime::Incremental => 3,
            };
            check(&self.api, "H5Pset_alloc_time", (f.H5Pset_alloc_time)(list.id, alloc_time))?;
            if let Some(value) = storage.fill_value {
                let double = self.api.constant("H5T_NATIVE_DOUBLE_g")?;
                let value = std::ptr::from_ref(&value).cast();
                check(&self.api, "H5Pset_fill_value", (f.H5Pset_fill_value)(list.id, double, value))?;
            }
        }
        for filter in &storage.filters {
            self.add_filter(&list, filter, storage.element)?;
        }
        Ok(list)
    }

    fn add_filter(&self, list: &Handle, filter: &FilterSpec, element: Element) -> Result<(), LibraryError> {
        const NEAREST_NEIGHBOUR: u32 = 32;
        const ENTROPY_CODING: u32 = 4;
        const FLOAT_BY_DIGITS: c_int = 0;
        const INTEGERS: c_int = 2;
        if !self.has_filter(filter.id()) {
            return Err(LibraryError::Unsupported(format!(
                "libhdf5 {} has no filter {filter} ({}); a plug-in for it is found by HDF5_PLUGIN_PATH (pip install hdf5plugin brings many)",
                self.version(),
                filter.id()
            )));
        }
        let f = &self.api.functions;
        let set = |flags: u32, parameters: &[u32]| {
            // SAFETY: an array of so many values.
            unsafe {
                (f.H5Pset_filter)(
                    list.id,
                    c_int::from(filter.id()),
                    flags,
                    parameters.len(),
                    parameters.as_ptr(),
                )
            }
        };
        // SAFETY: an open list.
        let answered = unsafe {
            match filter {
                FilterSpec::Gzip(level) => set(FILTER_OPTIONAL, &[*level]),
                FilterSpec::Shuffle => set(FILTER_OPTIONAL, &[]),
                FilterSpec::Fletcher32 => set(FILTER_MANDATORY, &[]),
                FilterSpec::Szip { nearest_neighbour, pixels } => {
                    let coding = if *nearest_neighbour { NEAREST_NEIGHBOUR } else { ENTROPY_CODING };
                    (f.H5Pset_szip)(list.id, coding, *pixels)
                }
                FilterSpec::Nbit => (f.H5Pset_nbit)(list.id),
                FilterSpec::ScaleOffset(digits) => {
                    let kind = if element.kind == Kind::Float { FLOAT_BY_DIGITS } else { INTEGERS };
                    (f.H5Pset_scaleoffset)(list.id, kind, *digits)
                }
                FilterSpec::Other { parameters, .. } => set(FILTER_OPTIONAL, parameters),
            }
        };
        check(&self.api, "H5Pset_filter", answered)
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
        let f = &library.api.functions;
        let access = access(&library, cache)?;
        let path =
            CString::new(name).map_err(|_| LibraryError::Unsupported(format!("{name:?} as a path")))?;
        // SAFETY: a string, and open identifiers.
        let answered = unsafe { (f.H5Dopen2)(self.handle.id, path.as_ptr(), access.id) };
        let handle = Handle::new(&library.api, "H5Dopen2", answered, f.H5Dclose)?;
        type GetSpace = unsafe extern "C" fn(Id) -> Id;
        let get: GetSpace =
            library.api.optional("H5Dget_space").ok_or(LibraryError::Missing("H5Dget_space"))?;
        // SAFETY: an open dataset.
        let file_space = Handle::new(&library.api, "H5Dget_space", unsafe { get(handle.id) }, f.H5Sclose)?;
        // SAFETY: as above.
        let file_type =
            Handle::new(&library.api, "H5Dget_type", unsafe { (f.H5Dget_type)(handle.id) }, f.H5Tclose)?;
        let memory_type = library.memory_type(&file_type, records)?;
        Ok(Hdf5Dataset { handle, file_space, memory_type, memory_space: None })
    }

    /// Creates a dataset.
    pub fn create(
        &self,
        name: &str,
        storage: &Storage,
        cache: Option<CacheSettings>,
        memory: Memory,
    ) -> Result<Hdf5Dataset, LibraryError> {
        let library = self.library();
        let f = &library.api.functions;
        let file_type = library.file_type(storage.element)?;
        let file_space = library.space(&storage.shape, storage.unlimited)?;
        let creation = library.creation(storage)?;
        let access = access(&library, cache)?;
        let path =
            CString::new(name).map_err(|_| LibraryError::Unsupported(format!("{name:?} as a path")))?;
        // SAFETY: a string, and open identifiers.
        let answered = unsafe {
            (f.H5Dcreate2)(
                self.handle.id,
                path.as_ptr(),
                file_type.id,
                file_space.id,
                DEFAULT,
                creation.id,
                access.id,
            )
        };
        let handle = Handle::new(&library.api, "H5Dcreate2", answered, f.H5Dclose)?;
        let memory_type = match storage.element.kind {
            Kind::Record(record) => library.record_in_memory(record, memory)?,
            _ => library.memory_type(&file_type, &Records::default())?,
        };
        Ok(Hdf5Dataset { handle, file_space, memory_type, memory_space: None })
    }

    /// Closes it; what was written reaches the file at the latest now.
    pub fn close(self) -> Result<(), LibraryError> {
        self.handle.close("H5Fclose")
    }

    fn library(&self) -> Hdf5 {
        Hdf5 { api: self.handle.api.clone() }
    }
}

fn access(library: &Hdf5, cache: Option<CacheSettings>) -> Result<Handle, LibraryError> {
    let list = library.properties("H5P_CLS_DATASET_ACCESS_ID_g")?;
    if let Some(cache) = cache {
        // SAFETY: a plain call.
        let answered = unsafe {
            (library.api.functions.H5Pset_chunk_cache)(
                list.id,
                cache.nslots as usize,
                cache.nbytes as usize,
                cache.w0,
            )
        };
        check(&library.api, "H5Pset_chunk_cache", answered)?;
    }
    Ok(list)
}

impl Hdf5Dataset {
    /// Bytes of one element in memory.
    pub fn element_bytes(&self) -> usize {
        // SAFETY: an open type.
        unsafe { (self.handle.api.functions.H5Tget_size)(self.memory_type.handle.id) }
    }

    /// Where the fields of records lie in memory.
    pub fn layout(&self) -> Option<&Layout> {
        self.memory_type.layout.as_ref()
    }

    /// Bytes of raw data in the file.
    pub fn stored_bytes(&self) -> u64 {
        // SAFETY: an open dataset.
        unsafe { (self.handle.api.functions.H5Dget_storage_size)(self.handle.id) }
    }

    /// Reads a block into `out`, which has room for its elements.
    pub fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), LibraryError> {
        let memory = self.prepare(block, out.len())?;
        let f = &self.handle.api.functions;
        // SAFETY: `prepare` checked that the buffer has room for the selection in memory.
        let answered = unsafe {
            (f.H5Dread)(
                self.handle.id,
                self.memory_type.handle.id,
                memory,
                self.file_space.id,
                DEFAULT,
                out.as_mut_ptr().cast(),
            )
        };
        check(&self.handle.api, "H5Dread", answered)
    }

    /// Writes a block from `values`.
    pub fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), LibraryError> {
        let memory = self.prepare(block, values.len())?;
        let f = &self.handle.api.functions;
        // SAFETY: as above.
        let answered = unsafe {
            (f.H5Dwrite)(
                self.handle.id,
                self.memory_type.handle.id,
                memory,
                self.file_space.id,
                DEFAULT,
                values.as_ptr().cast(),
            )
        };
        check(&self.handle.api, "H5Dwrite", answered)
    }

    /// Closes it; chunks that were written may be compressed only now.
    pub fn close(self) -> Result<(), LibraryError> {
        self.handle.close("H5Dclose")
    }

    /// Selects the block in the file; answers with the dataspace in memory.
    fn prepare(&mut self, block: &Block, bytes: usize) -> Result<Id, LibraryError> {
        let needed = block.elements().saturating_mul(self.element_bytes() as u64);
        if needed != bytes as u64 {
            return Err(LibraryError::Unsupported(format!(
                "a block of {needed} bytes in a buffer of {bytes}"
            )));
        }
        let api = self.handle.api.clone();
        if !block.count.is_empty() {
            // SAFETY: arrays of the rank, which libhdf5 checks against the extent.
            check(&api, "H5Sselect_hyperslab", unsafe {
                (api.functions.H5Sselect_hyperslab)(
                    self.file_space.id,
                    SELECT_SET,
                    block.start.as_ptr(),
                    block.step.as_ptr(),
                    block.count.as_ptr(),
                    std::ptr::null(),
                )
            })?;
        }
        if let Some((shape, space)) = &self.memory_space
            && *shape == block.count
        {
            return Ok(space.id);
        }
        let space = Hdf5 { api }.space(&block.count, false)?;
        let id = space.id;
        self.memory_space = Some((block.count.clone(), space));
        Ok(id)
    }
}
