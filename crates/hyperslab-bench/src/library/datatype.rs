//! What is asked of a type of a libhdf5.

use super::LibraryError;
use super::api::Api;
use super::handle::Handle;
use std::ffi::{c_int, c_uint};
use std::rc::Rc;

/// `H5T_class_t`
pub(super) const INTEGER: c_int = 0;
pub(super) const FLOAT: c_int = 1;
pub(super) const STRING: c_int = 3;
pub(super) const COMPOUND: c_int = 6;
pub(super) const REFERENCE: c_int = 7;
pub(super) const VARIABLE: c_int = 9;
pub(super) const ARRAY: c_int = 10;

/// What kind of type it is.
pub(super) fn class(datatype: &Handle) -> c_int {
    // SAFETY: an open type.
    unsafe { (datatype.api.functions.H5Tget_class)(datatype.id) }
}

/// The type that an array or an enumeration is made of.
pub(super) fn base(datatype: &Handle) -> Result<Handle, LibraryError> {
    let f = &datatype.api.functions;
    // SAFETY: an open type.
    Handle::new(&datatype.api, "H5Tget_super", unsafe { (f.H5Tget_super)(datatype.id) }, f.H5Tclose)
}

/// How many members a compound has.
pub(super) fn members(compound: &Handle) -> c_uint {
    // SAFETY: an open type.
    unsafe { (compound.api.functions.H5Tget_nmembers)(compound.id) }.max(0) as c_uint
}

/// The type of a member of a compound.
pub(super) fn member(compound: &Handle, number: c_uint) -> Result<Handle, LibraryError> {
    let f = &compound.api.functions;
    // SAFETY: an open type; the library checks the number.
    let answered = unsafe { (f.H5Tget_member_type)(compound.id, number) };
    Handle::new(&compound.api, "H5Tget_member_type", answered, f.H5Tclose)
}

/// A type of the caller's own, as another.
pub(super) fn copy(api: &Rc<Api>, datatype: super::api::Id) -> Result<Handle, LibraryError> {
    let f = &api.functions;
    // SAFETY: an open or a predefined type.
    Handle::new(api, "H5Tcopy", unsafe { (f.H5Tcopy)(datatype) }, f.H5Tclose)
}

/// The type of the machine that holds what a type of a file does.
pub(super) fn native(datatype: &Handle) -> Result<Handle, LibraryError> {
    let f = &datatype.api.functions;
    // SAFETY: an open type.
    let answered = unsafe { (f.H5Tget_native_type)(datatype.id, 0) };
    Handle::new(&datatype.api, "H5Tget_native_type", answered, f.H5Tclose)
}

/// True where elements of a type lead to nothing that lies elsewhere.
pub(super) fn is_fixed(datatype: &Handle) -> Result<bool, LibraryError> {
    match class(datatype) {
        // SAFETY: an open type.
        STRING => Ok(unsafe { (datatype.api.functions.H5Tis_variable_str)(datatype.id) } == 0),
        REFERENCE | VARIABLE => Ok(false),
        ARRAY => is_fixed(&base(datatype)?),
        COMPOUND => {
            for number in 0..members(datatype) {
                if !is_fixed(&member(datatype, number)?)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Ok(true),
    }
}
