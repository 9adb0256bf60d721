//! A netCDF-C of the user's.

use super::interface::{EngineError, OpenDataset, OpenOptions};
use crate::library::{Counter, Counts, Netcdf, NetcdfVariable};
use crate::study::{Block, FilterSpec, Storage};
use hyperslab_doctor::simulate::CacheSettings;
use std::path::Path;

struct Open {
    variable: NetcdfVariable,
    counter: Option<Counter>,
}

pub(super) fn open(
    library: &Netcdf,
    file: &Path,
    dataset: &str,
    options: &OpenOptions,
    counted: Option<&[u16]>,
) -> Result<Box<dyn OpenDataset>, EngineError> {
    no_page_buffer(options)?;
    let counter = counted.and_then(|filters| count(library, filters));
    let variable = library.open(file, dataset, options.cache)?;
    Ok(Box::new(Open { variable, counter }))
}

pub(super) fn create(
    library: &Netcdf,
    file: &Path,
    dataset: &str,
    storage: &Storage,
    options: &OpenOptions,
) -> Result<Box<dyn OpenDataset>, EngineError> {
    no_page_buffer(options)?;
    let filters: Vec<u16> = storage.filters.iter().map(FilterSpec::id).collect();
    let counter = count(library, &filters);
    let variable = library.create(file, dataset, storage, options.cache)?;
    Ok(Box::new(Open { variable, counter }))
}

/// What netCDF-C decodes and encodes goes through the libhdf5 that it came with.
fn count(library: &Netcdf, filters: &[u16]) -> Option<Counter> {
    library.hdf5()?.count(filters)
}

fn no_page_buffer(options: &OpenOptions) -> Result<(), EngineError> {
    match options.page_buffer {
        None => Ok(()),
        Some(_) => Err(EngineError::Unsupported("netCDF-C has no page buffer to set".to_owned())),
    }
}

impl OpenDataset for Open {
    fn element_bytes(&self) -> usize {
        self.variable.element_bytes()
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        Ok(self.variable.read(block, out)?)
    }

    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError> {
        Ok(self.variable.write(block, values)?)
    }

    fn counts(&self) -> Option<Counts> {
        self.counter.as_ref().map(Counter::counts)
    }

    fn cache(&self) -> Result<Option<CacheSettings>, EngineError> {
        Ok(self.variable.cache()?)
    }

    fn close(self: Box<Self>) -> Result<Option<Counts>, EngineError> {
        self.variable.close()?;
        Ok(self.counter.as_ref().map(Counter::counts))
    }
}
