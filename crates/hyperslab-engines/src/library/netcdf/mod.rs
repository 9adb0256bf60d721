//! A netCDF-C of the user's: netCDF-4 (which is HDF5, by the libhdf5 that came with it) and the classic formats.

mod api;
mod create;
mod objects;
mod variable;

pub(super) use api::Netcdf;

use super::call::call;
use crate::error::{EngineError, unsupported};
use crate::interface::{
    Counter, Creator, FileBuffers, OpenDataset, OpenOptions, Opened, PreparedEngine, Visitor,
};
use crate::storage::{CreationProperties, Format};
use api::settings;
use hyperslab_storage::CacheSettings;
use std::path::Path;
use variable::Variable;

impl PreparedEngine for Netcdf {
    fn version(&self) -> String {
        self.release()
    }

    fn hdf5_version(&self) -> Option<String> {
        self.hdf5.as_ref().map(|hdf5| hdf5.version())
    }

    /// What a variable gets where one chunk is not larger.
    fn default_cache(&self) -> Option<CacheSettings> {
        let (mut nbytes, mut nslots, mut w0) = (0, 0, 0.0);
        // SAFETY: places for three values.
        unsafe { call!(self.nc_get_chunk_cache(&mut nbytes, &mut nslots, &mut w0)) }.ok()?;
        Some(settings(nbytes, nslots, w0))
    }

    /// What netCDF-C decodes and encodes goes through the libhdf5 that it came with.
    fn count(&self, filters: &[u16]) -> Option<Counter> {
        self.hdf5.as_ref()?.count(filters)
    }

    fn open(&self, file: &Path, dataset: &str, options: &OpenOptions) -> Opened<dyn OpenDataset> {
        no_file_buffers(options)?;
        Ok(Box::new(Variable::open(&self.open_file(file)?, dataset, options.cache)?))
    }

    fn create(
        &self,
        file: &Path,
        dataset: &str,
        storage: &CreationProperties,
        options: &OpenOptions,
    ) -> Opened<dyn OpenDataset> {
        no_file_buffers(options)?;
        let file = create::file(self, file, storage.format)?;
        let dimensions = create::dimensions(&file, storage)?;
        let name = dataset.trim_start_matches('/');
        let id = create::variable(self, file.id, name, storage, &dimensions)?;
        let variable = Variable::new(&file, file.id, id, options.cache)?;
        // SAFETY: an open file.
        unsafe { call!(self.nc_enddef(file.id)) }?;
        Ok(Box::new(variable))
    }

    fn make(&self, file: &Path, storage: &CreationProperties) -> Opened<dyn Creator> {
        if storage.format != Format::Netcdf4 {
            return unsupported(
                "files of many variables are made as netCDF-4: a classic one is rewritten for each",
            );
        }
        Ok(Box::new(objects::Made::new(create::file(self, file, storage.format)?, storage)))
    }

    fn visit(&self, file: &Path, _: &OpenOptions) -> Opened<dyn Visitor> {
        Ok(Box::new(objects::Visited(self.open_file(file)?)))
    }
}

fn no_file_buffers(options: &OpenOptions) -> Result<(), EngineError> {
    if options.buffers == FileBuffers::default() {
        return Ok(());
    }
    unsupported("netCDF-C has neither a page buffer nor a metadata cache to set")
}
