//! The functions of HDF4 that a bench uses, looked up when its libraries are loaded: libmfhdf with its scientific datasets
//! (SD), and libdf beside it with its tables (Vdata). Their types are those of `mfhdf.h` and `hproto.h` of HDF 4.2. Both count
//! in 32 bits.

use crate::error::{EngineError, unsupported};
use crate::library::call::{Handle, functions, open};
use crate::library::load::{c_path, load};
use crate::storage::{Kind, Scalar};
use libloading::os::unix::{RTLD_GLOBAL, RTLD_LOCAL};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::rc::Rc;

functions! {
    /// Those of libmfhdf, then those of libdf.
    struct Functions {
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
pub(super) struct ChunkDefinition {
    pub(super) lengths: [i32; RANK_MAX],
    pub(super) coder: i32,
    pub(super) model: i32,
    /// The union of the coders' parameters (five integers at most), and that of the models' (two, and a pointer).
    pub(super) parameters: [i32; 10],
}

/// `H4_MAX_VAR_DIMS`
pub(super) const RANK_MAX: usize = 32;
pub(super) const READ: c_int = 1;
pub(super) const CREATE: c_int = 4;
pub(super) const FAIL: i32 = -1;
/// `DFE_NONE`
const NO_ERROR: i16 = 0;
/// More than the library's stack of errors holds.
const ERRORS_MAX: i32 = 64;
/// Room for what has at most as many bytes as the name of an attribute: `H4_MAX_NC_NAME`, 256, and the end of a string.
pub(super) const NAME_BYTES: usize = 512;

/// A loaded HDF4. Not for several threads.
#[derive(Clone)]
pub(in crate::library) struct Hdf4 {
    pub(super) functions: Rc<Functions>,
}

/// An open file or dataset.
pub(super) type Id = Handle<Hdf4, i32>;

impl Hdf4 {
    /// Loads the libmfhdf at a path, and the libdf beside it.
    pub(in crate::library) fn load(path: &Path) -> Result<Self, EngineError> {
        // libmfhdf does not always say that it needs libdf: it is there for all when libmfhdf looks.
        let base = beside(path).map(|base| load(&base, RTLD_GLOBAL)).transpose()?;
        let library = load(path, RTLD_LOCAL)?;
        // SAFETY: libraries with all these names are those of HDF4.
        let functions = unsafe { Functions::find(&[library, base.unwrap_or(library)]) }?;
        Ok(Self { functions: Rc::new(functions) })
    }

    /// Its release, such as `4.2.14`.
    pub(super) fn release(&self) -> String {
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        let mut words = [0 as c_char; NAME_BYTES];
        // SAFETY: places for three numbers, and for a line of text of less than a hundred bytes.
        unsafe {
            (self.functions.Hgetlibversion)(&mut major, &mut minor, &mut patch, words.as_mut_ptr());
        }
        format!("{major}.{minor}.{patch}")
    }

    /// Fails where a function answered that it failed.
    pub(super) fn checked(&self, call: &'static str, answered: i32) -> Result<i32, EngineError> {
        if answered != FAIL {
            return Ok(answered);
        }
        // Level 1 is what was noted last, by the function that was called; the innermost was the first to fail.
        // SAFETY: plain calls; a string for every number, which lives as long as the library.
        let why = unsafe {
            let codes = (1..=ERRORS_MAX).map(|level| (self.functions.HEvalue)(level));
            let innermost = codes.take_while(|code| *code != NO_ERROR).last();
            let words = innermost.map(|code| (self.functions.HEstring)(code.into()));
            let words = words.filter(|words| !words.is_null());
            words.map(|words| CStr::from_ptr(words).to_string_lossy().into_owned())
        };
        Err(EngineError::Call { call, why: why.unwrap_or_else(|| "no reason given".to_owned()) })
    }

    /// Opens or creates a file of scientific datasets.
    pub(super) fn file(&self, path: &Path, access: c_int) -> Result<Rc<Id>, EngineError> {
        let path = c_path(path)?;
        // SAFETY: a string.
        unsafe { open!(self.SDstart(path.as_ptr(), access), SDend) }.map(Rc::new)
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
pub(super) fn narrow(number: u64) -> Result<i32, EngineError> {
    i32::try_from(number)
        .or_else(|_| unsupported(format!("HDF4 counts in 32 bits, which {number} is beyond")))
}

pub(super) const CHARACTERS: i32 = 4;
pub(super) const DOUBLE: i32 = 6;

/// HDF4's number of a type in the file.
pub(super) fn number_of(scalar: Scalar) -> Result<i32, EngineError> {
    const LITTLE_ENDIAN: i32 = 0x4000;
    let number = match (scalar.kind, scalar.bytes) {
        (Kind::Text, 1) => CHARACTERS,
        (Kind::Float, 4) => 5,
        (Kind::Float, 8) => DOUBLE,
        (Kind::Signed, 1) => 20,
        (Kind::Unsigned, 1) => 21,
        (Kind::Signed, 2) => 22,
        (Kind::Unsigned, 2) => 23,
        (Kind::Signed, 4) => 24,
        (Kind::Unsigned, 4) => 25,
        _ => {
            return unsupported(format!(
                "HDF4 has no type {scalar}: numbers have up to 32 bits, floats up to 64, text is S1"
            ));
        }
    };
    let is_little = scalar.bytes > 1 && !scalar.is_big_endian;
    Ok(if is_little { number | LITTLE_ENDIAN } else { number })
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
