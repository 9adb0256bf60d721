//! Compound types of libhdf5: made for a file, and for memory.

use super::compound::members;
use super::datatype::{COMPOUND, copy, native};
use super::handle::{Handle, check};
use super::hdf5::Hdf5;
use super::memory_type::MemoryType;
use super::{LibraryError, c_name};
use crate::study::{FieldPlace, Layout, Memory, Record, align, pack};

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
        let places: Option<Vec<FieldPlace>> = members.iter().map(|member| member.place).collect();
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
