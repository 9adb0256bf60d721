//! One shared library with the interface of an HDF5 filter plug-in (`H5PLextern.h`, `H5Zpublic.h`), and the only code that
//! calls it.
//!
//! ```text
//! int         H5PLget_plugin_type(void)        0 for a filter
//! const void *H5PLget_plugin_info(void)        an H5Z_class2_t
//! H5Z_class2_t   version 1 | id | has an encoder | has a decoder | name | can_apply | set_local | filter
//! size_t filter(flags, count, client data, bytes, &allocated, &buffer)        0 for a failure
//! ```
//!
//! `filter` takes a buffer that was allocated with `malloc`, and may free it and answer with another one.

use crate::FilterError;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;

/// `H5PL_TYPE_FILTER`, `H5Z_CLASS_T_VERS`, `H5Z_FLAG_REVERSE`.
const TYPE_FILTER: c_int = 0;
const CLASS_VERSION: c_int = 1;
const FLAG_REVERSE: c_uint = 0x0100;

type FilterFunction =
    unsafe extern "C" fn(c_uint, usize, *const c_uint, usize, *mut usize, *mut *mut c_void) -> usize;

/// `H5Z_class2_t`.
#[repr(C)]
struct Class {
    version: c_int,
    id: c_int,
    has_encoder: c_uint,
    has_decoder: c_uint,
    name: *const c_char,
    can_apply: *const c_void,
    set_local: *const c_void,
    filter: Option<FilterFunction>,
}

/// Whether a chunk is decoded or encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Decode,
    Encode,
}

/// A loaded filter.
pub(super) struct Library {
    id: u16,
    name: String,
    has_encoder: bool,
    has_decoder: bool,
    computes_client_data: bool,
    filter: FilterFunction,
    /// Stays loaded as long as its function can be called.
    _handle: libloading::Library,
}

impl Library {
    /// Loads a library; `None` if it is not an HDF5 filter plug-in. The error is the reason why it cannot be used.
    pub fn load(path: &Path) -> Result<Option<Self>, String> {
        let handle = open(path)?;
        // SAFETY: libhdf5 calls this function of every file in its plug-in folders with this signature.
        let kind = unsafe { handle.get::<unsafe extern "C" fn() -> c_int>(b"H5PLget_plugin_type\0") };
        // SAFETY: as above.
        let info = unsafe { handle.get::<unsafe extern "C" fn() -> *const Class>(b"H5PLget_plugin_info\0") };
        let (Ok(kind), Ok(info)) = (kind, info) else { return Ok(None) };
        // SAFETY: the function takes nothing and returns a number.
        if unsafe { kind() } != TYPE_FILTER {
            return Ok(None);
        }
        // SAFETY: a filter plug-in returns a pointer to its class, which lives as long as the library is loaded.
        let Some(class) = (unsafe { info().as_ref() }) else { return Ok(None) };
        if class.version != CLASS_VERSION {
            return Err(format!(
                "its interface has version {}, only version {CLASS_VERSION} is known",
                class.version
            ));
        }
        let (Ok(id), Some(filter)) = (u16::try_from(class.id), class.filter) else {
            return Err(format!("{} is not a valid filter number, or it has no filter function", class.id));
        };
        let name = if class.name.is_null() {
            String::new()
        } else {
            // SAFETY: a name that is not null is a C string.
            unsafe { CStr::from_ptr(class.name) }.to_string_lossy().into_owned()
        };
        let (has_encoder, has_decoder) = (class.has_encoder != 0, class.has_decoder != 0);
        let computes_client_data = !class.set_local.is_null();
        Ok(Some(Self { id, name, has_encoder, has_decoder, computes_client_data, filter, _handle: handle }))
    }

    /// True if it has a function that computes its client data with handles of libhdf5.
    pub fn computes_client_data(&self) -> bool {
        self.computes_client_data
    }

    pub fn id(&self) -> u16 {
        self.id
    }

    /// The name that the plug-in gives itself.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Runs the filter; `None` if it fails.
    pub fn run(
        &self,
        direction: Direction,
        parameters: &[u32],
        bytes: &[u8],
    ) -> Result<Option<Found>, FilterError> {
        let (flags, is_present) = match direction {
            Direction::Decode => (FLAG_REVERSE, self.has_decoder),
            Direction::Encode => (0, self.has_encoder),
        };
        if !is_present {
            return Ok(None);
        }
        let mut buffer = Found::copy_of(bytes)?;
        // SAFETY: the arguments are what libhdf5 passes: client data of the given count, and a buffer from `malloc` with
        // its allocated size, which the filter may replace. The caller has exclusive use of the plug-in.
        let len = unsafe {
            (self.filter)(
                flags,
                parameters.len(),
                parameters.as_ptr(),
                bytes.len(),
                &mut buffer.allocated,
                &mut buffer.pointer,
            )
        };
        // More bytes than were allocated cannot be there.
        if len == 0 || len > buffer.allocated || buffer.pointer.is_null() {
            return Ok(None);
        }
        buffer.len = len;
        Ok(Some(buffer))
    }
}

/// A buffer from `malloc`; freed when dropped.
pub(super) struct Found {
    pointer: *mut c_void,
    allocated: usize,
    len: usize,
}

impl Found {
    fn copy_of(bytes: &[u8]) -> Result<Self, FilterError> {
        let allocated = bytes.len().max(1);
        // SAFETY: the size is not zero.
        let pointer = unsafe { libc::malloc(allocated) };
        if pointer.is_null() {
            return Err(FilterError::Memory { bytes: allocated });
        }
        // SAFETY: the new memory has at least as many bytes, and does not overlap the slice.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), pointer.cast(), bytes.len()) };
        Ok(Self { pointer, allocated, len: bytes.len() })
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the pointer is not null, and the plug-in wrote `len` bytes, no more than it says it allocated.
        unsafe { std::slice::from_raw_parts(self.pointer.cast(), self.len) }
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        // SAFETY: the buffer came from `malloc`, here or in the plug-in, and nobody else has it.
        unsafe { libc::free(self.pointer) };
    }
}

/// Names the library that has the symbols of libhdf5 which some plug-ins need without saying from where.
const LIBHDF5: &str = "HYPERSLAB_LIBHDF5";

/// Opens a library with all its symbols resolved: one that is missing must be seen here, not when it is called.
#[cfg(unix)]
fn open(path: &Path) -> Result<libloading::Library, String> {
    use libloading::os::unix::{Library as Unix, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: the initialisers of a plug-in run as they do in libhdf5; the user has put it where plug-ins are.
    let opened = || unsafe { Unix::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(libloading::Library::from);
    let error = match opened() {
        Ok(library) => return Ok(library),
        Err(error) => error.to_string(),
    };
    if !error.contains("undefined symbol") && !error.contains("symbol not found") {
        return Err(error);
    }
    let Some(libhdf5) = std::env::var_os(LIBHDF5) else {
        return Err(format!("{error}; set {LIBHDF5} to the file of libhdf5"));
    };
    // SAFETY: the user names a build of libhdf5, whose initialisers have no preconditions.
    let symbols = unsafe { Unix::open(Some(&libhdf5), RTLD_NOW | RTLD_GLOBAL) };
    match symbols {
        // It must stay loaded as long as any plug-in: for ever.
        Ok(symbols) => std::mem::forget(symbols),
        Err(error) => return Err(format!("{LIBHDF5}: {error}")),
    }
    opened().map_err(|error| error.to_string())
}

/// Opens a library.
#[cfg(not(unix))]
fn open(path: &Path) -> Result<libloading::Library, String> {
    // SAFETY: the initialisers of a plug-in run as they do in libhdf5; the user has put it where plug-ins are.
    unsafe { libloading::Library::new(path) }.map_err(|error| error.to_string())
}
