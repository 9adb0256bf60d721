//! H5Dwrite.

use crate::api;
use crate::functions::{Herr, Hid};
use crate::process::{self, DatasetCall, Direction};
use std::ffi::c_void;

super::jump_with_six!(H5Dwrite, write);

unsafe extern "C" fn write(
    dataset: Hid,
    memory_type: Hid,
    memory_space: Hid,
    file_space: Hid,
    transfer: Hid,
    buffer: *const c_void,
    caller: *const c_void,
) -> Herr {
    let api = api::of_caller(caller);
    let Some(real) = api.functions.dwrite else { return -1 };
    // SAFETY: the call that the program made.
    let call = || unsafe { real(dataset, memory_type, memory_space, file_space, transfer, buffer) };
    match process::watching() {
        Some(process) => {
            let asked = DatasetCall { api, dataset, memory_type, file_space, direction: Direction::Write };
            process.watch(&asked, call)
        }
        None => call(),
    }
}
