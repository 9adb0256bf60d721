//! A virtual dataset as the [`VirtualSources`] of an array.

use super::batches::for_each_batch;
use super::element_change::DatatypeChange;
use super::mapping::Mappings;
use super::sources::Sources;
use super::wanted::Wanted;
use crate::dataset::Dataset;
use crate::format_error::OrError;
use crate::hdf5::vlen::heap;
use crate::open_file::FileInner;
use crate::{Result, Selection};
use hyperslab_array::array::{Operation, VirtualPart, VirtualSources};
use hyperslab_format::Address;
use hyperslab_format::message::Datatype;
use hyperslab_format::virtual_mapping::VirtualMapping;
use std::sync::Arc;

/// The mappings of one virtual dataset, and its extent.
pub(crate) struct VirtualDataset {
    mappings: Mappings,
    /// The sizes along the axes.
    dims: Vec<u64>,
    datatype: Datatype,
}

impl VirtualDataset {
    /// Reads the mappings from the object `index` of the global heap collection at `block`.
    ///
    /// `stored` and `largest` are the sizes and the maximum sizes of the dataspace message; the actual sizes depend on
    /// the present sizes of the sources.
    pub(crate) fn new(
        file: &Arc<FileInner>,
        (block, index): (Option<Address>, u32),
        (stored, largest): (&[u64], &[Option<u64>]),
        datatype: &Datatype,
        operation: &Operation,
    ) -> Result<Self> {
        let mappings = match block {
            None => Vec::new(),
            Some(block) => {
                let block = heap(file).object(block, index)?;
                VirtualMapping::parse_all(block, file.hdf5("virtual datasets")?.widths()).or_error()?
            }
        };
        operation.count_mappings(mappings.len() as u64)?;
        let mappings = Mappings { file: file.clone(), mappings, sources: Sources::new() };
        let dims = mappings.extent(operation, stored, largest)?;
        Ok(Self { mappings, dims, datatype: datatype.clone() })
    }

    /// The datasets that a selection is stored in, as far as they exist.
    pub(crate) fn sources(&self, selection: &Selection, operation: &Operation) -> Result<Vec<Dataset>> {
        let (wanted, mut found) = (Wanted::new(selection.resolve(&self.dims)?), Vec::new());
        self.mappings.for_each_resolved(operation, &self.dims, &wanted, |mapping| {
            found.push(mapping.dataset.clone());
            Ok(())
        })?;
        Ok(found)
    }

    /// The sizes along the axes.
    pub(crate) fn dims(&self) -> &[u64] {
        &self.dims
    }
}

impl VirtualSources for VirtualDataset {
    fn for_each_part(
        &self,
        selection: &Selection,
        shape: &[u64],
        operation: &Operation,
        each: &mut dyn FnMut(VirtualPart<'_>) -> Result<()>,
    ) -> Result<()> {
        let wanted = Wanted::new(selection.resolve(&self.dims)?);
        self.mappings.for_each_resolved(operation, &self.dims, &wanted, |mapping| {
            let source = &mapping.dataset.inner;
            let change = DatatypeChange::new(&self.datatype, self.mappings.file.data.id, source)?;
            for_each_batch(mapping, wanted.resolved(), shape, &mut |batch| {
                each(VirtualPart {
                    source: &source.array,
                    selection: &batch.selection,
                    runs: &batch.runs,
                    dims: batch.dims,
                    change: change.of_elements(),
                })
            })
        })
    }

    fn names(&self) -> Vec<(String, String)> {
        let name =
            |mapping: &VirtualMapping| (mapping.source_file.to_string(), mapping.source_dataset.to_string());
        self.mappings.mappings.iter().map(name).collect()
    }

    fn serial(&self) -> u64 {
        self.mappings.sources.serial()
    }
}
