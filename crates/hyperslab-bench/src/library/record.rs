//! Compound types of libhdf5: made for a file, and for memory.

use super::LibraryError;
use super::api::{Api, Functions};
use super::handle::{Handle, check};
use super::hdf5::Hdf5;
use crate::study::{Layout, Memory, Place, Record, align, pack};
use std::ffi::{CStr, CString, c_int, c_uint};
use std::rc::Rc;

const INTEGER: c_int = 0;
const FLOAT: c_int = 1;
const STRING: c_int = 3;
pub(super) const COMPOUND: c_int = 6;
const ARRAY: c_int = 10;
const BIG_ENDIAN: c_int = 1;

/// A type in memory, and where its fields lie if all of them are numbers and text.
pub(super) struct MemoryType {
    pub(super) handle: Handle,
    pub(super) layout: Option<Layout>,
}

struct Member {
    name: CString,
    handle: Handle,
    /// None for a field that is neither numbers nor text.
    place: Option<Place>,
}

impl Hdf5 {
    /// The type of records in a file: a C struct, packed unless it is stored as such.
    pub(super) fn record_type(&self, record: &Record) -> Result<Handle, LibraryError> {
        self.compound(record, &record.in_memory(Memory::Struct), |element| self.file_type(element)).and_then(
            |made| {
                if !record.is_padded {
                    // SAFETY: a type that may be changed.
                    check(&self.api, "H5Tpack", unsafe { (self.api.functions.H5Tpack)(made.id) })?;
                }
                Ok(made)
            },
        )
    }

    /// The type of records in memory that are written to a file.
    pub(super) fn record_in_memory(
        &self,
        record: &Record,
        memory: Memory,
    ) -> Result<MemoryType, LibraryError> {
        let layout = record.in_memory(memory);
        let handle = match memory {
            Memory::AsStored => self.record_type(record)?,
            Memory::Struct => self.compound(record, &layout, |element| {
                let file_type = self.file_type(element)?;
                self.native(&file_type)
            })?,
            Memory::Columns => return Err(no_columns()),
        };
        Ok(MemoryType { handle, layout: Some(layout) })
    }

    fn compound(
        &self,
        record: &Record,
        layout: &Layout,
        member: impl Fn(crate::study::Element) -> Result<Handle, LibraryError>,
    ) -> Result<Handle, LibraryError> {
        let f = &self.api.functions;
        // SAFETY: plain calls; strings and dimensions that outlive them, open types.
        unsafe {
            let made = (f.H5Tcreate)(COMPOUND, layout.bytes);
            let made = Handle::new(&self.api, "H5Tcreate", made, f.H5Tclose)?;
            for (field, place) in record.fields.iter().zip(&layout.places) {
                let mut datatype = member(field.element)?;
                if field.count > 1 {
                    let array = (f.H5Tarray_create2)(datatype.id, 1, &u64::from(field.count));
                    datatype = Handle::new(&self.api, "H5Tarray_create2", array, f.H5Tclose)?;
                }
                let name = CString::new(field.name.as_str())
                    .map_err(|_| LibraryError::Unsupported(format!("the name {:?}", field.name)))?;
                let answered = (f.H5Tinsert)(made.id, name.as_ptr(), place.offset, datatype.id);
                check(&self.api, "H5Tinsert", answered)?;
            }
            Ok(made)
        }
    }

    fn native(&self, datatype: &Handle) -> Result<Handle, LibraryError> {
        let f = &self.api.functions;
        // SAFETY: an open type.
        let answered = unsafe { (f.H5Tget_native_type)(datatype.id, 0) };
        Handle::new(&self.api, "H5Tget_native_type", answered, f.H5Tclose)
    }

    /// The type in memory for reading some fields, or all, of what is a compound in the file.
    pub(super) fn fields_in_memory(
        &self,
        file_type: &Handle,
        fields: Option<&[String]>,
        memory: Memory,
    ) -> Result<MemoryType, LibraryError> {
        let f = &self.api.functions;
        let members = members(&self.api, f, file_type, fields)?;
        let places: Option<Vec<Place>> = members.iter().map(|member| member.place).collect();
        if memory == Memory::AsStored && fields.is_none() {
            // SAFETY: an open type.
            let (copy, bytes) = unsafe { ((f.H5Tcopy)(file_type.id), (f.H5Tget_size)(file_type.id)) };
            let handle = Handle::new(&self.api, "H5Tcopy", copy, f.H5Tclose)?;
            let layout = places.map(|places| Layout { places, bytes, in_columns: false });
            return Ok(MemoryType { handle, layout });
        }
        let mut places = places.ok_or_else(|| {
            LibraryError::Unsupported(
                "only fields of numbers and of text of fixed length are picked or laid out anew".to_owned(),
            )
        })?;
        let bytes = match memory {
            Memory::AsStored => pack(&mut places),
            Memory::Struct => align(&mut places),
            Memory::Columns => return Err(no_columns()),
        };
        // SAFETY: plain calls with open types, and names that outlive them.
        let made = unsafe {
            let made = (f.H5Tcreate)(COMPOUND, bytes);
            let made = Handle::new(&self.api, "H5Tcreate", made, f.H5Tclose)?;
            for (member, place) in members.iter().zip(&mut places) {
                let native;
                let inserted = if memory == Memory::Struct {
                    native = self.native(&member.handle)?;
                    place.is_swapped = false;
                    &native
                } else {
                    &member.handle
                };
                if (f.H5Tget_size)(inserted.id) != place.bytes {
                    return Err(LibraryError::Unsupported("a field of a size that no C type has".to_owned()));
                }
                let answered = (f.H5Tinsert)(made.id, member.name.as_ptr(), place.offset, inserted.id);
                check(&self.api, "H5Tinsert", answered)?;
            }
            made
        };
        Ok(MemoryType { handle: made, layout: Some(Layout { places, bytes, in_columns: false }) })
    }
}

fn no_columns() -> LibraryError {
    LibraryError::Unsupported("libhdf5 has records in memory as structs, not in columns".to_owned())
}

/// The members of a compound, those of these names or all.
fn members(
    api: &Rc<Api>,
    f: &Functions,
    compound: &Handle,
    fields: Option<&[String]>,
) -> Result<Vec<Member>, LibraryError> {
    // SAFETY: an open type, its members by number or by name; names are given back to who allocated them.
    unsafe {
        let numbers: Vec<c_uint> = match fields {
            None => (0..(f.H5Tget_nmembers)(compound.id).max(0) as c_uint).collect(),
            Some(fields) => {
                let number = |field: &String| {
                    let name = CString::new(field.as_str()).ok();
                    let found = name.map_or(-1, |name| (f.H5Tget_member_index)(compound.id, name.as_ptr()));
                    c_uint::try_from(found).map_err(|_| {
                        LibraryError::Unsupported(format!("the records have no field {field:?}"))
                    })
                };
                fields.iter().map(number).collect::<Result<_, _>>()?
            }
        };
        let member = |number: c_uint| {
            let handle = (f.H5Tget_member_type)(compound.id, number);
            let handle = Handle::new(api, "H5Tget_member_type", handle, api.functions.H5Tclose)?;
            let given = (f.H5Tget_member_name)(compound.id, number);
            if given.is_null() {
                return Err(LibraryError::Call { call: "H5Tget_member_name", why: api.last_error() });
            }
            let name = CStr::from_ptr(given).to_owned();
            match f.H5free_memory {
                Some(free) => drop(free(given.cast())),
                None => libc::free(given.cast()),
            }
            let offset = (f.H5Tget_member_offset)(compound.id, number);
            let place = place(api, f, &handle)?.map(|place| Place { offset, ..place });
            Ok(Member { name, handle, place })
        };
        numbers.into_iter().map(member).collect()
    }
}

/// What a field is made of, where that is numbers or text; its offset is still to be found.
fn place(api: &Rc<Api>, f: &Functions, datatype: &Handle) -> Result<Option<Place>, LibraryError> {
    // SAFETY: an open type.
    unsafe {
        let bytes = (f.H5Tget_size)(datatype.id);
        Ok(match (f.H5Tget_class)(datatype.id) {
            INTEGER | FLOAT => {
                let is_big = (f.H5Tget_order)(datatype.id) == BIG_ENDIAN;
                let is_swapped = is_big != cfg!(target_endian = "big") && bytes > 1;
                Some(Place { offset: 0, bytes, unit: bytes, is_swapped })
            }
            STRING => Some(Place { offset: 0, bytes, unit: 1, is_swapped: false }),
            ARRAY => {
                let base = (f.H5Tget_super)(datatype.id);
                let base = Handle::new(api, "H5Tget_super", base, f.H5Tclose)?;
                place(api, f, &base)?.map(|base| Place { bytes, ..base })
            }
            _ => None,
        })
    }
}
