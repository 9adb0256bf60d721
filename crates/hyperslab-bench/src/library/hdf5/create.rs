//! Makes files and datasets: everything that is decided at creation.

use super::{Hdf5, Hdf5Dataset, Hdf5File, id_of};
use crate::library::api::DEFAULT;
use crate::library::datatype::copy;
use crate::library::handle::{Handle, check};
use crate::library::{LibraryError, c_name, c_path};
use crate::study::{AllocTime, Element, FillTime, FilterSpec, Kind, Libver, Memory, Records, Storage};
use hyperslab_doctor::simulate::CacheSettings;
use std::ffi::c_int;
use std::path::Path;

const TRUNCATE: u32 = 2;
const CONTIGUOUS: c_int = 1;
const FILTER_OPTIONAL: u32 = 1;
const FILTER_MANDATORY: u32 = 0;

impl Hdf5 {
    /// Makes a file for a dataset that will be stored so.
    pub fn create(&self, path: &Path, storage: &Storage) -> Result<Hdf5File, LibraryError> {
        let f = &self.api.functions;
        let creation = self.properties(self.api.constants.H5P_CLS_FILE_CREATE_ID_g)?;
        if let Some(bytes) = storage.page_bytes {
            const PAGE: c_int = 1;
            let set = (f.H5Pset_file_space_strategy, f.H5Pset_file_space_page_size);
            let (Some(strategy), Some(size)) = set else {
                let version = self.version();
                return Err(LibraryError::Unsupported(format!("libhdf5 {version} writes no paged files")));
            };
            // SAFETY: plain calls.
            unsafe {
                check(&self.api, "H5Pset_file_space_strategy", strategy(creation.id, PAGE, false, 1))?;
                check(&self.api, "H5Pset_file_space_page_size", size(creation.id, bytes))?;
            }
        }
        let access = self.properties(self.api.constants.H5P_CLS_FILE_ACCESS_ID_g)?;
        if let Some((low, high)) = self.bounds(storage.libver) {
            // SAFETY: a plain call.
            check(&self.api, "H5Pset_libver_bounds", unsafe {
                (f.H5Pset_libver_bounds)(access.id, low, high)
            })?;
        }
        let name = c_path(path)?;
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

    pub(in crate::library) fn file_type(&self, element: Element) -> Result<Handle, LibraryError> {
        let known = &self.api.constants;
        let big = element.is_big_endian;
        let predefined = match (element.kind, element.bytes, big) {
            (Kind::Record(record), ..) => return self.record_type(record),
            (Kind::Text, ..) => known.H5T_C_S1_g,
            (Kind::Float, 4, false) => known.H5T_IEEE_F32LE_g,
            (Kind::Float, 4, true) => known.H5T_IEEE_F32BE_g,
            (Kind::Float, _, false) => known.H5T_IEEE_F64LE_g,
            (Kind::Float, _, true) => known.H5T_IEEE_F64BE_g,
            (Kind::Signed, 1, _) => known.H5T_STD_I8LE_g,
            (Kind::Signed, 2, false) => known.H5T_STD_I16LE_g,
            (Kind::Signed, 2, true) => known.H5T_STD_I16BE_g,
            (Kind::Signed, 4, false) => known.H5T_STD_I32LE_g,
            (Kind::Signed, 4, true) => known.H5T_STD_I32BE_g,
            (Kind::Signed, _, false) => known.H5T_STD_I64LE_g,
            (Kind::Signed, _, true) => known.H5T_STD_I64BE_g,
            (Kind::Unsigned, 1, _) => known.H5T_STD_U8LE_g,
            (Kind::Unsigned, 2, false) => known.H5T_STD_U16LE_g,
            (Kind::Unsigned, 2, true) => known.H5T_STD_U16BE_g,
            (Kind::Unsigned, 4, false) => known.H5T_STD_U32LE_g,
            (Kind::Unsigned, 4, true) => known.H5T_STD_U32BE_g,
            (Kind::Unsigned, _, false) => known.H5T_STD_U64LE_g,
            (Kind::Unsigned, _, true) => known.H5T_STD_U64BE_g,
        };
        let (f, copy) = (&self.api.functions, copy(&self.api, predefined)?);
        if element.kind == Kind::Text {
            // SAFETY: a copy, so it may be changed.
            check(&self.api, "H5Tset_size", unsafe { (f.H5Tset_size)(copy.id, element.bytes as usize) })?;
        }
        Ok(copy)
    }

    fn creation(&self, storage: &Storage) -> Result<Handle, LibraryError> {
        let f = &self.api.functions;
        let list = self.properties(self.api.constants.H5P_CLS_DATASET_CREATE_ID_g)?;
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
                let double = self.api.constants.H5T_NATIVE_DOUBLE_g;
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
        let (access, path) = (library.access(cache)?, c_name(name)?);
        // SAFETY: a string, and open identifiers.
        let answered = unsafe {
            (f.H5Dcreate2)(
                self.handle.id,
                path.as_ptr(),
                file_type.id,
                file_space.id,
                DEFAULT,
                creation.id,
                id_of(&access),
            )
        };
        let handle = Handle::new(&library.api, "H5Dcreate2", answered, f.H5Dclose)?;
        let memory_type = match storage.element.kind {
            Kind::Record(record) => library.record_in_memory(record, memory)?,
            _ => library.memory_type(&file_type, &Records::default())?,
        };
        Hdf5Dataset::new(handle, file_space, memory_type)
    }
}
