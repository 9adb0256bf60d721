//! Virtual datasets: elements that are stored in other datasets, perhaps of other files.
//!
//! [`mapping`] turns the mappings of the file into [`Part`]s for the sources that are there now, [`batches`] selects what is
//! wanted of each source, [`read`] reads it. [`sources`] keeps the sources open between reads, [`operation`] bounds what one
//! call may cost. A source that is not there reads as the fill value, as in libhdf5.

mod batches;
mod mapping;
mod operation;
mod read;
mod sources;

pub(crate) use read::read;

use crate::file::FileInner;
use crate::selection::Region;
use crate::{Dataset, File, Result};
use hyperslab_format::Address;
use hyperslab_format::virtual_mapping::VirtualMapping;
use sources::Sources;
use std::sync::Arc;

/// The mappings of one virtual dataset.
pub(crate) struct VirtualData {
    mappings: Vec<VirtualMapping>,
    sources: Sources,
}

/// Elements of one source, and where they stand.
struct Part {
    dataset: Dataset,
    source: Region,
    target: Region,
}

impl VirtualData {
    /// Reads the mappings out of the global heap.
    pub(crate) fn open(file: &Arc<FileInner>, heap: Option<Address>, index: u32) -> Result<Self> {
        let mappings = match heap {
            None => Vec::new(),
            Some(heap) => {
                let block = File { inner: file.clone() }.heap().object(heap, index)?;
                VirtualMapping::parse_all(block, file.superblock.widths)?
            }
        };
        operation::count_mappings(mappings.len() as u64)?;
        Ok(Self { mappings, sources: Sources::default() })
    }

    /// Names of the sources: file and dataset, as the file has them.
    pub(crate) fn sources(&self) -> Vec<(String, String)> {
        let name =
            |mapping: &VirtualMapping| (mapping.source_file.to_string(), mapping.source_dataset.to_string());
        self.mappings.iter().map(name).collect()
    }
}
