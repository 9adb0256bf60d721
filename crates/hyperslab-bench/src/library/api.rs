//! The functions and constants of libhdf5 that a bench uses, looked up when a library is loaded that was found at run
//! time.
//!
//! Identifiers (`hid_t`) are 64 bits wide since 1.10 and were 32 before; [`Api::id`] and [`Constants`] level that.

use super::LibraryError;
use super::count::Filters;
use super::functions::functions;
use super::load;
use libloading::Library;
use std::ffi::{c_char, c_double, c_int, c_uint, c_void};
use std::path::Path;

/// An identifier of libhdf5.
pub(crate) type Id = i64;

/// `H5P_DEFAULT`, `H5S_ALL`.
pub(crate) const DEFAULT: Id = 0;

functions! {
    /// The functions, under the names that libhdf5 gives them; their types are those of the headers of 1.8 to 2.2. Those
    /// that not every release has come last.
    struct Functions {
        H5open() -> c_int;
        H5get_libversion(*mut c_uint, *mut c_uint, *mut c_uint) -> c_int;
        H5Eset_auto2(Id, *const c_void, *mut c_void) -> c_int;
        H5Ewalk2(Id, c_int, *const c_void, *mut c_void) -> c_int;
        H5Pcreate(Id) -> Id;
        H5Pclose(Id) -> c_int;
        H5Pset_libver_bounds(Id, c_int, c_int) -> c_int;
        H5Pset_chunk(Id, c_int, *const u64) -> c_int;
        H5Pset_layout(Id, c_int) -> c_int;
        H5Pset_filter(Id, c_int, c_uint, usize, *const c_uint) -> c_int;
        H5Pset_szip(Id, c_uint, c_uint) -> c_int;
        H5Pset_nbit(Id) -> c_int;
        H5Pset_scaleoffset(Id, c_int, c_int) -> c_int;
        H5Pget_layout(Id) -> c_int;
        H5Pget_chunk(Id, c_int, *mut u64) -> c_int;
        H5Pget_cache(Id, *mut c_int, *mut usize, *mut usize, *mut c_double) -> c_int;
        H5Pset_fill_time(Id, c_int) -> c_int;
        H5Pset_fill_value(Id, Id, *const c_void) -> c_int;
        H5Pset_alloc_time(Id, c_int) -> c_int;
        H5Pset_chunk_cache(Id, usize, usize, c_double) -> c_int;
        H5Pget_chunk_cache(Id, *mut usize, *mut usize, *mut c_double) -> c_int;
        H5Zfilter_avail(c_int) -> c_int;
        H5Fcreate(*const c_char, c_uint, Id, Id) -> Id;
        H5Fopen(*const c_char, c_uint, Id) -> Id;
        H5Fclose(Id) -> c_int;
        H5Screate_simple(c_int, *const u64, *const u64) -> Id;
        H5Screate(c_int) -> Id;
        H5Sclose(Id) -> c_int;
        H5Sselect_hyperslab(Id, c_int, *const u64, *const u64, *const u64, *const u64) -> c_int;
        H5Dcreate2(Id, *const c_char, Id, Id, Id, Id, Id) -> Id;
        H5Dopen2(Id, *const c_char, Id) -> Id;
        H5Dclose(Id) -> c_int;
        H5Dread(Id, Id, Id, Id, Id, *mut c_void) -> c_int;
        H5Dwrite(Id, Id, Id, Id, Id, *const c_void) -> c_int;
        H5Dget_type(Id) -> Id;
        H5Dget_space(Id) -> Id;
        H5Dget_create_plist(Id) -> Id;
        H5Tcopy(Id) -> Id;
        H5Tset_size(Id, usize) -> c_int;
        H5Tget_size(Id) -> usize;
        H5Tget_class(Id) -> c_int;
        H5Tget_native_type(Id, c_int) -> Id;
        H5Tclose(Id) -> c_int;
        H5Tcreate(c_int, usize) -> Id;
        H5Tinsert(Id, *const c_char, usize, Id) -> c_int;
        H5Tpack(Id) -> c_int;
        H5Tarray_create2(Id, c_uint, *const u64) -> Id;
        H5Tget_nmembers(Id) -> c_int;
        H5Tget_member_index(Id, *const c_char) -> c_int;
        H5Tget_member_name(Id, c_uint) -> *mut c_char;
        H5Tget_member_offset(Id, c_uint) -> usize;
        H5Tget_member_type(Id, c_uint) -> Id;
        H5Tget_super(Id) -> Id;
        H5Tget_order(Id) -> c_int;
        H5Tis_variable_str(Id) -> c_int;
        H5Sget_simple_extent_npoints(Id) -> i64;
        H5Sget_simple_extent_ndims(Id) -> c_int;
        H5Sget_simple_extent_type(Id) -> c_int;
        H5Sget_simple_extent_dims(Id, *mut u64, *mut u64) -> c_int;
        H5Gcreate2(Id, *const c_char, Id, Id, Id) -> Id;
        H5Gclose(Id) -> c_int;
        H5Oopen(Id, *const c_char, Id) -> Id;
        H5Oclose(Id) -> c_int;
        H5Acreate2(Id, *const c_char, Id, Id, Id, Id) -> Id;
        H5Aopen(Id, *const c_char, Id) -> Id;
        H5Aclose(Id) -> c_int;
        H5Aread(Id, Id, *mut c_void) -> c_int;
        H5Awrite(Id, Id, *const c_void) -> c_int;
        H5Aget_type(Id) -> Id;
        H5Aget_space(Id) -> Id;
        H5Aiterate2(Id, c_int, c_int, *mut u64, Each, *mut c_void) -> c_int;
    }
    optional {
        H5free_memory(*mut c_void) -> c_int;
        H5Pset_page_buffer_size(Id, usize, c_uint, c_uint) -> c_int;
        H5Fget_page_buffering_stats(Id, Pair, Pair, Pair, Pair, Pair) -> c_int;
        H5Pset_file_space_strategy(Id, c_int, bool, u64) -> c_int;
        H5Pset_file_space_page_size(Id, u64) -> c_int;
        H5Ovisit(Id, c_int, c_int, Each, *mut c_void) -> c_int;
        H5Ovisit1(Id, c_int, c_int, Each, *mut c_void) -> c_int;
        H5Ovisit2(Id, c_int, c_int, Each, *mut c_void, c_uint) -> c_int;
        H5Ovisit3(Id, c_int, c_int, Each, *mut c_void, c_uint) -> c_int;
        H5Dchunk_iter(Id, Id, EachChunk, *mut c_void) -> c_int;
        H5Dget_chunk_info_by_coord(Id, *const u64, *mut c_uint, *mut u64, *mut u64) -> c_int;
    }
}

/// What is called for each object or attribute: where the walk began or the object, a name, what is known of it, and what
/// the caller gave along.
pub(crate) type Each = unsafe extern "C" fn(Id, *const c_char, *const c_void, *mut c_void) -> c_int;
/// What is called for each chunk: its first element, the mask of its filters, address, stored bytes, and what the caller
/// gave along.
pub(crate) type EachChunk = unsafe extern "C" fn(*const u64, c_uint, u64, u64, *mut c_void) -> c_int;
/// Two counts: of metadata, and of raw data.
pub(crate) type Pair = *mut c_uint;

/// Declares the constants of libhdf5 that are variables of the library, set by `H5open`.
macro_rules! constants {
    ($($name:ident)*) => {
        /// Classes of property lists, and predefined types, under the names that libhdf5 gives them.
        #[allow(non_snake_case, reason = "the names are the library's")]
        pub(crate) struct Constants {
            $(pub $name: Id,)*
        }

        impl Constants {
            /// # Safety
            /// The library is a libhdf5 that was opened, with identifiers of this width.
            unsafe fn find(library: &Library, has_wide_ids: bool) -> Result<Self, LibraryError> {
                // SAFETY: these variables are of the type `hid_t`.
                let value = |symbol: &str, name| unsafe {
                    if has_wide_ids {
                        library.get::<*const i64>(symbol.as_bytes()).map(|place| **place)
                    } else {
                        library.get::<*const i32>(symbol.as_bytes()).map(|place| Id::from(**place))
                    }
                    .map_err(|_| LibraryError::Missing(name))
                };
                Ok(Self { $($name: value(concat!(stringify!($name), "\0"), stringify!($name))?,)* })
            }
        }
    };
}

constants! {
    H5P_CLS_FILE_CREATE_ID_g H5P_CLS_FILE_ACCESS_ID_g H5P_CLS_DATASET_CREATE_ID_g H5P_CLS_DATASET_ACCESS_ID_g
    H5T_C_S1_g H5T_NATIVE_DOUBLE_g
    H5T_IEEE_F32LE_g H5T_IEEE_F32BE_g H5T_IEEE_F64LE_g H5T_IEEE_F64BE_g
    H5T_STD_I8LE_g H5T_STD_I16LE_g H5T_STD_I16BE_g H5T_STD_I32LE_g H5T_STD_I32BE_g H5T_STD_I64LE_g H5T_STD_I64BE_g
    H5T_STD_U8LE_g H5T_STD_U16LE_g H5T_STD_U16BE_g H5T_STD_U32LE_g H5T_STD_U32BE_g H5T_STD_U64LE_g H5T_STD_U64BE_g
}

fn has_wide_ids(major: u32, minor: u32) -> bool {
    (major, minor) >= (1, 10)
}

/// A loaded libhdf5.
pub(crate) struct Api {
    pub(crate) functions: Functions,
    pub(crate) constants: Constants,
    /// The filters that can be counted.
    pub(crate) filters: Filters,
    /// Release numbers: major, minor, patch.
    pub(crate) version: (u32, u32, u32),
}

impl Api {
    /// Loads and opens the library at a path.
    pub(crate) fn load(path: &Path) -> Result<Self, LibraryError> {
        Self::of(load(path)?, path)
    }

    /// The libhdf5 that is a library itself, or that came along with it: names are looked for in what it needs, too.
    pub(crate) fn of(library: &'static Library, path: &Path) -> Result<Self, LibraryError> {
        // SAFETY: a library with all these names is a libhdf5.
        let functions = unsafe { Functions::find(library) }?;
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: plain calls; errors are reported by return values, so the library shall not print them.
        unsafe {
            if (functions.H5open)() < 0
                || (functions.H5get_libversion)(&mut major, &mut minor, &mut patch) < 0
            {
                return Err(LibraryError::Load { path: path.to_owned(), why: "H5open failed".to_owned() });
            }
            (functions.H5Eset_auto2)(0, std::ptr::null(), std::ptr::null_mut());
        }
        if (major, minor) < (1, 8) {
            return Err(LibraryError::TooOld {
                path: path.to_owned(),
                version: format!("{major}.{minor}.{patch}"),
            });
        }
        // SAFETY: a libhdf5 that was opened.
        let constants = unsafe { Constants::find(library, has_wide_ids(major, minor)) }?;
        let filters = Filters::find(library);
        Ok(Self { functions, constants, filters, version: (major, minor, patch) })
    }

    fn has_wide_ids(&self) -> bool {
        has_wide_ids(self.version.0, self.version.1)
    }

    /// An identifier that a function answered with; none for an error. Before 1.10 only its lower half means anything.
    pub(crate) fn id(&self, answered: Id) -> Option<Id> {
        let id = if self.has_wide_ids() { answered } else { Id::from(answered as i32) };
        (id >= 0).then_some(id)
    }

    /// `2.0.0`
    pub(crate) fn version_text(&self) -> String {
        let (major, minor, patch) = self.version;
        format!("{major}.{minor}.{patch}")
    }

    /// What the library says of its last failure: its innermost description, which names the cause.
    pub(crate) fn last_error(&self) -> String {
        /// `H5E_error2_t`
        #[repr(C)]
        struct Entry {
            class: Id,
            major: Id,
            minor: Id,
            line: c_uint,
            function: *const c_char,
            file: *const c_char,
            description: *const c_char,
        }
        /// The same with identifiers of 32 bits.
        #[repr(C)]
        struct NarrowEntry {
            ids: [i32; 3],
            line: c_uint,
            function: *const c_char,
            file: *const c_char,
            description: *const c_char,
        }
        unsafe extern "C" fn wide(_: c_uint, entry: *const Entry, found: *mut c_void) -> c_int {
            // SAFETY: libhdf5 hands over an entry and the pointer that it was given.
            unsafe { note((*entry).description, found) }
        }
        unsafe extern "C" fn narrow(_: c_uint, entry: *const NarrowEntry, found: *mut c_void) -> c_int {
            // SAFETY: as above.
            unsafe { note((*entry).description, found) }
        }
        unsafe fn note(description: *const c_char, found: *mut c_void) -> c_int {
            // SAFETY: `found` is the `String` below; a description is a string or null.
            unsafe {
                if !description.is_null() {
                    *found.cast::<String>() =
                        std::ffi::CStr::from_ptr(description).to_string_lossy().into_owned();
                }
            }
            0
        }
        let mut found = String::new();
        let callback = if self.has_wide_ids() { wide as *const c_void } else { narrow as *const c_void };
        /// `H5E_WALK_DOWNWARD`: from the function that was called to the innermost, which is noted last.
        const DOWNWARD: c_int = 1;
        // SAFETY: the callback has the type of `H5E_walk2_t` for this width of identifiers.
        unsafe {
            (self.functions.H5Ewalk2)(0, DOWNWARD, callback, std::ptr::from_mut(&mut found).cast());
        }
        if found.is_empty() { "no reason given".to_owned() } else { found }
    }
}
