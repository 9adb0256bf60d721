//! The functions and constants of libhdf5 that a bench uses, looked up when a library is loaded that was found at run
//! time.
//!
//! Identifiers (`hid_t`) are 64 bits wide since 1.10 and were 32 before; [`Answer`] and [`Api::load`] level that.

use super::count::Filters;
use crate::error::{EngineError, unsupported};
use crate::library::call::{self, Handle, functions};
use libloading::Library;
use std::collections::HashMap;
use std::ffi::{c_char, c_double, c_int, c_uint, c_void};
use std::path::Path;
use std::rc::Rc;

/// An identifier of libhdf5.
pub(super) type Id = i64;

/// An open identifier of libhdf5.
pub(super) type Hid = Handle<Rc<Api>, Id>;

/// `H5P_DEFAULT`, `H5S_ALL`.
pub(super) const DEFAULT: Id = 0;

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
        H5Zregister(*const c_void) -> c_int;
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
        H5Pget_mdc_config(Id, *mut c_void) -> c_int;
        H5Pset_mdc_config(Id, *mut c_void) -> c_int;
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
pub(super) type Each = unsafe extern "C" fn(Id, *const c_char, *const c_void, *mut c_void) -> c_int;
/// What is called for each chunk: its first element, the mask of its filters, address, stored bytes, and what the caller
/// gave along.
pub(super) type EachChunk = unsafe extern "C" fn(*const u64, c_uint, u64, u64, *mut c_void) -> c_int;
/// Two counts: of metadata, and of raw data.
pub(super) type Pair = *mut c_uint;

/// The constants of libhdf5 that are variables of the library, set by `H5open`: classes of property lists, and types.
/// Their symbols begin with `H5` and end in `_g`.
const CONSTANTS: &str = "P_CLS_FILE_CREATE_ID P_CLS_FILE_ACCESS_ID P_CLS_DATASET_CREATE_ID P_CLS_DATASET_ACCESS_ID \
    T_C_S1 T_NATIVE_DOUBLE T_IEEE_F32LE T_IEEE_F32BE T_IEEE_F64LE T_IEEE_F64BE \
    T_STD_I8LE T_STD_I16LE T_STD_I16BE T_STD_I32LE T_STD_I32BE T_STD_I64LE T_STD_I64BE \
    T_STD_U8LE T_STD_U16LE T_STD_U16BE T_STD_U32LE T_STD_U32BE T_STD_U64LE T_STD_U64BE";

/// A loaded libhdf5.
pub(crate) struct Api {
    pub(super) functions: Functions,
    constants: HashMap<&'static str, Id>,
    /// The filters that can be counted.
    pub(super) filters: Filters,
    /// Release numbers: major, minor, patch.
    pub(super) version: (c_uint, c_uint, c_uint),
}

/// What a function answers.
pub(super) trait Answer: Sized {
    /// The answer; none where it stands for a failure. Before 1.10, only the lower half of an identifier means anything.
    fn accepted(self, has_wide_ids: bool) -> Option<Self>;
}

impl Answer for c_int {
    fn accepted(self, _: bool) -> Option<Self> {
        (self >= 0).then_some(self)
    }
}

impl Answer for Id {
    fn accepted(self, has_wide_ids: bool) -> Option<Self> {
        let id = if has_wide_ids { self } else { Id::from(self as i32) };
        (id >= 0).then_some(id)
    }
}

impl Answer for *mut c_char {
    fn accepted(self, _: bool) -> Option<Self> {
        (!self.is_null()).then_some(self)
    }
}

impl Api {
    /// The libhdf5 that a library is, or that came along with it: names are looked for in what it needs, too.
    pub(super) fn load(library: &'static Library, path: &Path) -> Result<Self, EngineError> {
        let fail = |why: String| EngineError::Load { path: path.to_owned(), why };
        // SAFETY: a library with all these names is a libhdf5.
        let functions = unsafe { Functions::find(&[library]) }?;
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: plain calls; errors are reported by return values, so the library shall not print them.
        unsafe {
            if (functions.H5open)() < 0
                || (functions.H5get_libversion)(&mut major, &mut minor, &mut patch) < 0
            {
                return Err(fail("H5open failed".to_owned()));
            }
            (functions.H5Eset_auto2)(0, std::ptr::null(), std::ptr::null_mut());
        }
        let version = (major, minor, patch);
        if version < (1, 8, 0) {
            let release = format!("libhdf5 {major}.{minor}.{patch} is too old; 1.8 or newer is needed");
            return Err(fail(release));
        }
        let constant = |name: &'static str| {
            let symbol = format!("H5{name}_g\0");
            // SAFETY: variables of the type `hid_t` of this release.
            let value = unsafe {
                match has_wide_ids(version) {
                    true => call::find::<*const i64>(&[library], &symbol).map(|place| *place),
                    false => call::find::<*const i32>(&[library], &symbol).map(|place| Id::from(*place)),
                }
            };
            Ok((name, value.ok_or(EngineError::Missing(name))?))
        };
        let constants = CONSTANTS.split_whitespace().map(constant).collect::<Result<_, EngineError>>()?;
        Ok(Self { functions, constants, filters: Filters::find(library), version })
    }

    /// A constant, by its name without the prefix `H5`: `P_CLS_FILE_ACCESS_ID`, `T_STD_I8LE`.
    pub(super) fn constant(&self, name: &str) -> Result<Id, EngineError> {
        let unknown = || EngineError::Unsupported(format!("libhdf5 is not asked for H5{name}"));
        self.constants.get(name).copied().ok_or_else(unknown)
    }

    /// The answer of a function, or the error that it stands for.
    pub(super) fn checked<T: Answer>(&self, call: &'static str, answered: T) -> Result<T, EngineError> {
        let accepted = answered.accepted(has_wide_ids(self.version));
        accepted.ok_or_else(|| EngineError::Call { call, why: self.last_error() })
    }

    /// Fails for a function that this release does not have.
    pub(super) fn lacks<T>(&self, name: &str) -> Result<T, EngineError> {
        unsupported(format!("libhdf5 {} has no {name}", self.release()))
    }

    /// `2.0.0`
    pub(super) fn release(&self) -> String {
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
        let callback =
            if has_wide_ids(self.version) { wide as *const c_void } else { narrow as *const c_void };
        /// `H5E_WALK_DOWNWARD`: from the function that was called to the innermost, which is noted last.
        const DOWNWARD: c_int = 1;
        // SAFETY: the callback has the type of `H5E_walk2_t` for this width of identifiers.
        unsafe {
            (self.functions.H5Ewalk2)(0, DOWNWARD, callback, std::ptr::from_mut(&mut found).cast());
        }
        if found.is_empty() { "no reason given".to_owned() } else { found }
    }
}

fn has_wide_ids(version: (c_uint, c_uint, c_uint)) -> bool {
    version >= (1, 10, 0)
}
