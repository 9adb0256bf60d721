//! The functions of libhdf5 that a bench calls, looked up in a library that was found at run time.
//!
//! Identifiers (`hid_t`) are 64 bits wide since 1.10 and were 32 before; [`Api::id`] and [`Api::constant`] level that.

use super::LibraryError;
use super::functions::functions;
use super::objects::ObjectFunctions;
use libloading::Library;
use std::cell::OnceCell;
use std::ffi::{c_char, c_double, c_int, c_uint, c_void};
use std::path::Path;

/// An identifier of libhdf5.
pub(crate) type Id = i64;

/// `H5P_DEFAULT`, `H5S_ALL`.
pub(crate) const DEFAULT: Id = 0;

functions! {
    /// The functions, under the names that libhdf5 gives them; their types are those of the headers of 1.8 to 2.2.
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
        H5Dget_storage_size(Id) -> u64;
        H5Tcopy(Id) -> Id;
        H5Tset_size(Id, usize) -> c_int;
        H5Tget_size(Id) -> usize;
        H5Tget_class(Id) -> c_int;
        H5Tget_native_type(Id, c_int) -> Id;
        H5Tclose(Id) -> c_int;
    }
}

/// A loaded libhdf5. It stays loaded as long as the process runs: the library registers functions for its end.
pub(crate) struct Api {
    pub(crate) functions: Functions,
    /// Release numbers: major, minor, patch.
    pub(crate) version: (u32, u32, u32),
    pub(super) library: &'static Library,
    /// Functions that few tasks need, looked up for the first that does.
    pub(super) objects: OnceCell<ObjectFunctions>,
}

impl Api {
    /// Loads and opens the library at a path.
    pub(crate) fn load(path: &Path) -> Result<Self, LibraryError> {
        let fail =
            |error: libloading::Error| LibraryError::Load { path: path.to_owned(), why: error.to_string() };
        // SAFETY: the user names the library, or it is the one that their h5py loads: its initialisers are as
        // trustworthy as in the user's own programs.
        let library = Box::leak(Box::new(unsafe { Library::new(path) }.map_err(fail)?));
        Self::of(library, path)
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
        Ok(Self { functions, version: (major, minor, patch), library, objects: OnceCell::new() })
    }

    fn has_wide_ids(&self) -> bool {
        (self.version.0, self.version.1) >= (1, 10)
    }

    /// An identifier that a function answered with; none for an error. Before 1.10 only its lower half means anything.
    pub(crate) fn id(&self, answered: Id) -> Option<Id> {
        let id = if self.has_wide_ids() { answered } else { Id::from(answered as i32) };
        (id >= 0).then_some(id)
    }

    /// The value of a constant that is a variable of the library, such as `H5T_NATIVE_FLOAT_g`.
    pub(crate) fn constant(&self, name: &'static str) -> Result<Id, LibraryError> {
        let symbol = [name.as_bytes(), b"\0"].concat();
        // SAFETY: these variables are of the type `hid_t`, set by H5open.
        unsafe {
            if self.has_wide_ids() {
                self.library.get::<*const i64>(&symbol).map(|place| **place)
            } else {
                self.library.get::<*const i32>(&symbol).map(|place| Id::from(**place))
            }
        }
        .map_err(|_| LibraryError::Missing(name))
    }

    /// A function or variable that not every build has.
    pub(crate) fn optional<T: Copy>(&self, name: &'static str) -> Option<T> {
        let symbol = [name.as_bytes(), b"\0"].concat();
        // SAFETY: the caller names the type that the library's headers give.
        unsafe { self.library.get::<T>(&symbol) }.ok().map(|symbol| *symbol)
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
