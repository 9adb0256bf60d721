//! An HDF4 of the user's: libmfhdf with its scientific datasets (SD), and libdf beside it with its tables (Vdata).
//!
//! The types of their functions are those of `mfhdf.h` and `hproto.h` of HDF 4.2. Both count in 32 bits.

mod dataset;
mod table;

pub use dataset::{Hdf4Dataset, Hdf4File};
pub use table::Hdf4Table;

use super::functions::functions;
use super::{LibraryError, load, load_for_others};
use crate::study::{Attribute, Element, Kind};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::rc::Rc;

functions! {
    /// libmfhdf.
    struct Datasets {
        SDstart(*const c_char, i32) -> i32;
        SDend(i32) -> c_int;
        SDcreate(i32, *const c_char, i32, i32, *mut i32) -> i32;
        SDselect(i32, i32) -> i32;
        SDnametoindex(i32, *const c_char) -> i32;
        SDfileinfo(i32, *mut i32, *mut i32) -> c_int;
        SDgetnamelen(i32, *mut u16) -> c_int;
        SDgetinfo(i32, *mut c_char, *mut i32, *mut i32, *mut i32, *mut i32) -> c_int;
        SDreaddata(i32, *mut i32, *mut i32, *mut i32, *mut c_void) -> c_int;
        SDwritedata(i32, *mut i32, *mut i32, *mut i32, *mut c_void) -> c_int;
        SDendaccess(i32) -> c_int;
        SDsetchunk(i32, ChunkDefinition, i32) -> c_int;
        SDsetfillvalue(i32, *mut c_void) -> c_int;
        SDsetfillmode(i32, c_int) -> c_int;
        SDsetattr(i32, *const c_char, i32, i32, *const c_void) -> c_int;
        SDattrinfo(i32, i32, *mut c_char, *mut i32, *mut i32) -> c_int;
        SDreadattr(i32, i32, *mut c_void) -> c_int;
        SDiscoordvar(i32) -> c_int;
    }
}

functions! {
    /// libdf.
    struct Tables {
        Hgetlibversion(*mut c_uint, *mut c_uint, *mut c_uint, *mut c_char) -> c_int;
        HEvalue(i32) -> i16;
        HEstring(c_int) -> *const c_char;
        Hopen(*const c_char, c_int, i16) -> i32;
        Hclose(i32) -> c_int;
        Vinitialize(i32) -> c_int;
        Vfinish(i32) -> c_int;
        VSattach(i32, i32, *const c_char) -> i32;
        VSdetach(i32) -> i32;
        VSfind(i32, *const c_char) -> i32;
        VSsetname(i32, *const c_char) -> i32;
        VSfdefine(i32, *const c_char, i32, i32) -> c_int;
        VSsetfields(i32, *const c_char) -> c_int;
        VSseek(i32, i32) -> i32;
        VSread(i32, *mut u8, i32, i32) -> i32;
        VSwrite(i32, *const u8, i32, i32) -> i32;
        VSfpack(i32, c_int, *const c_char, *mut c_void, c_int, c_int, *const c_char, *mut *mut c_void) -> c_int;
        VFnfields(i32) -> i32;
        VFfieldname(i32, i32) -> *const c_char;
        VFfieldisize(i32, i32) -> i32;
        VFfieldorder(i32, i32) -> i32;
    }
}

/// `HDF_CHUNK_DEF`: 32 lengths, what compresses the chunks, and the parameters of that.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub(crate) struct ChunkDefinition {
    lengths: [i32; RANK_MAX],
    coder: i32,
    model: i32,
    /// The union of the coders' parameters (five integers at most), and that of the models' (two, and a pointer).
    parameters: [i32; 10],
}

/// `H4_MAX_VAR_DIMS`
const RANK_MAX: usize = 32;
const READ: c_int = 1;
const CREATE: c_int = 4;
const FAIL: c_int = -1;
/// `DFE_NONE`
const NO_ERROR: i16 = 0;
/// More than the library's stack of errors holds.
const ERRORS_MAX: i32 = 64;
/// What stands for an identifier that was closed.
const CLOSED: i32 = -1;
/// Room for what has at most as many bytes as the name of an attribute: `H4_MAX_NC_NAME`, 256, and the end of a string.
const NAME_BYTES: usize = 512;

/// A loaded HDF4. Not for several threads.
#[derive(Clone)]
pub struct Hdf4 {
    datasets: Rc<Datasets>,
    tables: Rc<Tables>,
}

impl Hdf4 {
    /// Loads the libmfhdf at a path, and the libdf beside it.
    pub fn load(path: &Path) -> Result<Self, LibraryError> {
        // libmfhdf does not always say that it needs libdf: it is there for all when libmfhdf looks.
        let base = beside(path).map(|base| load_for_others(&base)).transpose()?;
        let library = load(path)?;
        // SAFETY: libraries with all these names are those of HDF4.
        let (datasets, tables) =
            unsafe { (Datasets::find(library)?, Tables::find(base.unwrap_or(library))?) };
        Ok(Self { datasets: Rc::new(datasets), tables: Rc::new(tables) })
    }

    /// Its release, such as `4.2.14`.
    pub fn version(&self) -> String {
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        let mut words = [0 as c_char; NAME_BYTES];
        // SAFETY: places for three numbers, and for a line of text of less than a hundred bytes.
        unsafe {
            (self.tables.Hgetlibversion)(&mut major, &mut minor, &mut patch, words.as_mut_ptr());
        }
        format!("{major}.{minor}.{patch}")
    }

    /// Fails where a function answered that it failed.
    fn check(&self, call: &'static str, answered: c_int) -> Result<c_int, LibraryError> {
        if answered != FAIL {
            return Ok(answered);
        }
        // Level 1 is what was noted last, by the function that was called; the innermost was the first to fail.
        // SAFETY: plain calls; a string for every number, which lives as long as the library.
        let why = unsafe {
            let codes = (1..=ERRORS_MAX).map(|level| (self.tables.HEvalue)(level));
            let innermost = codes.take_while(|code| *code != NO_ERROR).last();
            let words = innermost.map(|code| (self.tables.HEstring)(code.into()));
            let words = words.filter(|words| !words.is_null());
            words.map(|words| CStr::from_ptr(words).to_string_lossy().into_owned())
        };
        Err(LibraryError::Call { call, why: why.unwrap_or_else(|| "no reason given".to_owned()) })
    }
}

/// The libdf that belongs to a libmfhdf: `libdf-2848.so.0` beside `libmfhdf-38b3.so.0`, `libdfalt.so.0` beside
/// `libmfhdfalt.so.0`.
fn beside(path: &Path) -> Option<PathBuf> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = real.file_name()?.to_str()?.strip_prefix("libmfhdf")?.to_owned();
    let stem = if name.starts_with("alt") { "libdfalt" } else { "libdf" };
    let is_it = |file: &str| {
        let rest = file.strip_prefix(stem).unwrap_or_default();
        rest.starts_with(['.', '-']) && (rest.contains(".so") || rest.contains(".dylib"))
    };
    let mut found: Vec<PathBuf> = std::fs::read_dir(real.parent()?)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_it))
        .collect();
    found.sort();
    found.into_iter().next()
}

/// A number as HDF4 counts.
fn narrow(number: u64) -> Result<i32, LibraryError> {
    i32::try_from(number)
        .map_err(|_| LibraryError::Unsupported(format!("HDF4 counts in 32 bits, which {number} is beyond")))
}

/// HDF4's number of a type in the file.
fn number_of(element: Element) -> Result<i32, LibraryError> {
    const LITTLE_ENDIAN: i32 = 0x4000;
    let number = match (element.kind, element.bytes) {
        (Kind::Text, 1) => 4,
        (Kind::Float, 4) => 5,
        (Kind::Float, 8) => 6,
        (Kind::Signed, 1) => 20,
        (Kind::Unsigned, 1) => 21,
        (Kind::Signed, 2) => 22,
        (Kind::Unsigned, 2) => 23,
        (Kind::Signed, 4) => 24,
        (Kind::Unsigned, 4) => 25,
        _ => {
            return Err(LibraryError::Unsupported(format!(
                "HDF4 has no type {element}: numbers have up to 32 bits, floats up to 64, text is S1"
            )));
        }
    };
    let is_little = element.bytes > 1 && !element.is_big_endian;
    Ok(if is_little { number | LITTLE_ENDIAN } else { number })
}

/// An attribute's type in the file, and its value.
fn attribute(value: &Attribute) -> (i32, Vec<u8>, usize) {
    const CHARACTERS: i32 = 4;
    const DOUBLE: i32 = 6;
    match value {
        Attribute::Text(text) => (CHARACTERS, text.clone().into_bytes(), text.len()),
        Attribute::Number(number) => (DOUBLE, number.to_ne_bytes().to_vec(), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libdf_is_found_beside_its_libmfhdf() {
        let folder = tempfile::tempdir().unwrap();
        for name in
            ["libmfhdf-38b3.so.0", "libdf-2848.so.0.0.0", "libmfhdfalt.so.0", "libdfalt.so.0", "libdfx.so"]
        {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let base = |name: &str| beside(&folder.path().join(name)).unwrap();
        assert!(base("libmfhdf-38b3.so.0").ends_with("libdf-2848.so.0.0.0"));
        assert!(base("libmfhdfalt.so.0").ends_with("libdfalt.so.0"));
    }

    #[test]
    fn a_definition_of_chunks_has_the_size_of_the_librarys() {
        // 32 lengths, coder and model, five integers; two integers and a pointer, aligned as the pointer is.
        assert_eq!(size_of::<ChunkDefinition>(), (32 + 2 + 5 + 1) * 4 + 16);
    }
}
