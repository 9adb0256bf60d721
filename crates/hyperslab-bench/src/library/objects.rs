//! Groups and attributes of a libhdf5, and walks over all objects of a file.

use super::api::{DEFAULT, Id};
use super::datatype::{copy, is_fixed};
use super::handle::{Handle, check};
use super::hdf5::{Hdf5, Hdf5Dataset, Hdf5File};
use super::{LibraryError, c_name};
use crate::buffer::reserve;
use crate::study::{Attribute, Records};
use hyperslab_doctor::simulate::CacheSettings;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};

const BY_NAME: c_int = 0;
const INCREASING: c_int = 0;
/// `H5O_type_t`
const GROUP: c_int = 0;
const DATASET: c_int = 1;

/// Something that a walk came by, with its path from where the walk began.
pub enum Visited<'a> {
    /// A group; the first has an empty path.
    Group {
        /// Its path.
        path: &'a str,
    },
    /// A dataset.
    Dataset {
        /// Its path.
        path: &'a str,
        /// It, open.
        dataset: &'a mut Hdf5Dataset,
    },
    /// An attribute of the object that was told of last.
    Attribute {
        /// Its name.
        name: &'a str,
        /// Its bytes as in the file; none of types that lead to what lies elsewhere.
        value: &'a [u8],
    },
}

type Each<'a> = &'a mut dyn FnMut(Visited<'_>) -> Result<(), LibraryError>;

impl Hdf5File {
    /// Makes a group with attributes; that in which it lies is there.
    pub fn create_group(&self, path: &str, attributes: &[(String, Attribute)]) -> Result<(), LibraryError> {
        let (api, f) = (&self.handle.api, &self.handle.api.functions);
        let name = c_name(path)?;
        // SAFETY: an open file, and a string.
        let made = unsafe { (f.H5Gcreate2)(self.handle.id, name.as_ptr(), DEFAULT, DEFAULT, DEFAULT) };
        let group = Handle::new(api, "H5Gcreate2", made, f.H5Gclose)?;
        write_attributes(&group, attributes)?;
        group.close("H5Gclose")
    }

    /// Goes over all groups, datasets and their attributes, each once, by name, a group before what lies in it. Datasets
    /// are opened once, with a chunk cache of their own or the library's default.
    pub fn visit(&self, cache: Option<CacheSettings>, each: Each<'_>) -> Result<(), LibraryError> {
        /// `H5O_INFO_BASIC`
        const BASIC: c_uint = 1;
        let (library, f) = (self.library(), &self.handle.api.functions);
        let access = library.access(cache)?;
        let mut walk = ObjectWalk { library, access, each, buffer: Vec::new(), failure: None };
        let (id, walking) = (self.handle.id, std::ptr::from_mut(&mut walk).cast());
        // SAFETY: an open file, a callback that takes what the function tells of an object, and what the callback needs,
        // which outlives the call.
        let answered = unsafe {
            if let Some(visit) = f.H5Ovisit3 {
                visit(id, BY_NAME, INCREASING, each_object::<Token>, walking, BASIC)
            } else if let Some(visit) = f.H5Ovisit2 {
                visit(id, BY_NAME, INCREASING, each_object::<Address>, walking, BASIC)
            } else if let Some(visit) = f.H5Ovisit1.or(f.H5Ovisit) {
                visit(id, BY_NAME, INCREASING, each_object::<Address>, walking)
            } else {
                return Err(LibraryError::Missing("H5Ovisit"));
            }
        };
        match walk.failure {
            Some(failure) => Err(failure),
            None => check(&self.handle.api, "H5Ovisit", answered),
        }
    }

    /// Accesses, hits, misses, evictions and bypasses of the page buffer, of metadata and of raw data; none where there
    /// is no page buffer.
    pub fn page_buffer(&self) -> Option<[[c_uint; 2]; 5]> {
        let get = self.handle.api.functions.H5Fget_page_buffering_stats?;
        let mut counts = [[0; 2]; 5];
        let [accesses, hits, misses, evictions, bypasses] = &mut counts;
        // SAFETY: an open file, and places for two numbers each. It fails where there is no page buffer.
        let answered = unsafe {
            get(
                self.handle.id,
                accesses.as_mut_ptr(),
                hits.as_mut_ptr(),
                misses.as_mut_ptr(),
                evictions.as_mut_ptr(),
                bypasses.as_mut_ptr(),
            )
        };
        (answered >= 0).then_some(counts)
    }
}

impl Hdf5Dataset {
    /// Adds attributes.
    pub fn write_attributes(&self, attributes: &[(String, Attribute)]) -> Result<(), LibraryError> {
        write_attributes(&self.handle, attributes)
    }
}

fn write_attributes(object: &Handle, attributes: &[(String, Attribute)]) -> Result<(), LibraryError> {
    let (api, f, known) = (&object.api, &object.api.functions, &object.api.constants);
    for (name, value) in attributes {
        let name = c_name(name)?;
        let (predefined, bytes) = match value {
            // A text has one byte at least, which is zero where there is nothing.
            Attribute::Text(text) if text.is_empty() => (known.H5T_C_S1_g, vec![0]),
            Attribute::Text(text) => (known.H5T_C_S1_g, text.clone().into_bytes()),
            Attribute::Number(number) => (known.H5T_NATIVE_DOUBLE_g, number.to_ne_bytes().to_vec()),
        };
        // SAFETY: a predefined type; a copy of it may be changed; an open object, and a value of that type.
        unsafe {
            let datatype = copy(api, predefined)?;
            if matches!(value, Attribute::Text(_)) {
                let answered = (f.H5Tset_size)(datatype.id, bytes.len());
                check(api, "H5Tset_size", answered)?;
            }
            let space = Handle::new(api, "H5Screate", (f.H5Screate)(0), f.H5Sclose)?;
            let made = (f.H5Acreate2)(object.id, name.as_ptr(), datatype.id, space.id, DEFAULT, DEFAULT);
            let attribute = Handle::new(api, "H5Acreate2", made, f.H5Aclose)?;
            check(api, "H5Awrite", (f.H5Awrite)(attribute.id, datatype.id, bytes.as_ptr().cast()))?;
            attribute.close("H5Aclose")?;
        }
    }
    Ok(())
}

/// The beginning of what is told of an object that a walk comes by, which names its place in the file: `H5O_info1_t` by an
/// address, `H5O_info2_t`, which came with 1.12, by a token.
#[repr(C)]
struct ObjectInfo<Place> {
    _file: c_ulong,
    _place: Place,
    kind: c_int,
}

type Address = u64;
type Token = [u8; 16];

/// A walk under way.
struct ObjectWalk<'a> {
    library: Hdf5,
    access: Option<Handle>,
    each: Each<'a>,
    buffer: Vec<u8>,
    failure: Option<LibraryError>,
}

impl ObjectWalk<'_> {
    fn object(&mut self, above: Id, name: &CStr, kind: c_int) -> Result<(), LibraryError> {
        let text = name.to_string_lossy();
        let path = if text == "." { "" } else { &*text };
        match kind {
            GROUP => {
                let (api, f) = (&self.library.api, &self.library.api.functions);
                // SAFETY: an open group, and the name of an object in it.
                let opened = unsafe { (f.H5Oopen)(above, name.as_ptr(), DEFAULT) };
                let group = Handle::new(api, "H5Oopen", opened, f.H5Oclose)?;
                (self.each)(Visited::Group { path })?;
                self.attributes(&group)
            }
            DATASET => {
                let mut dataset = self.library.dataset(above, name, &self.access, &Records::default())?;
                (self.each)(Visited::Dataset { path, dataset: &mut dataset })?;
                self.attributes(&dataset.handle)
            }
            _ => Ok(()),
        }
    }

    fn attributes(&mut self, object: &Handle) -> Result<(), LibraryError> {
        let mut from = 0;
        // SAFETY: an open object, a callback of the type that is wanted, and what it needs, which outlives the call.
        let answered = unsafe {
            let walking = std::ptr::from_mut(self).cast();
            let iterate = object.api.functions.H5Aiterate2;
            iterate(object.id, BY_NAME, INCREASING, &mut from, each_attribute, walking)
        };
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => check(&object.api, "H5Aiterate2", answered),
        }
    }

    fn attribute(&mut self, object: Id, name: &CStr) -> Result<(), LibraryError> {
        let (api, f) = (&self.library.api, &self.library.api.functions);
        let mut value: &mut [u8] = &mut [];
        // SAFETY: an open object, and the name of its attribute; room for all its elements in the file's type.
        unsafe {
            let opened = (f.H5Aopen)(object, name.as_ptr(), DEFAULT);
            let attribute = Handle::new(api, "H5Aopen", opened, f.H5Aclose)?;
            let datatype = Handle::new(api, "H5Aget_type", (f.H5Aget_type)(attribute.id), f.H5Tclose)?;
            let space = Handle::new(api, "H5Aget_space", (f.H5Aget_space)(attribute.id), f.H5Sclose)?;
            if is_fixed(&datatype)? {
                let elements = (f.H5Sget_simple_extent_npoints)(space.id).max(0) as usize;
                let bytes = elements.saturating_mul((f.H5Tget_size)(datatype.id));
                value = reserve(&mut self.buffer, bytes as u64)?;
                if bytes > 0 {
                    let to = value.as_mut_ptr().cast();
                    check(api, "H5Aread", (f.H5Aread)(attribute.id, datatype.id, to))?;
                }
            }
        }
        (self.each)(Visited::Attribute { name: &name.to_string_lossy(), value })
    }
}

unsafe extern "C" fn each_object<Place>(
    above: Id,
    name: *const c_char,
    info: *const c_void,
    walk: *mut c_void,
) -> c_int {
    // SAFETY: libhdf5 hands over the pointer that it was given, a string, an open identifier, and what this function of it
    // tells of an object.
    let (walk, name, info) = unsafe {
        (&mut *walk.cast::<ObjectWalk<'_>>(), CStr::from_ptr(name), &*info.cast::<ObjectInfo<Place>>())
    };
    let above = walk.library.api.id(above);
    let done = above.map_or(Ok(()), |above| walk.object(above, name, info.kind));
    callback_result(walk, done)
}

unsafe extern "C" fn each_attribute(
    object: Id,
    name: *const c_char,
    _: *const c_void,
    walk: *mut c_void,
) -> c_int {
    // SAFETY: as above.
    let (walk, name) = unsafe { (&mut *walk.cast::<ObjectWalk<'_>>(), CStr::from_ptr(name)) };
    let object = walk.library.api.id(object);
    let done = object.map_or(Ok(()), |object| walk.attribute(object, name));
    callback_result(walk, done)
}

/// What a callback answers with: going on, or ending the walk with its failure kept.
fn callback_result(walk: &mut ObjectWalk<'_>, done: Result<(), LibraryError>) -> c_int {
    match done {
        Ok(()) => 0,
        Err(failure) => {
            walk.failure = Some(failure);
            -1
        }
    }
}
