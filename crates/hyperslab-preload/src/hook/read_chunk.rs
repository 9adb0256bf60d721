//! H5Dread_chunk, which since libhdf5 2.0 has two versions.

use crate::functions::{Herr, Hid};
use crate::{api, process};
use std::ffi::{c_uint, c_void};

super::jump!(H5Dread_chunk, "r9", "x5", read_chunk);
super::jump!(H5Dread_chunk1, "r9", "x5", read_chunk_1);
super::jump_with_six!(H5Dread_chunk2, read_chunk_2);

/// Defines what a hook calls.
macro_rules! reading {
    ($inner:ident = $function:ident ($($argument:ident: $kind:ty),*)) => {
        unsafe extern "C" fn $inner(
            dataset: Hid,
            transfer: Hid,
            element: *const u64,
            $($argument: $kind,)*
            caller: *const c_void,
        ) -> Herr {
            let api = api::of_caller(caller);
            let Some(real) = api.functions.$function else { return -1 };
            // SAFETY: the call that the program made.
            let call = || unsafe { real(dataset, transfer, element, $($argument),*) };
            match process::watching() {
                Some(process) => process.read_chunk(api, dataset, element, call),
                None => call(),
            }
        }
    };
}

reading!(read_chunk = dread_chunk(filters: *mut c_uint, buffer: *mut c_void));
reading!(read_chunk_1 = dread_chunk1(filters: *mut c_uint, buffer: *mut c_void));
reading!(read_chunk_2 = dread_chunk2(filters: *mut c_uint, buffer: *mut c_void, size: *mut usize));
