//! Attributes of groups, datasets and committed datatypes.

use crate::element::{Class, Type, texts, turn};
use crate::file::File;
use crate::pointers::{given, memory, put, put_numbers, put_owned, text};
use crate::status::{Failure, Status, run};
use crate::text::Strings;
use hyperslab::{Attribute, Dataspace};
use std::ffi::{c_char, c_void};

/// # Safety
/// A file that is open and two texts, or null.
unsafe fn find(file: *const File, path: *const c_char, name: *const c_char) -> Result<Attribute, Failure> {
    // SAFETY: as the caller promises.
    let (file, path, name) = unsafe { (given("file", file)?, text("path", path)?, text("name", name)?) };
    Ok(file.0.get(path)?.attributes().get(name)?)
}

fn shape_of(attribute: &Attribute) -> &[u64] {
    match &attribute.dataspace {
        Dataspace::Simple { dims, .. } => dims,
        Dataspace::Null | Dataspace::Scalar => &[],
    }
}

/// The names of the attributes of the object at a path, sorted by their bytes. Given back by hs_strings_free().
///
/// # Safety
/// A file that is open, a text and a place for a pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_attributes(
    file: *const File,
    path: *const c_char,
    names: *mut *mut Strings,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let (file, path) = unsafe { (given("file", file)?, text("path", path)?) };
        let all = file.0.get(path)?.attributes().list()?;
        let found = all.into_iter().map(|attribute| Ok(attribute?.name.as_bytes().to_vec()));
        let found: Vec<Vec<u8>> = found.collect::<hyperslab::Result<_>>()?;
        // SAFETY: as above.
        unsafe { put_owned("names", names, Strings::of(found)) }
    })
}

/// The type and the number of dimensions of an attribute.
///
/// # Safety
/// A file that is open, two texts and places for both, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_attribute_type(
    file: *const File,
    path: *const c_char,
    name: *const c_char,
    type_: *mut Type,
    rank: *mut usize,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let attribute = unsafe { find(file, path, name) }?;
        // SAFETY: as above.
        unsafe {
            put("type", type_, Type::of(&attribute.datatype))?;
            put("rank", rank, shape_of(&attribute).len())
        }
    })
}

/// The extent of each dimension of an attribute.
///
/// # Safety
/// A file that is open, two texts and a place for each dimension, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_attribute_shape(
    file: *const File,
    path: *const c_char,
    name: *const c_char,
    shape: *mut u64,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let attribute = unsafe { find(file, path, name) }?;
        // SAFETY: as above.
        unsafe { put_numbers("shape", shape, shape_of(&attribute)) }
    })
}

/// Reads an attribute. Numbers are in the byte order of this machine. The buffer must have the size of what is read.
///
/// # Safety
/// A file that is open, two texts, and memory of this size, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_attribute_read(
    file: *const File,
    path: *const c_char,
    name: *const c_char,
    buffer: *mut c_void,
    bytes: usize,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let attribute = unsafe { find(file, path, name) }?;
        if Type::of(&attribute.datatype).class_ == Class::HS_TEXT {
            return Err(Failure::invalid(format!("{}: hs_attribute_text() reads text", attribute.name)));
        }
        // SAFETY: as above.
        let out = unsafe { memory(buffer.cast(), bytes, attribute.data.len()) }?;
        out.copy_from_slice(&attribute.data);
        turn(&attribute.datatype, out);
        Ok(())
    })
}

/// Reads an attribute that is text. Given back by hs_strings_free().
///
/// # Safety
/// A file that is open, two texts and a place for a pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_attribute_text(
    file: *const File,
    path: *const c_char,
    name: *const c_char,
    strings: *mut *mut Strings,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let attribute = unsafe { find(file, path, name) }?;
        // SAFETY: as above.
        let heap = unsafe { given("file", file) }?.0.heap();
        let texts = texts(&attribute.datatype, &attribute.data, heap)?;
        // SAFETY: as above.
        unsafe { put_owned("strings", strings, Strings::of(texts)) }
    })
}
