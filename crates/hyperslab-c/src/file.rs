//! Files, and what is in their groups.

use crate::pointers::{given, put, put_owned, text};
use crate::status::{Status, run};
use crate::text::Strings;
use hyperslab::Object;
use std::ffi::c_char;
use std::path::Path;

/// A file. Given back by hs_close().
pub struct File(pub hyperslab::File);

/// A kind of objects.
#[repr(C)]
#[allow(non_camel_case_types)] // names of C
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A group.
    HS_GROUP = 0,
    /// A dataset.
    HS_DATASET = 1,
    /// A committed datatype.
    HS_DATATYPE = 2,
}

/// Opens a file: a path, or a URL (https://, s3://, gs://, az://).
///
/// # Safety
/// A text and a place for a pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_open(path: *const c_char, file: *mut *mut File) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let path = unsafe { text("path", path) }?;
        let opened = hyperslab_apps::files::open(Path::new(path))?;
        // SAFETY: as above.
        unsafe { put_owned("file", file, File(opened)) }
    })
}

/// Closes a file. Datasets that were opened remain open. A null pointer is nothing.
///
/// # Safety
/// Null, or a file that was not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_close(file: *mut File) {
    if !file.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(file) });
    }
}

/// The names in a group ("/" is the root), sorted by their bytes.
///
/// # Safety
/// A file that is open, a text and a place for a pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_list(
    file: *const File,
    group: *const c_char,
    names: *mut *mut Strings,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let (file, group) = unsafe { (given("file", file)?, text("group", group)?) };
        let links = file.0.group(group)?.links()?;
        let found = links.into_iter().map(|link| Ok(link?.name.as_bytes().to_vec()));
        let found: Vec<Vec<u8>> = found.collect::<hyperslab::Result<_>>()?;
        // SAFETY: as above.
        unsafe { put_owned("names", names, Strings::of(found)) }
    })
}

/// What is at a path.
///
/// # Safety
/// A file that is open, a text and a place for the kind, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_kind(file: *const File, path: *const c_char, kind: *mut Kind) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let (file, path) = unsafe { (given("file", file)?, text("path", path)?) };
        let found = match file.0.get(path)? {
            Object::Group(_) => Kind::HS_GROUP,
            Object::Dataset(_) => Kind::HS_DATASET,
            Object::Datatype(_) => Kind::HS_DATATYPE,
        };
        // SAFETY: as above.
        unsafe { put("kind", kind, found) }
    })
}
