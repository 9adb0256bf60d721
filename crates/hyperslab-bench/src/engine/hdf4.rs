//! An HDF4 of the user's: a scientific dataset, or a table where the elements are records.

use super::interface::{EngineError, OpenDataset, OpenOptions};
use crate::library::{Counts, Hdf4, Hdf4Dataset, Hdf4File, Hdf4Table};
use crate::study::{Block, Format, Kind, Layout, Storage};
use std::path::Path;
use std::rc::Rc;

struct Open {
    // Closed in this order.
    dataset: Hdf4Dataset,
    file: Rc<Hdf4File>,
}

struct Table(Hdf4Table);

pub(super) fn open(
    library: &Hdf4,
    file: &Path,
    dataset: &str,
    options: &OpenOptions,
) -> Result<Box<dyn OpenDataset>, EngineError> {
    nothing_to_set(options)?;
    let opened = Rc::new(library.open(file)?);
    let Some(number) = opened.find(dataset)? else {
        // The library keeps a file that is open twice apart no better than two programs do.
        drop(opened);
        return Ok(Box::new(Table(library.open_table(file, dataset, &options.records)?)));
    };
    if options.records.fields.is_some() {
        return Err(EngineError::Unsupported("the dataset has no records, so no fields".to_owned()));
    }
    Ok(Box::new(Open { dataset: Hdf4Dataset::open(&opened, number)?, file: opened }))
}

pub(super) fn create(
    library: &Hdf4,
    file: &Path,
    dataset: &str,
    storage: &Storage,
    options: &OpenOptions,
) -> Result<Box<dyn OpenDataset>, EngineError> {
    nothing_to_set(options)?;
    if storage.format != Format::Hdf4 {
        return Err(EngineError::Unsupported(format!("HDF4 writes no {} files", storage.format)));
    }
    if let Kind::Record(record) = storage.element.kind {
        if storage.chunks.is_some() || storage.shape.len() != 1 {
            return Err(EngineError::Unsupported(
                "a table of HDF4 has one dimension, and neither chunks nor filters".to_owned(),
            ));
        }
        let table = library.create_table(file, dataset, record, options.records.memory)?;
        return Ok(Box::new(Table(table)));
    }
    let file = Rc::new(library.create(file)?);
    Ok(Box::new(Open { dataset: Hdf4Dataset::create(&file, dataset, storage)?, file }))
}

fn nothing_to_set(options: &OpenOptions) -> Result<(), EngineError> {
    match (options.cache, options.page_buffer) {
        (None, None) => Ok(()),
        _ => Err(EngineError::Unsupported(
            "HDF4 has neither a cache of so many bytes nor a page buffer".to_owned(),
        )),
    }
}

impl OpenDataset for Open {
    fn element_bytes(&self) -> usize {
        self.dataset.element_bytes()
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        Ok(self.dataset.read(block, out)?)
    }

    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError> {
        Ok(self.dataset.write(block, values)?)
    }

    fn close(self: Box<Self>) -> Result<Option<Counts>, EngineError> {
        self.dataset.close()?;
        // This is the only reference to the file.
        Rc::into_inner(self.file).map_or(Ok(()), Hdf4File::close)?;
        Ok(None)
    }
}

impl OpenDataset for Table {
    fn element_bytes(&self) -> usize {
        self.0.layout().bytes
    }

    fn layout(&self) -> Result<Option<&Layout>, EngineError> {
        Ok(Some(self.0.layout()))
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        Ok(self.0.read(block, out)?)
    }

    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError> {
        Ok(self.0.write(block, values)?)
    }

    fn close(self: Box<Self>) -> Result<Option<Counts>, EngineError> {
        self.0.close()?;
        Ok(None)
    }
}
