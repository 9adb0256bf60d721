//! H5Dread and H5Dread_async.

use crate::api;
use crate::functions::{Herr, Hid};
use crate::process::{self, DatasetCall};
use std::ffi::{c_char, c_uint, c_void};

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
    let types_and_spaces = [memory_type, memory_space, file_space];
    let (asked, read) = DatasetCall::read(api, dataset, types_and_spaces, transfer, buffer);
    process.read(&asked, &read, call)
}

// Four of ten arguments are on the stack; on aarch64 two.
super::jump_with_stack!(
    H5Dread_async,
    ["push [rsp]", "push [rsp + 40]", "push [rsp + 40]", "push [rsp + 40]", "push [rsp + 40]"],
    40,
    [
        "sub sp, sp, #48",
        "str x30, [sp, #32]",
        "ldp x9, x10, [sp, #48]",
        "stp x9, x10, [sp]",
        "str x30, [sp, #16]",
        "bl {inner}",
        "ldr x30, [sp, #32]",
        "add sp, sp, #48",
        "ret"
    ],
    read_async
);

/// libhdf5's own storage reads at once, and adds nothing to the event set.
unsafe extern "C" fn read_async(
    file_name: *const c_char,
    function: *const c_char,
    line: c_uint,
    dataset: Hid,
    memory_type: Hid,
    memory_space: Hid,
    file_space: Hid,
    transfer: Hid,
    buffer: *mut c_void,
    events: Hid,
    caller: *const c_void,
) -> Herr {
    let api = api::of_caller(caller);
    let Some(real) = api.functions.dread_async else { return -1 };
    let call = || {
        // SAFETY: the call that the program made.
        unsafe {
            real(
                file_name,
                function,
                line,
                dataset,
                memory_type,
                memory_space,
                file_space,
                transfer,
                buffer,
                events,
            )
        }
    };
    let Some(process) = process::watching() else { return call() };
    let types_and_spaces = [memory_type, memory_space, file_space];
    let (asked, read) = DatasetCall::read(api, dataset, types_and_spaces, transfer, buffer);
    process.read(&asked, &read, call)
}
