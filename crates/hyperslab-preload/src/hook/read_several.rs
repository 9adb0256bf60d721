//! H5Dread_multi.

use crate::answer::ReadCall;
use crate::api;
use crate::functions::{Herr, Hid};
use crate::process::{self, DatasetCall};
use std::ffi::c_void;

// The last of seven arguments is on the stack; before it, eight bytes align what is called.
super::jump_with_stack!(
    H5Dread_multi,
    ["sub rsp, 8", "push [rsp + 8]", "push [rsp + 24]"],
    24,
    ["mov x7, x30", "b {inner}"],
    read_several
);

unsafe extern "C" fn read_several(
    count: usize,
    datasets: *const Hid,
    memory_types: *const Hid,
    memory_spaces: *const Hid,
    file_spaces: *const Hid,
    transfer: Hid,
    buffers: *const *mut c_void,
    caller: *const c_void,
) -> Herr {
    let api = api::of_caller(caller);
    let Some(real) = api.functions.dread_multi else { return -1 };
    // SAFETY: the call that the program made.
    let call =
        || unsafe { real(count, datasets, memory_types, memory_spaces, file_spaces, transfer, buffers) };
    let lists = [datasets, memory_types, memory_spaces, file_spaces];
    if count == 0 || buffers.is_null() || lists.iter().any(|list| list.is_null()) {
        return call();
    }
    let Some(process) = process::watching() else { return call() };
    let reads: Vec<(DatasetCall<'_>, ReadCall)> = (0..count)
        .map(|at| {
            // SAFETY: libhdf5 reads this number of entries of each list.
            let [dataset, memory_type, memory_space, file_space] =
                lists.map(|list| unsafe { list.add(at).read() });
            // SAFETY: as above.
            let buffer = unsafe { buffers.add(at).read() };
            DatasetCall::read(api, dataset, [memory_type, memory_space, file_space], transfer, buffer)
        })
        .collect();
    process.read_several(&reads, call)
}
