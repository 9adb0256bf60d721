//! Virtual datasets: elements that stand in other datasets, perhaps of other files.
//!
//! [`mapping`] turns the mappings of the file into [`Part`]s for the sources that are there now, [`region`] says which
//! elements correspond, [`read`] brings them. A source that is not there reads as the fill value, as in libhdf5.

mod mapping;
mod read;
mod region;

pub(crate) use read::read;

use crate::file::FileInner;
use crate::sibling::Purpose;
use crate::{Dataset, Error, ErrorKind, File, Result};
use hyperslab_format::Address;
use hyperslab_format::virtual_mapping::VirtualMapping;
use region::Region;
use std::cell::Cell;
use std::sync::Arc;

/// The mappings of one virtual dataset.
pub(crate) struct VirtualData {
    mappings: Vec<VirtualMapping>,
}

/// Elements of one source, and where they stand.
pub(crate) struct Part {
    pub(crate) file: String,
    pub(crate) dataset: String,
    pub(crate) source: Region,
    pub(crate) target: Region,
}

impl VirtualData {
    /// Reads the mappings out of the global heap.
    pub(crate) fn open(file: &Arc<FileInner>, heap: Option<Address>, index: u32) -> Result<Self> {
        let Some(heap) = heap else { return Ok(Self { mappings: Vec::new() }) };
        let block = File { inner: file.clone() }.heap().object(heap, index)?;
        Ok(Self { mappings: VirtualMapping::parse_all(block, file.superblock.widths)? })
    }

    /// Names of the sources: file and dataset, as the file has them.
    pub(crate) fn sources(&self) -> Vec<(String, String)> {
        let name =
            |mapping: &VirtualMapping| (mapping.source_file.to_string(), mapping.source_dataset.to_string());
        self.mappings.iter().map(name).collect()
    }
}

/// Virtual datasets of virtual datasets are followed this deep.
const DEPTH_MAX: u32 = 16;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Runs work that may lead to further virtual datasets, and to this one again.
fn deeper<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    if DEPTH.get() >= DEPTH_MAX {
        return Err(Error::damaged(format!(
            "virtual datasets are nested more than {DEPTH_MAX} deep: a loop?"
        )));
    }
    DEPTH.set(DEPTH.get() + 1);
    let outcome = work();
    DEPTH.set(DEPTH.get() - 1);
    outcome
}

/// Opens a source; `None` where the file or the dataset is not there.
pub(crate) fn open_source(owner: &Arc<FileInner>, file: &str, dataset: &str) -> Result<Option<Dataset>> {
    let opened = match file {
        "." => Ok(File { inner: owner.clone() }),
        name => owner.sibling(name, Purpose::VirtualSource),
    };
    match opened.and_then(|file| deeper(|| file.dataset(dataset))) {
        Ok(dataset) => Ok(Some(dataset)),
        Err(error) if error.kind == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
