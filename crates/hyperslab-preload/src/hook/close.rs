//! What ends identifiers: H5Dclose, H5Oclose, H5Idec_ref (h5py's way), H5Fclose, H5close.

use crate::functions::{Herr, Hid};
use crate::{api, process};
use std::ffi::{c_int, c_void};

/// `H5I_FILE`.
const FILE: c_int = 1;

super::jump!(H5Dclose, "rsi", "x1", close_dataset);
super::jump!(H5Oclose, "rsi", "x1", close_object);
super::jump!(H5Idec_ref, "rsi", "x1", release);
super::jump!(H5Fclose, "rsi", "x1", close_file);
super::jump!(H5close, "rdi", "x0", close_all);

unsafe extern "C" fn close_dataset(id: Hid, caller: *const c_void) -> Herr {
    let api = api::of_caller(caller);
    let Some(real) = api.functions.dclose else { return -1 };
    // SAFETY: the call that the program made.
    process::closing(api, id, || unsafe { real(id) })
}

unsafe extern "C" fn close_object(id: Hid, caller: *const c_void) -> Herr {
    let api = api::of_caller(caller);
    let Some(real) = api.functions.oclose else { return -1 };
    // SAFETY: the call that the program made.
    process::closing(api, id, || unsafe { real(id) })
}

unsafe extern "C" fn release(id: Hid, caller: *const c_void) -> c_int {
    let api = api::of_caller(caller);
    let Some(real) = api.functions.idec_ref else { return -1 };
    // SAFETY: the call that the program made.
    let result = process::closing(api, id, || unsafe { real(id) });
    if api.type_bits(id) == FILE {
        process::file_closed(api, result >= 0);
    }
    result
}

unsafe extern "C" fn close_file(id: Hid, caller: *const c_void) -> Herr {
    let api = api::of_caller(caller);
    let Some(real) = api.functions.fclose else { return -1 };
    // SAFETY: the call that the program made.
    let result = unsafe { real(id) };
    process::file_closed(api, result >= 0);
    result
}

unsafe extern "C" fn close_all(caller: *const c_void) -> Herr {
    let api = api::of_caller(caller);
    let Some(real) = api.functions.close else { return -1 };
    // Identifiers begin again at their first numbers.
    process::forget(api);
    // SAFETY: the call that the program made.
    unsafe { real() }
}
