//! What opens objects: an identifier keeps the chunks of a dataset in memory, whether it is read or not.

use crate::functions::Hid;
use crate::{api, process};
use std::ffi::{c_char, c_int, c_void};

super::jump!(H5Dopen1, "rdx", "x2", open_dataset_1);
super::jump!(H5Dopen2, "rcx", "x3", open_dataset);
super::jump!(H5Oopen, "rcx", "x3", open_object);
super::jump!(H5Oopen_by_addr, "rdx", "x2", open_by_address);
super::jump!(H5Oopen_by_token, "rcx", "x3", open_by_token);
super::jump_with_six!(H5Oopen_by_idx, open_by_index);
super::jump!(H5Rdereference1, "rcx", "x3", dereference_1);
super::jump!(H5Rdereference2, "r8", "x4", dereference);
super::jump!(H5Ropen_object, "rcx", "x3", open_referenced);

/// Defines what a hook of an opening function calls.
macro_rules! opening {
    ($inner:ident = $function:ident ($($argument:ident: $kind:ty),*)) => {
        unsafe extern "C" fn $inner($($argument: $kind,)* caller: *const c_void) -> Hid {
            let api = api::of_caller(caller);
            let Some(real) = api.functions.$function else { return -1 };
            // SAFETY: the call that the program made.
            let call = || unsafe { real($($argument),*) };
            process::opened(api, call)
        }
    };
}

opening!(open_dataset_1 = dopen1(place: Hid, name: *const c_char));
opening!(open_dataset = dopen2(place: Hid, name: *const c_char, access: Hid));
opening!(open_object = oopen(place: Hid, name: *const c_char, access: Hid));
opening!(open_by_address = oopen_by_addr(place: Hid, address: u64));
// A token is 16 bytes, in two registers.
opening!(open_by_token = oopen_by_token(place: Hid, first: u64, second: u64));
opening!(open_by_index = oopen_by_idx(
    place: Hid, group: *const c_char, index: c_int, order: c_int, number: u64, access: Hid
));
opening!(dereference_1 = rdereference1(place: Hid, kind: c_int, reference: *const c_void));
opening!(dereference = rdereference2(place: Hid, access: Hid, kind: c_int, reference: *const c_void));
opening!(open_referenced = ropen_object(reference: *mut c_void, of_reference: Hid, access: Hid));
