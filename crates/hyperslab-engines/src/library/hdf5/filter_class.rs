//! What libhdf5 takes a filter as: `H5Z_class2_t`.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `H5Z_CLASS_T_VERS`
pub(super) const CLASS_VERSION: c_int = 1;
/// `H5Z_FLAG_REVERSE`
pub(super) const DECODING: c_uint = 0x0100;

/// `H5Z_func_t`: flags, parameters, bytes of data, and a buffer with its size, which may be replaced.
pub(super) type Filter =
    unsafe extern "C" fn(c_uint, usize, *const c_uint, usize, *mut usize, *mut *mut c_void) -> usize;

/// A filter and what libhdf5 is told of it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Class {
    pub(super) version: c_int,
    pub(super) id: c_int,
    pub(super) encoder_present: c_uint,
    pub(super) decoder_present: c_uint,
    pub(super) name: *const c_char,
    pub(super) can_apply: *const c_void,
    pub(super) set_local: *const c_void,
    pub(super) filter: Filter,
}
