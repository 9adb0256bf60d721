//! Groups and attributes of a libhdf5, and walks over all objects of a file.

use super::api::{Api, DEFAULT, Id};
use super::handle::{Handle, check};
use super::hdf5::{Hdf5Dataset, Hdf5File};
use super::{LibraryError, c_name};
use crate::study::Attribute;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::rc::Rc;

const BY_NAME: c_int = 0;
const INCREASING: c_int = 0;
const SPACE_NULL: c_int = 2;
/// `H5I_GROUP` and `H5I_DATASET`
const GROUP: c_int = 2;
const DATASET: c_int = 5;

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

    /// Goes over all groups, datasets and their attributes, each once, by name, a group before what lies in it.
    pub fn visit(&self, each: Each<'_>) -> Result<(), LibraryError> {
        /// `H5O_INFO_BASIC`
        const BASIC: c_uint = 1;
        let api = self.handle.api.clone();
        let f = &api.functions;
        let mut walk = Walk { api: api.clone(), each, value: Vec::new(), failure: None };
        let (id, walking) = (self.handle.id, std::ptr::from_mut(&mut walk).cast());
        // The callback does not look at what these hand over of each object, which differs between them.
        let (newest, oldest) = (f.H5Ovisit3.or(f.H5Ovisit2), f.H5Ovisit1.or(f.H5Ovisit));
        // SAFETY: an open file, a callback of the type that is wanted, and what it needs, which outlives the call.
        let answered = unsafe {
            match (newest, oldest) {
                (Some(visit), _) => visit(id, BY_NAME, INCREASING, each_object, walking, BASIC),
                (None, Some(visit)) => visit(id, BY_NAME, INCREASING, each_object, walking),
                (None, None) => return Err(LibraryError::Missing("H5Ovisit")),
            }
        };
        match walk.failure {
            Some(failure) => Err(failure),
            None => check(&api, "H5Ovisit", answered),
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
    /// Its extent; none where it has no elements at all.
    pub fn shape(&self) -> Result<Option<Vec<u64>>, LibraryError> {
        let f = &self.handle.api.functions;
        // SAFETY: an open dataspace, and room for so many dimensions.
        unsafe {
            if (f.H5Sget_simple_extent_type)(self.file_space.id) == SPACE_NULL {
                return Ok(None);
            }
            let rank = (f.H5Sget_simple_extent_ndims)(self.file_space.id);
            check(&self.handle.api, "H5Sget_simple_extent_ndims", rank)?;
            let mut shape = vec![0; rank as usize];
            let dims = shape.as_mut_ptr();
            let answered = (f.H5Sget_simple_extent_dims)(self.file_space.id, dims, std::ptr::null_mut());
            check(&self.handle.api, "H5Sget_simple_extent_dims", answered)?;
            Ok(Some(shape))
        }
    }

    /// True where an element is all there is of it.
    pub fn has_fixed_elements(&self) -> Result<bool, LibraryError> {
        let api = &self.handle.api;
        let f = &api.functions;
        // SAFETY: an open dataset.
        let answered = unsafe { (f.H5Dget_type)(self.handle.id) };
        is_fixed(&Handle::new(api, "H5Dget_type", answered, f.H5Tclose)?)
    }

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
            Attribute::Text(text) => (known.H5T_C_S1_g, text.clone().into_bytes()),
            Attribute::Number(number) => (known.H5T_NATIVE_DOUBLE_g, number.to_ne_bytes().to_vec()),
        };
        // SAFETY: a predefined type; a copy of it may be changed; an open object, and a value of that type.
        unsafe {
            let copied = (f.H5Tcopy)(predefined);
            let datatype = Handle::new(api, "H5Tcopy", copied, f.H5Tclose)?;
            if matches!(value, Attribute::Text(_)) {
                let answered = (f.H5Tset_size)(datatype.id, bytes.len().max(1));
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

/// A walk under way.
struct Walk<'a> {
    api: Rc<Api>,
    each: Each<'a>,
    value: Vec<u8>,
    failure: Option<LibraryError>,
}

impl Walk<'_> {
    fn object(&mut self, above: Id, name: &CStr) -> Result<(), LibraryError> {
        // SAFETY: an open group, and the name of an object in it.
        let opened = unsafe { (self.api.functions.H5Oopen)(above, name.as_ptr(), DEFAULT) };
        let object = Handle::new(&self.api, "H5Oopen", opened, self.api.functions.H5Oclose)?;
        let text = name.to_string_lossy();
        let path = if text == "." { "" } else { &*text };
        // SAFETY: an open identifier.
        match unsafe { (self.api.functions.H5Iget_type)(object.id) } {
            GROUP => (self.each)(Visited::Group { path })?,
            DATASET => (self.each)(Visited::Dataset { path })?,
            _ => return Ok(()),
        }
        let mut from = 0;
        // SAFETY: an open object, a callback of the type that is wanted, and what it needs, which outlives the call.
        let answered = unsafe {
            let walking = std::ptr::from_mut(self).cast();
            (self.api.functions.H5Aiterate2)(
                object.id,
                BY_NAME,
                INCREASING,
                &mut from,
                each_attribute,
                walking,
            )
        };
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => check(&self.api, "H5Aiterate2", answered),
        }
    }

    fn attribute(&mut self, object: Id, name: &CStr) -> Result<(), LibraryError> {
        let (api, f) = (&self.api, &self.api.functions);
        self.value.clear();
        // SAFETY: an open object, and the name of its attribute; room for all its elements in the file's type.
        unsafe {
            let opened = (f.H5Aopen)(object, name.as_ptr(), DEFAULT);
            let attribute = Handle::new(api, "H5Aopen", opened, f.H5Aclose)?;
            let datatype = Handle::new(api, "H5Aget_type", (f.H5Aget_type)(attribute.id), f.H5Tclose)?;
            let space = Handle::new(api, "H5Aget_space", (f.H5Aget_space)(attribute.id), f.H5Sclose)?;
            if is_fixed(&datatype)? {
                let elements = (f.H5Sget_simple_extent_npoints)(space.id).max(0) as usize;
                let bytes = elements.saturating_mul((f.H5Tget_size)(datatype.id));
                self.value.try_reserve_exact(bytes).map_err(|_| {
                    LibraryError::Unsupported(format!("no memory for an attribute of {bytes} bytes"))
                })?;
                self.value.resize(bytes, 0);
                if bytes > 0 {
                    let to = self.value.as_mut_ptr().cast();
                    check(api, "H5Aread", (f.H5Aread)(attribute.id, datatype.id, to))?;
                }
            }
        }
        (self.each)(Visited::Attribute { name: &name.to_string_lossy(), value: &self.value })
    }
}

/// True where elements of a type lead to nothing that lies elsewhere.
fn is_fixed(datatype: &Handle) -> Result<bool, LibraryError> {
    const STRING: c_int = 3;
    const COMPOUND: c_int = 6;
    const REFERENCE: c_int = 7;
    const VARIABLE: c_int = 9;
    const ARRAY: c_int = 10;
    let api = &datatype.api;
    let f = &api.functions;
    // SAFETY: an open type, and its members by number.
    unsafe {
        match (f.H5Tget_class)(datatype.id) {
            STRING => Ok((f.H5Tis_variable_str)(datatype.id) == 0),
            REFERENCE | VARIABLE => Ok(false),
            ARRAY => {
                let base = (f.H5Tget_super)(datatype.id);
                is_fixed(&Handle::new(api, "H5Tget_super", base, f.H5Tclose)?)
            }
            COMPOUND => {
                for number in 0..(f.H5Tget_nmembers)(datatype.id).max(0) as c_uint {
                    let member = (f.H5Tget_member_type)(datatype.id, number);
                    let member = Handle::new(api, "H5Tget_member_type", member, f.H5Tclose)?;
                    if !is_fixed(&member)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(true),
        }
    }
}

unsafe extern "C" fn each_object(
    above: Id,
    name: *const c_char,
    _: *const c_void,
    walk: *mut c_void,
) -> c_int {
    // SAFETY: libhdf5 hands over the pointer that it was given, a string, and an open identifier.
    let (walk, name) = unsafe { (&mut *walk.cast::<Walk<'_>>(), CStr::from_ptr(name)) };
    let done = walk.api.id(above).map_or(Ok(()), |above| walk.object(above, name));
    went(walk, done)
}

unsafe extern "C" fn each_attribute(
    object: Id,
    name: *const c_char,
    _: *const c_void,
    walk: *mut c_void,
) -> c_int {
    // SAFETY: as above.
    let (walk, name) = unsafe { (&mut *walk.cast::<Walk<'_>>(), CStr::from_ptr(name)) };
    let done = walk.api.id(object).map_or(Ok(()), |object| walk.attribute(object, name));
    went(walk, done)
}

/// What a callback answers with: going on, or ending the walk with its failure kept.
fn went(walk: &mut Walk<'_>, done: Result<(), LibraryError>) -> c_int {
    match done {
        Ok(()) => 0,
        Err(failure) => {
            walk.failure = Some(failure);
            -1
        }
    }
}
