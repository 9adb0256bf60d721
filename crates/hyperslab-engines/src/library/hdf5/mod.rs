//! A libhdf5: its files and datasets, opened for reading.

mod api;
mod count;
mod create;
mod dataset;
mod datatype;
mod filter_class;
mod lzf;
mod metadata_cache;
mod objects;
mod places;
mod property;

use super::call::{call, open};
use super::load::{c_name, c_path, load};
use crate::error::{EngineError, unsupported};
use crate::interface::{
    Counter, Creator, FileBuffers, OpenDataset, OpenOptions, Opened, PreparedEngine, Visitor,
};
use crate::storage::{CreationProperties, Format};
use api::{Api, Hid};
use dataset::Dataset;
use hyperslab_storage::CacheSettings;
use hyperslab_storage::filter::number;
use libloading::Library;
use libloading::os::unix::RTLD_LOCAL;
use property::{access, id_of, list};
use std::ffi::c_int;
use std::path::Path;
use std::rc::Rc;

/// A loaded libhdf5. Not for several threads: few builds of the library allow that.
pub(super) struct Hdf5 {
    api: Rc<Api>,
}

impl Hdf5 {
    /// Loads the library at a path.
    pub(super) fn load(path: &Path) -> Result<Self, EngineError> {
        Self::in_library(load(path, RTLD_LOCAL)?, path)
    }

    /// The libhdf5 that a library is, or that came along with it.
    pub(super) fn in_library(library: &'static Library, path: &Path) -> Result<Self, EngineError> {
        let api = Api::load(library, path)?;
        // SAFETY: plain calls, the second with a class that libhdf5 copies.
        unsafe {
            if (api.functions.H5Zfilter_avail)(c_int::from(number::LZF)) <= 0 {
                let class = lzf::class();
                (api.functions.H5Zregister)(std::ptr::from_ref(&class).cast());
            }
        }
        Ok(Self { api: Rc::new(api) })
    }

    /// The chunk cache that a file gives its datasets where nothing is set.
    fn file_cache(&self) -> Result<CacheSettings, EngineError> {
        let (api, access) = (&self.api, list(&self.api, "FILE_ACCESS")?);
        let (mut unused, mut nslots, mut nbytes, mut w0) = (0, 0, 0, 0.0);
        // SAFETY: places for four values.
        unsafe { call!(api.H5Pget_cache(access.id, &mut unused, &mut nslots, &mut nbytes, &mut w0)) }?;
        Ok(CacheSettings { nbytes: nbytes as u64, nslots: nslots as u64, w0 })
    }

    fn dataset_cache(&self) -> Result<CacheSettings, EngineError> {
        let (api, access) = (&self.api, list(&self.api, "DATASET_ACCESS")?);
        let (mut nslots, mut nbytes, mut w0) = (0, 0, 0.0);
        // SAFETY: places for three values.
        unsafe { call!(api.H5Pget_chunk_cache(access.id, &mut nslots, &mut nbytes, &mut w0)) }?;
        // The dataset's own list says "as the file's" by values that no cache has; the file's defaults follow.
        if nslots == usize::MAX || w0 < 0.0 {
            return self.file_cache();
        }
        Ok(CacheSettings { nbytes: nbytes as u64, nslots: nslots as u64, w0 })
    }

    fn open_file(&self, path: &Path, buffers: FileBuffers) -> Result<Rc<Hid>, EngineError> {
        const READ_ONLY: u32 = 0;
        let (api, name) = (&self.api, c_path(path)?);
        let access = list(api, "FILE_ACCESS")?;
        // SAFETY: an open list; then a string.
        unsafe {
            if let Some(bytes) = buffers.page_buffer {
                call!(api?.H5Pset_page_buffer_size(access.id, bytes as usize, 0, 0))?;
            }
            if let Some(bytes) = buffers.metadata_cache {
                metadata_cache::set(&access, bytes)?;
            }
            open!(api.H5Fopen(name.as_ptr(), READ_ONLY, access.id), H5Fclose).map(Rc::new)
        }
    }
}

impl PreparedEngine for Hdf5 {
    fn version(&self) -> String {
        self.api.release()
    }

    fn hdf5_version(&self) -> Option<String> {
        Some(self.api.release())
    }

    fn default_cache(&self) -> Option<CacheSettings> {
        self.dataset_cache().ok()
    }

    fn count(&self, filters: &[u16]) -> Option<Counter> {
        count::install(&self.api.filters, filters)
    }

    fn open(&self, file: &Path, dataset: &str, options: &OpenOptions) -> Opened<dyn OpenDataset> {
        let file = self.open_file(file, options.buffers)?;
        let access = access(&self.api, options.cache)?;
        let dataset = Dataset::open(&file, file.id, &c_name(dataset)?, id_of(&access), &options.records)?;
        if !dataset.has_fixed_elements()? {
            return unsupported(
                "libhdf5 is not asked for elements of variable length or references, which lead elsewhere",
            );
        }
        Ok(Box::new(dataset))
    }

    fn create(
        &self,
        file: &Path,
        dataset: &str,
        storage: &CreationProperties,
        options: &OpenOptions,
    ) -> Opened<dyn OpenDataset> {
        if storage.format != Format::Hdf5 {
            return unsupported(format!("libhdf5 writes no {} files", storage.format));
        }
        let file = create::file(&self.api, file, storage)?;
        Ok(Box::new(create::dataset(&file, dataset, storage, options.cache, options.records.memory)?))
    }

    fn make(&self, file: &Path, storage: &CreationProperties) -> Opened<dyn Creator> {
        let file = create::file(&self.api, file, storage)?;
        Ok(Box::new(objects::Made { file, storage: storage.clone() }))
    }

    fn visit(&self, file: &Path, options: &OpenOptions) -> Opened<dyn Visitor> {
        let file = self.open_file(file, options.buffers)?;
        Ok(Box::new(objects::Visited { file, cache: options.cache }))
    }
}
