//! Files of many objects: groups and datasets with attributes are created, or all of them visited.

use super::api::{DEFAULT, Hid, Id};
use super::dataset::Dataset;
use super::property::{access, id_of, page_buffer, space};
use super::{create, datatype};
use crate::buffer::reserve;
use crate::error::EngineError;
use crate::interface::{Creator, Event, OpenDataset, Opened, PageBuffer, Visitor, read_wanted};
use crate::library::call::{call, close_last, open};
use crate::library::load::c_name;
use crate::object::{Attribute, Wanted};
use crate::storage::{CreationProperties, Memory, Records};
use hyperslab_storage::CacheSettings;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::rc::Rc;

const BY_NAME: c_int = 0;
const INCREASING: c_int = 0;
/// `H5O_type_t`
const GROUP: c_int = 0;
const DATASET: c_int = 1;

/// A file that is filled with objects.
pub(super) struct Made {
    pub(super) file: Rc<Hid>,
    pub(super) storage: CreationProperties,
}

impl Creator for Made {
    fn group(&mut self, path: &str, attributes: &[(String, Attribute)]) -> Result<(), EngineError> {
        let (api, name) = (&self.file.library, c_name(path)?);
        // SAFETY: an open file, and a string.
        let group = unsafe {
            open!(api.H5Gcreate2(self.file.id, name.as_ptr(), DEFAULT, DEFAULT, DEFAULT), H5Gclose)
        }?;
        write_attributes(&group, attributes)?;
        group.close()
    }

    fn dataset(&mut self, path: &str, attributes: &[(String, Attribute)]) -> Opened<dyn OpenDataset> {
        let dataset = create::dataset(&self.file, path, &self.storage, None, Memory::AsStored)?;
        write_attributes(&dataset.handle, attributes)?;
        Ok(Box::new(dataset))
    }

    fn reopen(&mut self, path: &str) -> Opened<dyn OpenDataset> {
        let name = c_name(path)?;
        Ok(Box::new(Dataset::open(&self.file, self.file.id, &name, DEFAULT, &Records::default())?))
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        close_last(self.file)
    }
}

fn write_attributes(object: &Hid, attributes: &[(String, Attribute)]) -> Result<(), EngineError> {
    let api = &object.library;
    for (name, value) in attributes {
        let (name, mut bytes) = (c_name(name)?, value.bytes());
        let datatype = match value {
            Attribute::Number(_) => datatype::copy(api, api.constant("T_NATIVE_DOUBLE")?)?,
            Attribute::Text(_) => {
                // A text has one byte at least, which is zero where there is nothing.
                bytes.resize(bytes.len().max(1), 0);
                datatype::string(api, bytes.len())?
            }
        };
        let space = space(api, &[], false)?;
        // SAFETY: an open object, a string, and a value of that type.
        unsafe {
            let (name, id) = (name.as_ptr(), datatype.id);
            let attribute = open!(api.H5Acreate2(object.id, name, id, space.id, DEFAULT, DEFAULT), H5Aclose)?;
            call!(api.H5Awrite(attribute.id, id, bytes.as_ptr().cast()))?;
            attribute.close()?;
        }
    }
    Ok(())
}

/// A file of which all objects are visited, each dataset behind a chunk cache of its own or the library's default.
pub(super) struct Visited {
    pub(super) file: Rc<Hid>,
    pub(super) cache: Option<CacheSettings>,
}

impl Visitor for Visited {
    /// By name, a group before what lies in it.
    fn visit(&mut self, wanted: Wanted, seen: &mut dyn FnMut(Event<'_>)) -> Result<(), EngineError> {
        /// `H5O_INFO_BASIC`
        const BASIC: c_uint = 1;
        let api = &self.file.library;
        let access = access(api, self.cache)?;
        let file = self.file.clone();
        let mut walk = Walk { file, access, wanted, seen, buffer: Vec::new(), failure: None };
        let (id, walking) = (self.file.id, std::ptr::from_mut(&mut walk).cast());
        // SAFETY: an open file, a callback that takes what the function tells of an object, and what the callback needs,
        // which outlives the call.
        let done = unsafe {
            if api.functions.H5Ovisit3.is_some() {
                call!(api?.H5Ovisit3(id, BY_NAME, INCREASING, each_object::<Token>, walking, BASIC))
            } else if api.functions.H5Ovisit2.is_some() {
                call!(api?.H5Ovisit2(id, BY_NAME, INCREASING, each_object::<Address>, walking, BASIC))
            } else if api.functions.H5Ovisit1.is_some() {
                call!(api?.H5Ovisit1(id, BY_NAME, INCREASING, each_object::<Address>, walking))
            } else {
                call!(api?.H5Ovisit(id, BY_NAME, INCREASING, each_object::<Address>, walking))
            }
        };
        walk.failure.map_or(done.map(drop), Err)
    }

    fn page_buffer(&self) -> Option<PageBuffer> {
        page_buffer(&self.file)
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        close_last(self.file)
    }
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
struct Walk<'a> {
    file: Rc<Hid>,
    access: Option<Hid>,
    wanted: Wanted,
    seen: &'a mut dyn FnMut(Event<'_>),
    buffer: Vec<u8>,
    failure: Option<EngineError>,
}

impl Walk<'_> {
    fn object(&mut self, above: Id, name: &CStr, kind: c_int) -> Result<(), EngineError> {
        let text = name.to_string_lossy();
        let path = if text == "." { "" } else { &*text };
        match kind {
            GROUP => {
                let api = &self.file.library;
                // SAFETY: an open group, and the name of an object in it.
                let group = unsafe { open!(api.H5Oopen(above, name.as_ptr(), DEFAULT), H5Oclose) }?;
                (self.seen)(Event::Group { path });
                self.attributes(&group)
            }
            DATASET => {
                let (access, all) = (id_of(&self.access), Records::default());
                let mut dataset = Dataset::open(&self.file, above, name, access, &all)?;
                let shape = dataset.shape.clone();
                let values = match self.wanted {
                    Wanted::Places => dataset.chunk_places(&mut self.buffer)?,
                    Wanted::Nothing => &[],
                    Wanted::First | Wanted::All => {
                        let is_fixed = dataset.has_fixed_elements()?;
                        let readable = shape.as_deref().filter(|_| is_fixed);
                        read_wanted(&mut dataset, readable, self.wanted, &mut self.buffer)?
                    }
                };
                (self.seen)(Event::Dataset { path, shape: shape.as_deref(), values });
                self.attributes(&dataset.handle)
            }
            _ => Ok(()),
        }
    }

    fn attributes(&mut self, object: &Hid) -> Result<(), EngineError> {
        let (api, mut from, walking) = (&object.library, 0, std::ptr::from_mut(self).cast());
        // SAFETY: an open object, a callback of the type that is wanted, and what it needs, which outlives the call.
        let done = unsafe {
            call!(api.H5Aiterate2(object.id, BY_NAME, INCREASING, &mut from, each_attribute, walking))
        };
        self.failure.take().map_or(done.map(drop), Err)
    }

    fn attribute(&mut self, object: Id, name: &CStr) -> Result<(), EngineError> {
        let api = &self.file.library;
        let mut value: &mut [u8] = &mut [];
        // SAFETY: an open object, and the name of its attribute; room for all its elements in the file's type.
        unsafe {
            let attribute = open!(api.H5Aopen(object, name.as_ptr(), DEFAULT), H5Aclose)?;
            let datatype = open!(api.H5Aget_type(attribute.id), H5Tclose)?;
            let space = open!(api.H5Aget_space(attribute.id), H5Sclose)?;
            if datatype::is_fixed(&datatype)? {
                let elements = (api.functions.H5Sget_simple_extent_npoints)(space.id).max(0) as usize;
                let bytes = elements.saturating_mul(datatype::bytes(&datatype));
                value = reserve(&mut self.buffer, bytes as u64)?;
                if bytes > 0 {
                    call!(api.H5Aread(attribute.id, datatype.id, value.as_mut_ptr().cast()))?;
                }
            }
        }
        (self.seen)(Event::Attribute { name: &name.to_string_lossy(), value });
        Ok(())
    }

    /// What a callback answers with: going on, or ending the walk with its failure kept. `above` is as libhdf5 handed it
    /// over.
    fn step(&mut self, above: Id, work: impl FnOnce(&mut Self, Id) -> Result<(), EngineError>) -> c_int {
        let above = self.file.library.checked("H5Ovisit", above);
        match above.and_then(|above| work(self, above)) {
            Ok(()) => 0,
            Err(failure) => {
                self.failure = Some(failure);
                -1
            }
        }
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
    let (walk, name, info) =
        unsafe { (&mut *walk.cast::<Walk<'_>>(), CStr::from_ptr(name), &*info.cast::<ObjectInfo<Place>>()) };
    walk.step(above, |walk, above| walk.object(above, name, info.kind))
}

unsafe extern "C" fn each_attribute(
    object: Id,
    name: *const c_char,
    _: *const c_void,
    walk: *mut c_void,
) -> c_int {
    // SAFETY: as above.
    let (walk, name) = unsafe { (&mut *walk.cast::<Walk<'_>>(), CStr::from_ptr(name)) };
    walk.step(object, |walk, object| walk.attribute(object, name))
}
