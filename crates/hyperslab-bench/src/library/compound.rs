//! The members of a compound type of libhdf5, and where they lie.

use super::datatype::{self, ARRAY, FLOAT, INTEGER, STRING, base, class};
use super::handle::Handle;
use super::{LibraryError, c_name};
use crate::study::{FieldPlace, Layout};
use std::ffi::{CStr, CString, c_int, c_uint};

const BIG_ENDIAN: c_int = 1;

/// A member of a compound.
pub(super) struct Member {
    pub(super) name: CString,
    pub(super) handle: Handle,
    /// None for a field that is neither numbers nor text.
    pub(super) place: Option<FieldPlace>,
}

/// Where the fields of a compound lie, if all of them are numbers and text.
pub(super) fn layout(compound: &Handle) -> Result<Option<Layout>, LibraryError> {
    // SAFETY: an open type.
    let bytes = unsafe { (compound.api.functions.H5Tget_size)(compound.id) };
    let places = members(compound, None)?.iter().map(|member| member.place).collect::<Option<Vec<_>>>();
    Ok(places.map(|places| Layout { places, bytes, in_columns: false }))
}

/// The members of a compound, those of these names or all.
pub(super) fn members(compound: &Handle, fields: Option<&[String]>) -> Result<Vec<Member>, LibraryError> {
    let (api, f) = (&compound.api, &compound.api.functions);
    let numbers: Vec<c_uint> = match fields {
        None => (0..datatype::members(compound)).collect(),
        Some(fields) => {
            let number = |field: &String| {
                let name = c_name(field).ok();
                // SAFETY: an open type, and a string.
                let found = |name: CString| unsafe { (f.H5Tget_member_index)(compound.id, name.as_ptr()) };
                c_uint::try_from(name.map_or(-1, found))
                    .map_err(|_| LibraryError::Unsupported(format!("the records have no field {field:?}")))
            };
            fields.iter().map(number).collect::<Result<_, _>>()?
        }
    };
    let member = |number: c_uint| {
        let handle = datatype::member(compound, number)?;
        // SAFETY: an open type, and a number that it has; the name is freed by the library that allocated it.
        let (name, offset) = unsafe {
            let given = (f.H5Tget_member_name)(compound.id, number);
            if given.is_null() {
                return Err(LibraryError::Call { call: "H5Tget_member_name", why: api.last_error() });
            }
            let name = CStr::from_ptr(given).to_owned();
            match f.H5free_memory {
                Some(free) => drop(free(given.cast())),
                None => libc::free(given.cast()),
            }
            (name, (f.H5Tget_member_offset)(compound.id, number))
        };
        let place = place(&handle)?.map(|place| FieldPlace { offset, ..place });
        Ok(Member { name, handle, place })
    };
    numbers.into_iter().map(member).collect()
}

/// What a field is made of, where that is numbers or text; its offset is still to be found.
fn place(field: &Handle) -> Result<Option<FieldPlace>, LibraryError> {
    let f = &field.api.functions;
    // SAFETY: an open type.
    let bytes = unsafe { (f.H5Tget_size)(field.id) };
    Ok(match class(field) {
        INTEGER | FLOAT => {
            // SAFETY: as above.
            let is_big = unsafe { (f.H5Tget_order)(field.id) } == BIG_ENDIAN;
            Some(FieldPlace::number(bytes, is_big))
        }
        STRING => Some(FieldPlace::text(bytes)),
        ARRAY => place(&base(field)?)?.map(|base| FieldPlace { bytes, ..base }),
        _ => None,
    })
}
