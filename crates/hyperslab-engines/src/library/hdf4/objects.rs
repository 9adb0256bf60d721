//! Files of many scientific datasets, with attributes: created, and visited.

use super::api::{CHARACTERS, DOUBLE, Id, NAME_BYTES};
use super::dataset::{Dataset, bytes_of, find};
use crate::buffer::reserve;
use crate::error::{EngineError, unsupported};
use crate::interface::{Creator, Event, OpenDataset, Opened, Visitor, read_wanted, refuse_places};
use crate::library::call::{call, close_last};
use crate::library::load::c_name;
use crate::object::{Attribute, Wanted};
use crate::storage::CreationProperties;
use std::ffi::{CStr, c_char};
use std::rc::Rc;

/// A file that is filled with datasets.
pub(super) struct Made {
    pub(super) file: Rc<Id>,
    pub(super) storage: CreationProperties,
}

impl Creator for Made {
    fn group(&mut self, _: &str, _: &[(String, Attribute)]) -> Result<(), EngineError> {
        unsupported("scientific datasets of HDF4 lie in no groups")
    }

    fn dataset(&mut self, path: &str, attributes: &[(String, Attribute)]) -> Opened<dyn OpenDataset> {
        let dataset = Dataset::create(&self.file, path, &self.storage)?;
        let (library, id) = (&self.file.library, dataset.handle.id);
        for (name, value) in attributes {
            let (name, bytes, count) = (c_name(name)?, value.bytes(), value.count() as i32);
            let element = if matches!(value, Attribute::Text(_)) { CHARACTERS } else { DOUBLE };
            // SAFETY: an open dataset, a string, and so many values of that type.
            unsafe { call!(library.SDsetattr(id, name.as_ptr(), element, count, bytes.as_ptr().cast())) }?;
        }
        Ok(Box::new(dataset))
    }

    fn reopen(&mut self, path: &str) -> Opened<dyn OpenDataset> {
        match find(&self.file, path)? {
            Some(number) => Ok(Box::new(Dataset::open(&self.file, number)?)),
            None => unsupported(format!("{path} is not there to be written")),
        }
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        close_last(self.file)
    }
}

/// A file of which all datasets are visited.
pub(super) struct Visited(pub(super) Rc<Id>);

impl Visitor for Visited {
    fn visit(&mut self, wanted: Wanted, seen: &mut dyn FnMut(Event<'_>)) -> Result<(), EngineError> {
        refuse_places(wanted, "HDF4")?;
        seen(Event::Group { path: "" });
        let (library, mut datasets, mut attributes) = (&self.0.library, 0, 0);
        // SAFETY: an open file, and places for two numbers.
        unsafe { call!(library.SDfileinfo(self.0.id, &mut datasets, &mut attributes)) }?;
        let mut buffer = Vec::new();
        for number in 0..datasets {
            let mut dataset = Dataset::open(&self.0, number)?;
            if dataset.is_coordinate() {
                continue;
            }
            let shape = dataset.shape.clone();
            let values = read_wanted(&mut dataset, Some(&shape), wanted, &mut buffer)?;
            seen(Event::Dataset { path: &dataset.name, shape: Some(&shape), values });
            each_attribute(&dataset, &mut buffer, seen)?;
        }
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        close_last(self.0)
    }
}

/// Tells of every attribute: its name, and its value in the machine's byte order.
fn each_attribute(
    dataset: &Dataset,
    buffer: &mut Vec<u8>,
    seen: &mut dyn FnMut(Event<'_>),
) -> Result<(), EngineError> {
    let (library, id) = (&dataset.handle.library, dataset.handle.id);
    for number in 0..dataset.attributes {
        let mut name = [0 as c_char; NAME_BYTES];
        let (mut element, mut count) = (0, 0);
        // SAFETY: an open dataset, room for a name, and then for so many values of the type that was told.
        unsafe {
            call!(library.SDattrinfo(id, number, name.as_mut_ptr(), &mut element, &mut count))?;
            let value = reserve(buffer, bytes_of(element)? as u64 * count.max(0) as u64)?;
            call!(library.SDreadattr(id, number, value.as_mut_ptr().cast()))?;
            let name = CStr::from_ptr(name.as_ptr()).to_string_lossy();
            seen(Event::Attribute { name: &name, value });
        }
    }
    Ok(())
}
