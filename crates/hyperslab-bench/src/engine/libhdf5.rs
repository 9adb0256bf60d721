//! A libhdf5 of the user's.

use super::interface::{EngineError, OpenDataset, OpenOptions, PageBuffer};
use crate::library::{Counter, Counts, Found, Hdf5, Hdf5Dataset, Hdf5File};
use crate::study::{Block, FilterSpec, Format, Layout, Storage};
use std::path::Path;

struct Open {
    // Closed in this order.
    dataset: Hdf5Dataset,
    file: Hdf5File,
    counter: Option<Counter>,
}

/// Where libhdf5 looks for filters that are not its own.
const PLUGIN_VARIABLE: &str = "HDF5_PLUGIN_PATH";

/// Has the plug-ins found that came with a library, unless the user named some.
pub(super) fn name_plugins(found: &Found) {
    if let (Some(plugins), None) = (&found.plugins, std::env::var_os(PLUGIN_VARIABLE)) {
        // SAFETY: a process that runs one task has one thread at this point; libhdf5 reads it when it is loaded.
        unsafe { std::env::set_var(PLUGIN_VARIABLE, plugins) };
    }
}

pub(super) fn open(
    library: &Hdf5,
    file: &Path,
    dataset: &str,
    options: &OpenOptions,
    counted: Option<&[u16]>,
) -> Result<Box<dyn OpenDataset>, EngineError> {
    let counter = counted.and_then(|filters| library.count(filters));
    let file = library.open(file, options.page_buffer)?;
    let dataset = file.dataset(dataset, options.cache, &options.records)?;
    if !dataset.has_fixed_elements()? {
        return Err(EngineError::Unsupported(
            "libhdf5 is not asked for elements of variable length or references, which lead elsewhere"
                .to_owned(),
        ));
    }
    Ok(Box::new(Open { dataset, file, counter }))
}

pub(super) fn create(
    library: &Hdf5,
    file: &Path,
    dataset: &str,
    storage: &Storage,
    options: &OpenOptions,
) -> Result<Box<dyn OpenDataset>, EngineError> {
    if storage.format != Format::Hdf5 {
        return Err(EngineError::Unsupported(format!("libhdf5 writes no {} files", storage.format)));
    }
    let filters: Vec<u16> = storage.filters.iter().map(FilterSpec::id).collect();
    let counter = library.count(&filters);
    let file = library.create(file, storage)?;
    let dataset = file.create(dataset, storage, options.cache, options.records.memory)?;
    Ok(Box::new(Open { dataset, file, counter }))
}

impl OpenDataset for Open {
    fn element_bytes(&self) -> usize {
        self.dataset.element_bytes()
    }

    fn layout(&self) -> Result<Option<&Layout>, EngineError> {
        Ok(self.dataset.layout()?)
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        Ok(self.dataset.read(block, out)?)
    }

    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError> {
        Ok(self.dataset.write(block, values)?)
    }

    fn counts(&self) -> Option<Counts> {
        self.counter.as_ref().map(Counter::counts)
    }

    fn page_buffer(&self) -> Option<PageBuffer> {
        super::objects::libhdf5::page_buffer(&self.file)
    }

    fn close(self: Box<Self>) -> Result<Option<Counts>, EngineError> {
        let Self { dataset, file, counter } = *self;
        dataset.close()?;
        file.close()?;
        Ok(counter.as_ref().map(Counter::counts))
    }
}
