//! The version, and what all files of a process share.

use crate::status::{Status, run};
use std::ffi::{CStr, c_char};

/// The version, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn hs_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

/// The number of threads that decode, for all files of the process; as many as there are cores unless it is set before the first read.
#[unsafe(no_mangle)]
pub extern "C" fn hs_set_threads(threads: usize) -> Status {
    run(|| Ok(hyperslab::set_threads(threads)?))
}

/// The bytes of decoded chunks that are kept for later reads, for all files of the process together.
#[unsafe(no_mangle)]
pub extern "C" fn hs_set_cache_bytes(bytes: usize) {
    hyperslab::set_cache_bytes(bytes);
}
