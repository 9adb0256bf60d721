//! Files of many scientific datasets by an HDF4 of the user's.

use crate::buffer::reserve;
use crate::engine::interface::{Creator, EngineError, Event, Visitor, refuse_places};
use crate::library::{Hdf4, Hdf4Dataset, Hdf4File};
use crate::study::{Attribute, Block, Storage, Wanted};
use std::path::Path;
use std::rc::Rc;

struct Made {
    file: Rc<Hdf4File>,
    storage: Storage,
}

struct Open(Rc<Hdf4File>);

pub(in crate::engine) fn make(
    library: &Hdf4,
    file: &Path,
    storage: &Storage,
) -> Result<Box<dyn Creator>, EngineError> {
    Ok(Box::new(Made { file: Rc::new(library.create(file)?), storage: storage.clone() }))
}

pub(in crate::engine) fn visit(library: &Hdf4, file: &Path) -> Result<Box<dyn Visitor>, EngineError> {
    Ok(Box::new(Open(Rc::new(library.open(file)?))))
}

fn close(file: Rc<Hdf4File>) -> Result<(), EngineError> {
    // This is the only reference to the file.
    Ok(Rc::into_inner(file).map_or(Ok(()), Hdf4File::close)?)
}

impl Made {
    fn write(&self, dataset: &mut Hdf4Dataset, values: &[u8]) -> Result<(), EngineError> {
        Ok(Block::whole(&self.storage.shape).map_or(Ok(()), |block| dataset.write(&block, values))?)
    }
}

impl Creator for Made {
    fn group(&mut self, _: &str, _: &[(String, Attribute)]) -> Result<(), EngineError> {
        Err(EngineError::Unsupported("scientific datasets of HDF4 lie in no groups".to_owned()))
    }

    fn dataset(
        &mut self,
        path: &str,
        attributes: &[(String, Attribute)],
        values: Option<&[u8]>,
    ) -> Result<(), EngineError> {
        let mut dataset = Hdf4Dataset::create(&self.file, path, &self.storage)?;
        if let Some(values) = values {
            self.write(&mut dataset, values)?;
        }
        dataset.write_attributes(attributes)?;
        Ok(dataset.close()?)
    }

    fn values(&mut self, path: &str, values: &[u8]) -> Result<(), EngineError> {
        let lost = || EngineError::Unsupported(format!("{path} is not there to be written"));
        let number = self.file.find(path)?.ok_or_else(lost)?;
        let mut dataset = Hdf4Dataset::open(&self.file, number)?;
        self.write(&mut dataset, values)?;
        Ok(dataset.close()?)
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        close(self.file)
    }
}

impl Visitor for Open {
    fn visit(&mut self, wanted: Wanted, seen: &mut dyn FnMut(Event<'_>)) -> Result<(), EngineError> {
        refuse_places(wanted, "HDF4")?;
        seen(Event::Group { path: "" });
        let mut buffer = Vec::new();
        for number in 0..self.0.datasets()? {
            let mut dataset = Hdf4Dataset::open(&self.0, number)?;
            if dataset.is_coordinate() {
                continue;
            }
            let mut values: &[u8] = &[];
            if let Some(block) = wanted.block(&dataset.shape) {
                let read = reserve(&mut buffer, block.bytes(dataset.element_bytes()))?;
                dataset.read(&block, read)?;
                values = read;
            }
            seen(Event::Dataset { path: &dataset.name, shape: Some(&dataset.shape), values });
            dataset.each_attribute(&mut |name, value| seen(Event::Attribute { name, value }))?;
        }
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        close(self.0)
    }
}
