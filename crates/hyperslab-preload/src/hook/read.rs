//! H5Dread.

use crate::answer::ReadCall;
use crate::api;
use crate::functions::{Herr, Hid};
use crate::process::{self, Asked, Direction};
use std::ffi::c_void;

super::jump_with_six!(H5Dread, read);

unsafe extern "C" fn read(
    dataset: Hid,
    memory_type: Hid,
    memory_space: Hid,
    file_space: Hid,
    transfer: Hid,
    buffer: *mut c_void,
    caller: *const c_void,
) -> Herr {
    let api = api::of_caller(caller);
    let Some(real) = api.functions.dread else { return -1 };
    // SAFETY: the call that the program made.
    let call = || unsafe { real(dataset, memory_type, memory_space, file_space, transfer, buffer) };
    let Some(process) = process::watching() else { return call() };
    let asked = Asked { api, dataset, memory_type, file_space, direction: Direction::Read };
    process.read(&asked, &ReadCall { memory_type, memory_space, transfer, buffer }, call)
}
