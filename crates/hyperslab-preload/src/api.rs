//! Which libhdf5 a caller calls. A process may have several copies, hidden from each other: each wheel brings its own.
//!
//! The address that a call returns to says which library it is from, and the libraries that this one was linked with say which
//! libhdf5 it would have called. That copy is asked everything.

use crate::functions::{Functions, Herr, Hid};
use std::cell::Cell;
use std::ffi::{CStr, c_uint, c_void};
use std::ptr;
use std::sync::{Mutex, MutexGuard};

/// One copy of libhdf5.
pub struct Api {
    pub functions: Functions,
    /// Its version, such as `1.10.8`.
    pub version: String,
    number: (c_uint, c_uint),
    /// True if identifiers are 32 bits wide, before 1.10.
    has_short_ids: bool,
    /// Where the variable lies that holds the number of the driver of local files, since 2.0.
    pub sec2_variable: *const Hid,
}

// SAFETY: its pointers lead to functions and to a variable of a library that is never unloaded, and are only read.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

impl Api {
    /// A number that this copy alone has in the process.
    pub fn identity(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// An identifier as a function got or returned it.
    pub fn id(&self, id: Hid) -> Hid {
        if self.has_short_ids { Hid::from(id as i32) } else { id }
    }

    /// True if 1 and 2 stand for dataspaces (`H5S_BLOCK`, `H5S_PLIST`), since 1.14.
    pub fn has_block_space(&self) -> bool {
        self.number >= (1, 14)
    }

    /// True if the engine may answer its reads: it tells of regular selections, and identifiers are 64 bits wide, since 1.10.
    pub fn is_answered(&self) -> bool {
        self.number >= (1, 10) && self.functions.sis_regular_hyperslab.is_some()
    }

    /// The kind of an identifier (`H5I_type_t`), which are its upper bits but for the sign.
    pub fn type_bits(&self, id: Hid) -> i32 {
        let bits = if self.has_short_ids { id >> 24 } else { id >> 56 };
        (bits & 0x7f) as i32
    }
}

/// All copies that were called, by the address of their H5Dread.
static APIS: Mutex<Copies> = Mutex::new(Vec::new());

const SEEN: usize = 8;

thread_local! {
    /// The address that the last call of this thread returns to.
    static LAST_CALLER: Cell<usize> = const { Cell::new(0) };
    /// Which copy the last callers of this thread called.
    static CALLERS: Cell<[(usize, Option<&'static Api>); SEEN]> = const { Cell::new([(0, None); SEEN]) };
}

/// The libhdf5 that code at an address calls.
pub fn of_caller(caller: *const c_void) -> &'static Api {
    let address = caller as usize;
    let _ = LAST_CALLER.try_with(|last| last.set(address));
    let place = (address >> 2) % SEEN;
    let found = CALLERS.try_with(|callers| {
        let seen = callers.get()[place];
        if seen.0 == address { seen.1 } else { None }
    });
    if let Ok(Some(api)) = found {
        return api;
    }
    let api = resolve(caller);
    let _ = CALLERS.try_with(|callers| {
        let mut seen = callers.get();
        seen[place] = (address, Some(api));
        callers.set(seen);
    });
    api
}

fn resolve(caller: *const c_void) -> &'static Api {
    let read = function_of(caller, c"H5Dread").or_else(|| next(c"H5Dread")).or_else(only_one);
    let Some(read) = read else {
        // There is no function that could be called in place of this one.
        eprintln!("hyperslab: no H5Dread was found for a program that calls it; run it without hyperslab");
        // SAFETY: ends the process.
        unsafe { libc::abort() }
    };
    let mut apis = APIS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, api)) = apis.iter().find(|(address, _)| *address == read as usize) {
        return api;
    }
    let api: &'static Api = Box::leak(Box::new(load(read)));
    apis.push((read as usize, api));
    api
}

/// The versions of all copies that were called.
pub fn versions() -> Vec<String> {
    let apis = APIS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    apis.iter().map(|(_, api)| api.version.clone()).collect()
}

/// All copies that were called.
pub type Copies = Vec<(usize, &'static Api)>;

/// Keeps other threads from changing them, for a fork.
pub fn hold() -> MutexGuard<'static, Copies> {
    APIS.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The file that holds the code at an address, and where it begins.
fn library_of(address: *const c_void) -> Option<(*mut c_void, usize)> {
    // SAFETY: any bytes are a `Dl_info`, which has only pointers.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: fills `info`, or returns 0.
    if unsafe { libc::dladdr(address, &mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name of a library that is loaded; it is not loaded anew. The reference is kept, so that its functions remain.
    let handle = unsafe { libc::dlopen(info.dli_fname, libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    Some((handle, info.dli_fbase as usize))
}

/// True if the last call of this thread came from netCDF-C.
pub fn is_called_by_netcdf() -> bool {
    let caller = LAST_CALLER.try_with(Cell::get).unwrap_or(0) as *const c_void;
    // SAFETY: any bytes are a `Dl_info`, which has only pointers.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: fills `info`, or returns 0.
    if unsafe { libc::dladdr(caller, &mut info) } == 0 || info.dli_fname.is_null() {
        return false;
    }
    // SAFETY: the name of a library that is loaded.
    let path = unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy();
    path.rsplit('/').next().is_some_and(|name| name.starts_with("libnetcdf"))
}

fn is_ours(address: *const c_void) -> bool {
    let ours = is_ours as fn(*const c_void) -> bool as *const c_void;
    library_of(address).map(|(_, base)| base) == library_of(ours).map(|(_, base)| base)
}

/// The function that a library calls by this name: its own, or that of a library that it was linked with.
fn function_of(caller: *const c_void, name: &CStr) -> Option<*mut c_void> {
    let (handle, _) = library_of(caller).filter(|(handle, _)| !handle.is_null())?;
    // SAFETY: a handle from `dlopen`.
    let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
    (!found.is_null() && !is_ours(found)).then_some(found)
}

/// The function that would have been called without this library.
fn next(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: looks for the next definition after this library's own.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    (!found.is_null() && !is_ours(found)).then_some(found)
}

/// The H5Dread of the only library that has one: the last resort where the caller's own libraries do not lead to it, such as
/// after a tail call from a module that was loaded for itself.
fn only_one() -> Option<*mut c_void> {
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> i32 {
        // SAFETY: `found` is what was given to `dl_iterate_phdr`, and `info` one of its libraries.
        let (found, name) = unsafe { (&mut *found.cast::<Vec<*mut c_void>>(), (*info).dlpi_name) };
        if name.is_null() {
            return 0;
        }
        // SAFETY: the name of a library that is loaded.
        let handle = unsafe { libc::dlopen(name, libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
        if !handle.is_null() {
            // SAFETY: a handle from `dlopen`.
            let function = unsafe { libc::dlsym(handle, c"H5Dread".as_ptr()) };
            if !function.is_null() && !is_ours(function) && !found.contains(&function) {
                found.push(function);
            }
        }
        0
    }
    let mut found: Vec<*mut c_void> = Vec::new();
    // SAFETY: `visit` gets the vector that it expects.
    unsafe { libc::dl_iterate_phdr(Some(visit), ptr::from_mut(&mut found).cast()) };
    match found[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// The copy of libhdf5 that a function belongs to.
fn load(read: *mut c_void) -> Api {
    let handle = library_of(read).map_or(ptr::null_mut(), |(handle, _)| handle);
    let symbol = |name: &CStr| {
        if handle.is_null() {
            return ptr::null_mut();
        }
        // SAFETY: a handle from `dlopen`.
        let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
        if found.is_null() || is_ours(found) { ptr::null_mut() } else { found }
    };
    // SAFETY: these are functions of a libhdf5, which has H5Dread.
    let functions = unsafe { Functions::find(symbol) };
    let mut version = [0 as c_uint; 3];
    if let Some(get) = functions.get_libversion {
        let [major, minor, release] = &mut version;
        // SAFETY: three places for numbers.
        let _: Herr = unsafe { get(major, minor, release) };
    }
    let [major, minor, release] = version;
    let sec2_variable = symbol(c"H5FD_SEC2_id_g").cast_const().cast();
    Api {
        functions,
        version: format!("{major}.{minor}.{release}"),
        number: (major, minor),
        has_short_ids: (major, minor) < (1, 10),
        sec2_variable,
    }
}
