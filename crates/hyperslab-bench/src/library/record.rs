//! Compound types of libhdf5: made for a file, and for memory.

use super::datatype::{self, ARRAY, COMPOUND, FLOAT, INTEGER, MemoryType, STRING, base, class, copy, native};
use super::handle::{Handle, check};
use super::hdf5::Hdf5;
use super::{LibraryError, c_name};
use crate::study::{Layout, Memory, Place, Record, align, pack};
use std::ffi::{CStr, CString, c_int, c_uint};

const BIG_ENDIAN: c_int = 1;

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
                native(&file_type)
            })?,
            Memory::Columns => return Err(no_columns()),
        };
        Ok(MemoryType::of_records(handle, layout))
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
                let name = c_name(&field.name)?;
                let answered = (f.H5Tinsert)(made.id, name.as_ptr(), place.offset, datatype.id);
                check(&self.api, "H5Tinsert", answered)?;
            }
            Ok(made)
        }
    }

    /// The type in memory for reading some fields, or all, of what is a compound in the file.
    pub(super) fn fields_in_memory(
        &self,
        file_type: &Handle,
        fields: Option<&[String]>,
        memory: Memory,
    ) -> Result<MemoryType, LibraryError> {
        let f = &self.api.functions;
        if memory == Memory::AsStored && fields.is_none() {
            return Ok(MemoryType::new(copy(&self.api, file_type.id)?));
        }
        let members = members(file_type, fields)?;
        let places: Option<Vec<Place>> = members.iter().map(|member| member.place).collect();
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
                let on_this_machine;
                let inserted = if memory == Memory::Struct {
                    on_this_machine = native(&member.handle)?;
                    place.is_swapped = false;
                    &on_this_machine
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
        Ok(MemoryType::of_records(made, Layout { places, bytes, in_columns: false }))
    }
}

fn no_columns() -> LibraryError {
    LibraryError::Unsupported("libhdf5 has records in memory as structs, not in columns".to_owned())
}

/// Where the fields of a compound lie, if all of them are numbers and text.
pub(super) fn layout(compound: &Handle) -> Result<Option<Layout>, LibraryError> {
    // SAFETY: an open type.
    let bytes = unsafe { (compound.api.functions.H5Tget_size)(compound.id) };
    let places = members(compound, None)?.iter().map(|member| member.place).collect::<Option<Vec<_>>>();
    Ok(places.map(|places| Layout { places, bytes, in_columns: false }))
}

/// The members of a compound, those of these names or all.
fn members(compound: &Handle, fields: Option<&[String]>) -> Result<Vec<Member>, LibraryError> {
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
        // SAFETY: an open type, and a number that it has; the name is given back to who allocated it.
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
        let place = place(&handle)?.map(|place| Place { offset, ..place });
        Ok(Member { name, handle, place })
    };
    numbers.into_iter().map(member).collect()
}

/// What a field is made of, where that is numbers or text; its offset is still to be found.
fn place(field: &Handle) -> Result<Option<Place>, LibraryError> {
    let f = &field.api.functions;
    // SAFETY: an open type.
    let bytes = unsafe { (f.H5Tget_size)(field.id) };
    Ok(match class(field) {
        INTEGER | FLOAT => {
            // SAFETY: as above.
            let is_big = unsafe { (f.H5Tget_order)(field.id) } == BIG_ENDIAN;
            Some(Place::number(bytes, is_big))
        }
        STRING => Some(Place::text(bytes)),
        ARRAY => place(&base(field)?)?.map(|base| Place { bytes, ..base }),
        _ => None,
    })
}
