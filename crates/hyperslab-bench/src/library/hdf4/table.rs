//! Tables of records (Vdata).
//!
//! The library hands records over without gaps, numbers in the machine's byte order. A program that has its fields in
//! columns has them packed into records before they are written, and unpacked after they are read (`VSfpack`).

use super::{CLOSED, CREATE, Hdf4, READ, narrow, number_of};
use crate::buffer::reserve;
use crate::library::{LibraryError, c_name, c_path, check_buffer};
use crate::study::{Block, FieldPlace, Layout, Memory, Record, Records, pack};
use std::ffi::{CStr, CString, c_int, c_void};
use std::path::Path;

const FULL_INTERLACE: i32 = 0;
const PACK: c_int = 0;
const UNPACK: c_int = 1;

/// An open table, and its file, closed when it goes.
pub struct Hdf4Table {
    library: Hdf4,
    file: i32,
    id: i32,
    /// The names of the fields that are read and written, joined by commas.
    fields: CString,
    layout: Layout,
    /// Records on their way between the library and columns.
    records: Vec<u8>,
}

impl Hdf4 {
    /// Opens a table for reading some of its fields, or all.
    pub fn open_table(&self, path: &Path, name: &str, records: &Records) -> Result<Hdf4Table, LibraryError> {
        let mut table = self.table(path, READ)?;
        let (f, name) = (&self.tables, c_name(name.trim_start_matches('/'))?);
        // SAFETY: an open file, and strings.
        unsafe {
            let found = (f.VSfind)(table.file, name.as_ptr());
            if found <= 0 {
                return Err(LibraryError::Unsupported(format!(
                    "the file has neither a dataset nor a table {name:?}"
                )));
            }
            table.id = self.check("VSattach", (f.VSattach)(table.file, found, c"r".as_ptr()))?;
        }
        let all = table.members()?;
        let wanted: Vec<(String, FieldPlace)> = match &records.fields {
            None => all,
            Some(names) => names
                .iter()
                .map(|name| {
                    all.iter().find(|(known, _)| known == name).cloned().ok_or_else(|| {
                        LibraryError::Unsupported(format!("the records have no field {name:?}"))
                    })
                })
                .collect::<Result<_, _>>()?,
        };
        let (names, mut places): (Vec<String>, Vec<FieldPlace>) = wanted.into_iter().unzip();
        let bytes = pack(&mut places);
        table.layout = Layout { places, bytes, in_columns: in_columns(records.memory)? };
        table.choose(&names)?;
        Ok(table)
    }

    /// Makes a file with a table.
    pub fn create_table(
        &self,
        path: &Path,
        name: &str,
        record: &Record,
        memory: Memory,
    ) -> Result<Hdf4Table, LibraryError> {
        if record.is_padded {
            return Err(LibraryError::Unsupported("HDF4 stores records without gaps".to_owned()));
        }
        let layout = Layout { in_columns: in_columns(memory)?, ..record.packed() };
        let types =
            record.fields.iter().map(|field| number_of(field.element)).collect::<Result<Vec<_>, _>>()?;
        let mut table = self.table(path, CREATE)?;
        let (f, name) = (&self.tables, c_name(name.trim_start_matches('/'))?);
        // SAFETY: an open file, strings, and types that the library knows.
        unsafe {
            table.id = self.check("VSattach", (f.VSattach)(table.file, -1, c"w".as_ptr()))?;
            self.check("VSsetname", (f.VSsetname)(table.id, name.as_ptr()))?;
            for (field, element) in record.fields.iter().zip(types) {
                let name = c_name(&field.name)?;
                let answered = (f.VSfdefine)(table.id, name.as_ptr(), element, narrow(field.count.into())?);
                self.check("VSfdefine", answered)?;
            }
        }
        table.layout = layout;
        table.choose(&record.fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>())?;
        Ok(table)
    }

    /// A file, open for tables; none of them is yet.
    fn table(&self, path: &Path, access: c_int) -> Result<Hdf4Table, LibraryError> {
        let (f, place) = (&self.tables, c_path(path)?);
        // SAFETY: a string; 0 stands for the usual number of descriptors in a block.
        let file = self.check("Hopen", unsafe { (f.Hopen)(place.as_ptr(), access, 0) })?;
        let table = Hdf4Table {
            library: self.clone(),
            file,
            id: CLOSED,
            fields: CString::default(),
            layout: Layout { places: Vec::new(), bytes: 0, in_columns: false },
            records: Vec::new(),
        };
        // SAFETY: an open file.
        self.check("Vinitialize", unsafe { (f.Vinitialize)(file) })?;
        Ok(table)
    }
}

fn in_columns(memory: Memory) -> Result<bool, LibraryError> {
    match memory {
        Memory::AsStored => Ok(false),
        Memory::Columns => Ok(true),
        Memory::Struct => {
            Err(LibraryError::Unsupported("HDF4 has records without gaps in memory, or columns".to_owned()))
        }
    }
}

impl Hdf4Table {
    /// Its fields, as they lie in records in memory.
    fn members(&self) -> Result<Vec<(String, FieldPlace)>, LibraryError> {
        let (library, f) = (&self.library, &self.library.tables);
        let mut found = Vec::new();
        // SAFETY: an open table, and its fields by number.
        unsafe {
            for number in 0..library.check("VFnfields", (f.VFnfields)(self.id))? {
                let name = (f.VFfieldname)(self.id, number);
                if name.is_null() {
                    library.check("VFfieldname", super::FAIL)?;
                }
                let name = CStr::from_ptr(name).to_string_lossy().into_owned();
                let bytes = library.check("VFfieldisize", (f.VFfieldisize)(self.id, number))?.max(0) as usize;
                let count = library.check("VFfieldorder", (f.VFfieldorder)(self.id, number))?.max(1) as usize;
                found.push((name, FieldPlace { offset: 0, bytes, unit: bytes / count, is_swapped: false }));
            }
        }
        Ok(found)
    }

    fn choose(&mut self, names: &[String]) -> Result<(), LibraryError> {
        self.fields = c_name(&names.join(","))?;
        // SAFETY: an open table, and a string.
        let answered = unsafe { (self.library.tables.VSsetfields)(self.id, self.fields.as_ptr()) };
        self.library.check("VSsetfields", answered).map(drop)
    }

    /// Where the fields lie in memory.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Reads a block of records into `out`.
    pub fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), LibraryError> {
        let (start, count) = self.prepare(block, out)?;
        let f = &self.library.tables;
        let to = if self.layout.in_columns { self.records.as_mut_ptr() } else { out.as_mut_ptr() };
        // SAFETY: an open table; both buffers have room for so many records.
        unsafe {
            self.library.check("VSseek", (f.VSseek)(self.id, start))?;
            let read = self.library.check("VSread", (f.VSread)(self.id, to, count, FULL_INTERLACE))?;
            if read != count {
                return Err(LibraryError::Unsupported(format!("{read} records were read, not {count}")));
            }
        }
        if self.layout.in_columns {
            self.convert(UNPACK, count, out.as_mut_ptr(), out.len())?;
        }
        Ok(())
    }

    /// Writes a block of records, which follows the last.
    pub fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), LibraryError> {
        let (_, count) = self.prepare(block, values)?;
        let mut from = values.as_ptr();
        if self.layout.in_columns {
            self.convert(PACK, count, values.as_ptr().cast_mut(), values.len())?;
            from = self.records.as_ptr();
        }
        let f = &self.library.tables;
        // SAFETY: an open table, and so many records.
        let written = unsafe { (f.VSwrite)(self.id, from, count, FULL_INTERLACE) };
        self.library.check("VSwrite", written).map(drop)
    }

    /// Packs columns into records or unpacks them. `columns` has as many bytes as the records.
    fn convert(
        &mut self,
        direction: c_int,
        count: i32,
        columns: *mut u8,
        bytes: usize,
    ) -> Result<(), LibraryError> {
        let mut before = 0;
        let mut starts: Vec<*mut c_void> = Vec::new();
        for place in &self.layout.places {
            // SAFETY: the columns together are as long as the records, which `prepare` checked.
            starts.push(unsafe { columns.add(before * count as usize) }.cast());
            before += place.bytes;
        }
        let (f, size) = (&self.library.tables, narrow(bytes as u64)?);
        let (names, records) = (self.fields.as_ptr(), self.records.as_mut_ptr().cast());
        // SAFETY: an open table, its fields, a buffer of so many records, and a column for each field; the library
        // only reads from columns that it packs.
        let answered = unsafe {
            (f.VSfpack)(self.id, direction, names, records, size, count, names, starts.as_mut_ptr())
        };
        self.library.check("VSfpack", answered).map(drop)
    }

    fn prepare(&mut self, block: &Block, buffer: &[u8]) -> Result<(i32, i32), LibraryError> {
        let ([start], [count], true) = (&*block.start, &*block.count, block.is_plain()) else {
            return Err(LibraryError::Unsupported(
                "a table of HDF4 has one dimension, and is read without strides".to_owned(),
            ));
        };
        check_buffer(block, self.layout.bytes, buffer)?;
        if self.layout.in_columns {
            reserve(&mut self.records, buffer.len() as u64)?;
        }
        Ok((narrow(*start)?, narrow(*count)?))
    }

    /// Closes table and file; what was written reaches the file at the latest now.
    pub fn close(mut self) -> Result<(), LibraryError> {
        self.end()
    }

    /// Closes what is open, once, and all of it, whatever fails; answers with the first failure.
    fn end(&mut self) -> Result<(), LibraryError> {
        let (library, f) = (&self.library, &self.library.tables);
        let (file, id) = (std::mem::replace(&mut self.file, CLOSED), std::mem::replace(&mut self.id, CLOSED));
        let mut done = Ok(0);
        // SAFETY: what is open.
        unsafe {
            if id != CLOSED {
                done = library.check("VSdetach", (f.VSdetach)(id));
            }
            if file != CLOSED {
                done = done.and(library.check("Vfinish", (f.Vfinish)(file)));
                done = done.and(library.check("Hclose", (f.Hclose)(file)));
            }
        }
        done.map(drop)
    }
}

impl Drop for Hdf4Table {
    fn drop(&mut self) {
        // A drop cannot report a failure.
        let _ = self.end();
    }
}
