//! An HDF4 of the user's: its files of scientific datasets, and its tables.

mod api;
mod dataset;
mod objects;
mod table;

pub(super) use api::Hdf4;

use crate::error::{EngineError, unsupported};
use crate::interface::{Creator, FileBuffers, OpenDataset, OpenOptions, Opened, PreparedEngine, Visitor};
use crate::storage::{CreationProperties, Element, Format};
use api::{CREATE, READ};
use dataset::Dataset;
use std::path::Path;
use table::Table;

impl PreparedEngine for Hdf4 {
    fn version(&self) -> String {
        self.release()
    }

    fn open(&self, path: &Path, dataset: &str, options: &OpenOptions) -> Opened<dyn OpenDataset> {
        nothing_to_set(options)?;
        let file = self.file(path, READ)?;
        let Some(number) = dataset::find(&file, dataset)? else {
            // The library keeps a file that is open twice apart no better than two programs do.
            drop(file);
            return Ok(Box::new(Table::open(self, path, dataset, &options.records)?));
        };
        if options.records.fields.is_some() {
            return unsupported("the dataset has no records, so no fields");
        }
        Ok(Box::new(Dataset::open(&file, number)?))
    }

    fn create(
        &self,
        path: &Path,
        dataset: &str,
        storage: &CreationProperties,
        options: &OpenOptions,
    ) -> Opened<dyn OpenDataset> {
        nothing_to_set(options)?;
        if storage.format != Format::Hdf4 {
            return unsupported(format!("HDF4 writes no {} files", storage.format));
        }
        if let Element::Record(record) = storage.element {
            if storage.chunks.is_some() || storage.shape.len() != 1 {
                return unsupported("a table of HDF4 has one dimension, and neither chunks nor filters");
            }
            return Ok(Box::new(Table::create(self, path, dataset, record, options.records.memory)?));
        }
        Ok(Box::new(Dataset::create(&self.file(path, CREATE)?, dataset, storage)?))
    }

    fn make(&self, path: &Path, storage: &CreationProperties) -> Opened<dyn Creator> {
        Ok(Box::new(objects::Made { file: self.file(path, CREATE)?, storage: storage.clone() }))
    }

    fn visit(&self, path: &Path, _: &OpenOptions) -> Opened<dyn Visitor> {
        Ok(Box::new(objects::Visited(self.file(path, READ)?)))
    }
}

fn nothing_to_set(options: &OpenOptions) -> Result<(), EngineError> {
    if options.cache.is_none() && options.buffers == FileBuffers::default() {
        return Ok(());
    }
    unsupported("HDF4 has no cache of a given size, no page buffer and no metadata cache")
}
