//! Files of many variables in groups, with attributes: created, and visited.

use super::api::File;
use super::create;
use super::variable::{LAST_PLAIN_TYPE, Variable};
use crate::buffer::reserve;
use crate::error::{EngineError, unsupported};
use crate::interface::{Creator, Event, OpenDataset, Opened, Visitor, read_wanted, refuse_places};
use crate::library::call::{call, close_last};
use crate::library::load::c_name;
use crate::object::{Attribute, Wanted};
use crate::storage::CreationProperties;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int};
use std::rc::Rc;

/// `NC_GLOBAL`: the attributes of a file or group.
const GLOBAL: c_int = -1;
const CHARACTERS: c_int = 2;
const DOUBLE: c_int = 6;
/// `NC_MAX_NAME`, and the end of a string.
const NAME_BYTES: usize = 257;

/// A file that is filled with variables.
pub(super) struct Made {
    file: Rc<File>,
    storage: CreationProperties,
    /// The groups that were created, by path.
    groups: HashMap<String, c_int>,
    /// The dimensions that all variables share.
    dimensions: Option<Vec<c_int>>,
}

impl Made {
    pub(super) fn new(file: Rc<File>, storage: &CreationProperties) -> Self {
        let groups = HashMap::from([(String::new(), file.id)]);
        Self { file, storage: storage.clone(), groups, dimensions: None }
    }

    /// The group in which a path lies, and the name in it.
    fn above<'a>(&self, path: &'a str) -> Result<(c_int, &'a str), EngineError> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        match self.groups.get(folder) {
            Some(group) => Ok((*group, name)),
            None => unsupported(format!("no group {folder:?} was made")),
        }
    }

    fn write_attributes(
        &self,
        group: c_int,
        variable: c_int,
        attributes: &[(String, Attribute)],
    ) -> Result<(), EngineError> {
        let library = &self.file.library;
        for (name, value) in attributes {
            let (name, bytes, count) = (c_name(name)?, value.bytes(), value.count());
            let element = if matches!(value, Attribute::Text(_)) { CHARACTERS } else { DOUBLE };
            let (name, bytes) = (name.as_ptr(), bytes.as_ptr().cast());
            // SAFETY: an open group or variable, a string, and so many values of that type.
            unsafe { call!(library.nc_put_att(group, variable, name, element, count, bytes)) }?;
        }
        Ok(())
    }
}

impl Creator for Made {
    fn group(&mut self, path: &str, attributes: &[(String, Attribute)]) -> Result<(), EngineError> {
        let (above, name) = self.above(path)?;
        let (library, name, mut made) = (&self.file.library, c_name(name)?, 0);
        // SAFETY: an open group, a string, and a place for the answer.
        unsafe { call!(library.nc_def_grp(above, name.as_ptr(), &mut made)) }?;
        self.write_attributes(made, GLOBAL, attributes)?;
        self.groups.insert(path.to_owned(), made);
        Ok(())
    }

    fn dataset(&mut self, path: &str, attributes: &[(String, Attribute)]) -> Opened<dyn OpenDataset> {
        let (group, name) = self.above(path)?;
        let dimensions = match self.dimensions.take() {
            Some(dimensions) => dimensions,
            None => create::dimensions(&self.file, &self.storage)?,
        };
        let id = create::variable(&self.file.library, group, name, &self.storage, &dimensions)?;
        self.dimensions = Some(dimensions);
        self.write_attributes(group, id, attributes)?;
        Ok(Box::new(Variable::new(&self.file, group, id, None)?))
    }

    fn reopen(&mut self, _: &str) -> Opened<dyn OpenDataset> {
        unsupported("netCDF-C writes values here only where a variable is made")
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        close_last(self.file)
    }
}

/// A file of which all groups and variables are visited.
pub(super) struct Visited(pub(super) Rc<File>);

/// A walk under way.
struct Walk<'a> {
    file: &'a Rc<File>,
    wanted: Wanted,
    seen: &'a mut dyn FnMut(Event<'_>),
    buffer: Vec<u8>,
}

impl Visitor for Visited {
    fn visit(&mut self, wanted: Wanted, seen: &mut dyn FnMut(Event<'_>)) -> Result<(), EngineError> {
        refuse_places(wanted, "netCDF-C")?;
        Walk { file: &self.0, wanted, seen, buffer: Vec::new() }.group(self.0.id, "")
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        close_last(self.0)
    }
}

impl Walk<'_> {
    /// A group, then what lies in it.
    fn group(&mut self, group: c_int, path: &str) -> Result<(), EngineError> {
        let library = &self.file.library;
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        let (mut attributes, mut inner) = (0, 0);
        // SAFETY: an open group, places for counts, and then room for so many numbers and for the longest name.
        unsafe {
            (self.seen)(Event::Group { path });
            call!(library.nc_inq_natts(group, &mut attributes))?;
            self.attributes(group, GLOBAL, attributes)?;
            call!(library.nc_inq_varids(group, &mut inner, std::ptr::null_mut()))?;
            let mut variables = vec![0; inner.max(0) as usize];
            call!(library.nc_inq_varids(group, &mut inner, variables.as_mut_ptr()))?;
            for variable in variables {
                let name = named(|to| call!(library.nc_inq_varname(group, variable, to)))?;
                self.variable(group, variable, &below(&name))?;
            }
            call!(library.nc_inq_grps(group, &mut inner, std::ptr::null_mut()))?;
            let mut groups = vec![0; inner.max(0) as usize];
            call!(library.nc_inq_grps(group, &mut inner, groups.as_mut_ptr()))?;
            for inner in groups {
                let name = named(|to| call!(library.nc_inq_grpname(inner, to)))?;
                self.group(inner, &below(&name))?;
            }
        }
        Ok(())
    }

    fn variable(&mut self, group: c_int, id: c_int, path: &str) -> Result<(), EngineError> {
        let library = &self.file.library;
        let (mut rank, mut element, mut attributes) = (0, 0, 0);
        // SAFETY: an open variable, places for the answers, and room for so many dimensions.
        let shape = unsafe {
            call!(library.nc_inq_varndims(group, id, &mut rank))?;
            let mut dimensions = vec![0; rank.max(0) as usize];
            call!(library.nc_inq_vardimid(group, id, dimensions.as_mut_ptr()))?;
            call!(library.nc_inq_vartype(group, id, &mut element))?;
            call!(library.nc_inq_varnatts(group, id, &mut attributes))?;
            let length = |dimension: c_int| {
                let mut length = 0;
                call!(library.nc_inq_dimlen(group, dimension, &mut length))?;
                Ok(length as u64)
            };
            dimensions.into_iter().map(length).collect::<Result<Vec<u64>, EngineError>>()?
        };
        let mut values: &[u8] = &[];
        if element <= LAST_PLAIN_TYPE && self.wanted != Wanted::Nothing {
            let mut variable = Variable::new(self.file, group, id, None)?;
            values = read_wanted(&mut variable, Some(&shape), self.wanted, &mut self.buffer)?;
        }
        (self.seen)(Event::Dataset { path, shape: Some(&shape), values });
        self.attributes(group, id, attributes)
    }

    /// Tells of so many attributes of a group or variable: of each its name, and its value where its type is plain.
    fn attributes(&mut self, group: c_int, variable: c_int, count: c_int) -> Result<(), EngineError> {
        let library = &self.file.library;
        for number in 0..count {
            let (mut element, mut length, mut bytes) = (0, 0, 0);
            let mut value: &mut [u8] = &mut [];
            // SAFETY: an open group or variable, places for the answers, and room for so many values.
            let name = unsafe {
                let name = named(|to| call!(library.nc_inq_attname(group, variable, number, to)))?;
                let short = c_name(&name)?;
                call!(library.nc_inq_att(group, variable, short.as_ptr(), &mut element, &mut length))?;
                if element <= LAST_PLAIN_TYPE {
                    call!(library.nc_inq_type(group, element, std::ptr::null_mut(), &mut bytes))?;
                    value = reserve(&mut self.buffer, length.saturating_mul(bytes) as u64)?;
                    let to = value.as_mut_ptr().cast();
                    call!(library.nc_get_att(group, variable, short.as_ptr(), to))?;
                }
                name
            };
            (self.seen)(Event::Attribute { name: &name, value });
        }
        Ok(())
    }
}

/// A name that a call puts where it is told to.
fn named(inquire: impl FnOnce(*mut c_char) -> Result<c_int, EngineError>) -> Result<String, EngineError> {
    let mut place = [0 as c_char; NAME_BYTES];
    inquire(place.as_mut_ptr())?;
    // SAFETY: the library put a string there.
    Ok(unsafe { CStr::from_ptr(place.as_ptr()) }.to_string_lossy().into_owned())
}
