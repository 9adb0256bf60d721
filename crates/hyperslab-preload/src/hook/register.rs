//! H5Zregister.

use crate::functions::Herr;
use crate::{api, filters};
use std::ffi::{c_int, c_void};

super::jump!(H5Zregister, "rsi", "x1", register);

/// The version of the structure that describes a filter; the structure before had none, and began with the number.
const CLASS_VERSION: c_int = 1;

unsafe extern "C" fn register(class: *const c_void, caller: *const c_void) -> Herr {
    let api = api::of_caller(caller);
    let Some(real) = api.functions.zregister else { return -1 };
    // SAFETY: the call that the program made.
    let result = unsafe { real(class) };
    if result >= 0 && !class.is_null() {
        // SAFETY: libhdf5 has read the structure, which begins with two numbers or with one and a pointer.
        let [first, second] = unsafe { *class.cast::<[c_int; 2]>() };
        filters::register(if first == CLASS_VERSION { second } else { first });
    }
    result
}
