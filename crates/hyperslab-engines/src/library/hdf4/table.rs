//! Tables of records (Vdata).
//!
//! The library hands records over without gaps, numbers in the machine's byte order. A program that has its fields in
//! columns has them packed into records before they are written, and unpacked after they are read (`VSfpack`).

use super::api::{CREATE, FAIL, Hdf4, Id, READ, narrow, number_of};
use crate::block::Block;
use crate::buffer::reserve;
use crate::error::{EngineError, unsupported};
use crate::interface::{OpenDataset, check_buffer};
use crate::library::call::{Handle, call, open};
use crate::library::load::{c_name, c_path};
use crate::storage::{FieldPlace, Memory, Record, RecordLayout, Records, pack};
use std::ffi::{CStr, CString, c_int, c_void};
use std::path::Path;

const FULL_INTERLACE: i32 = 0;
const PACK: c_int = 0;
const UNPACK: c_int = 1;

/// An open table, and its file.
pub(super) struct Table {
    // Closed in this order.
    handle: Id,
    file: Id,
    /// The names of the fields that are read and written, joined by commas.
    fields: CString,
    layout: RecordLayout,
    /// Records on their way between the library and columns.
    records: Vec<u8>,
}

/// A file, open for tables.
fn open_file(library: &Hdf4, path: &Path, access: c_int) -> Result<Id, EngineError> {
    let path = c_path(path)?;
    // SAFETY: a string; 0 stands for the usual number of descriptors in a block.
    let id = unsafe { call!(library.Hopen(path.as_ptr(), access, 0)) }?;
    let file = Handle::new(library, id, |library, id| {
        // SAFETY: an open file. All is closed, whatever fails.
        let (finished, closed) = unsafe { (call!(library.Vfinish(id)), call!(library.Hclose(id))) };
        finished.and(closed).map(drop)
    });
    // SAFETY: an open file.
    unsafe { call!(library.Vinitialize(id)) }?;
    Ok(file)
}

/// The reference of a table, by its name, or by the last name of a path: the library has no paths.
fn find(file: &Id, path: &str) -> Result<i32, EngineError> {
    let path = path.trim_start_matches('/');
    for name in [path, path.rsplit('/').next().unwrap_or(path)] {
        let name = c_name(name)?;
        // SAFETY: an open file, and a string.
        let found = unsafe { (file.library.functions.VSfind)(file.id, name.as_ptr()) };
        if found > 0 {
            return Ok(found);
        }
    }
    unsupported(format!("the file has neither a dataset nor a table {path:?}"))
}

fn in_columns(memory: Memory) -> Result<bool, EngineError> {
    match memory {
        Memory::AsStored => Ok(false),
        Memory::Columns => Ok(true),
        Memory::Struct => unsupported("HDF4 has records without gaps in memory, or columns"),
    }
}

impl Table {
    /// Opens a table for reading some of its fields, or all.
    pub(super) fn open(
        library: &Hdf4,
        path: &Path,
        name: &str,
        records: &Records,
    ) -> Result<Self, EngineError> {
        let file = open_file(library, path, READ)?;
        let found = find(&file, name)?;
        // SAFETY: an open file, and a string.
        let handle = unsafe { open!(library.VSattach(file.id, found, c"r".as_ptr()), VSdetach) }?;
        let all = members(&handle)?;
        let find = |name: &String| match all.iter().find(|(known, _)| known == name) {
            Some(field) => Ok(field.clone()),
            None => unsupported(format!("the records have no field {name:?}")),
        };
        let wanted = match &records.fields {
            None => all,
            Some(names) => names.iter().map(find).collect::<Result<_, _>>()?,
        };
        let (names, mut places): (Vec<String>, Vec<FieldPlace>) = wanted.into_iter().unzip();
        let bytes = pack(&mut places);
        let layout = RecordLayout { places, bytes, in_columns: in_columns(records.memory)? };
        Self::of(handle, file, &names, layout)
    }

    /// Creates a file with a table.
    pub(super) fn create(
        library: &Hdf4,
        path: &Path,
        name: &str,
        record: &Record,
        memory: Memory,
    ) -> Result<Self, EngineError> {
        if record.is_padded {
            return unsupported("HDF4 stores records without gaps");
        }
        let layout = RecordLayout { in_columns: in_columns(memory)?, ..record.packed() };
        let types =
            record.fields.iter().map(|field| number_of(field.scalar)).collect::<Result<Vec<_>, _>>()?;
        let file = open_file(library, path, CREATE)?;
        let name = c_name(name.trim_start_matches('/'))?;
        // SAFETY: an open file, strings, and types that the library knows.
        let handle = unsafe {
            let handle = open!(library.VSattach(file.id, -1, c"w".as_ptr()), VSdetach)?;
            call!(library.VSsetname(handle.id, name.as_ptr()))?;
            for (field, element) in record.fields.iter().zip(types) {
                let (name, count) = (c_name(&field.name)?, narrow(field.count.into())?);
                call!(library.VSfdefine(handle.id, name.as_ptr(), element, count))?;
            }
            handle
        };
        let names: Vec<String> = record.fields.iter().map(|field| field.name.clone()).collect();
        Self::of(handle, file, &names, layout)
    }

    /// A table of which these fields are read or written.
    fn of(handle: Id, file: Id, names: &[String], layout: RecordLayout) -> Result<Self, EngineError> {
        let (library, fields) = (&file.library, c_name(&names.join(","))?);
        // SAFETY: an open table, and a string.
        unsafe { call!(library.VSsetfields(handle.id, fields.as_ptr())) }?;
        Ok(Self { handle, file, fields, layout, records: Vec::new() })
    }

    /// Packs columns into records or unpacks them. `columns` has as many bytes as the records.
    fn convert(
        &mut self,
        direction: c_int,
        count: i32,
        columns: *mut u8,
        bytes: usize,
    ) -> Result<(), EngineError> {
        let mut before = 0;
        let mut starts: Vec<*mut c_void> = Vec::new();
        for place in &self.layout.places {
            // SAFETY: the columns together are as long as the records, which `prepare` checked.
            starts.push(unsafe { columns.add(before * count as usize) }.cast());
            before += place.bytes;
        }
        let (library, id, size) = (&self.file.library, self.handle.id, narrow(bytes as u64)?);
        let (names, records, starts) =
            (self.fields.as_ptr(), self.records.as_mut_ptr().cast(), starts.as_mut_ptr());
        // SAFETY: an open table, its fields, a buffer of so many records, and a column for each field; the library
        // only reads from columns that it packs.
        unsafe { call!(library.VSfpack(id, direction, names, records, size, count, names, starts)) }.map(drop)
    }

    /// The first record of a block that fills its buffer, and how many there are.
    fn prepare(&mut self, block: &Block, buffer: &[u8]) -> Result<(i32, i32), EngineError> {
        let ([start], [count], true) = (&*block.start, &*block.count, block.is_plain()) else {
            return unsupported("a table of HDF4 has one dimension, and is read without strides");
        };
        check_buffer(block, self.layout.bytes, buffer)?;
        if self.layout.in_columns {
            reserve(&mut self.records, buffer.len() as u64)?;
        }
        Ok((narrow(*start)?, narrow(*count)?))
    }
}

/// The fields of a table, as they lie in records in memory.
fn members(table: &Id) -> Result<Vec<(String, FieldPlace)>, EngineError> {
    let (library, id) = (&table.library, table.id);
    let member = |number: i32| {
        // SAFETY: an open table, and the number of one of its fields.
        let (name, bytes, count) = unsafe {
            let name = (library.functions.VFfieldname)(id, number);
            if name.is_null() {
                library.checked("VFfieldname", FAIL)?;
            }
            let bytes = call!(library.VFfieldisize(id, number))?.max(0) as usize;
            (CStr::from_ptr(name), bytes, call!(library.VFfieldorder(id, number))?.max(1) as usize)
        };
        let place = FieldPlace { offset: 0, bytes, unit: bytes / count, is_swapped: false };
        Ok((name.to_string_lossy().into_owned(), place))
    };
    // SAFETY: an open table.
    (0..unsafe { call!(library.VFnfields(id)) }?).map(member).collect()
}

impl OpenDataset for Table {
    fn element_bytes(&self) -> usize {
        self.layout.bytes
    }

    fn layout(&self) -> Result<Option<&RecordLayout>, EngineError> {
        Ok(Some(&self.layout))
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        let (start, count) = self.prepare(block, out)?;
        let (library, id) = (&self.file.library, self.handle.id);
        let to = if self.layout.in_columns { self.records.as_mut_ptr() } else { out.as_mut_ptr() };
        // SAFETY: an open table; both buffers have room for so many records.
        let read = unsafe {
            call!(library.VSseek(id, start))?;
            call!(library.VSread(id, to, count, FULL_INTERLACE))?
        };
        if read != count {
            return unsupported(format!("{read} records were read, not {count}"));
        }
        if self.layout.in_columns {
            self.convert(UNPACK, count, out.as_mut_ptr(), out.len())?;
        }
        Ok(())
    }

    /// Writes records that follow the last.
    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError> {
        let (_, count) = self.prepare(block, values)?;
        let mut from = values.as_ptr();
        if self.layout.in_columns {
            self.convert(PACK, count, values.as_ptr().cast_mut(), values.len())?;
            from = self.records.as_ptr();
        }
        let library = &self.file.library;
        // SAFETY: an open table, and so many records.
        unsafe { call!(library.VSwrite(self.handle.id, from, count, FULL_INTERLACE)) }.map(drop)
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        self.handle.close()?;
        self.file.close()
    }
}
