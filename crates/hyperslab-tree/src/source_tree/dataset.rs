//! A dataset of the tree: its dataspace, storage, fill value and filters.

use super::Reader;
use crate::bare_dimension;
use crate::link_tree::absolute;
use crate::pieces::each_piece;
use crate::relocate::Relocatable;
use crate::selected::renamed;
use crate::undamaged_map::undamaged_map;
use hyperslab::hdf5::{self, superblock};
use hyperslab::{Dataset, ErrorKind};
use hyperslab_encode::RepackError;
use hyperslab_encode::new_filters::FilteredDataset;
use hyperslab_format::message::fill_value::{AllocationTime, Fill};
use hyperslab_format::message::{Dataspace, Layout};
use hyperslab_format::object_header::{MessageKind, ObjectHeader};
use hyperslab_format::virtual_mapping::VirtualMapping;
use hyperslab_format::{Address, Encoder, Widths};
use hyperslab_units::counted_text;
use hyperslab_write::{ChunkedSpec, DatasetSpec, DatatypeUse, ExternalSegment, FillSpec, StorageSpec};
use std::sync::Arc;

impl Reader<'_> {
    pub(super) fn bare_dimension(
        &mut self,
        dataset: &Dataset,
        path: &str,
    ) -> Result<DatasetSpec, RepackError> {
        let unsupported = || RepackError::Unsupported { object: path.into(), what: "has no datatype".into() };
        let datatype = bare_dimension::datatype().ok_or_else(unsupported)?;
        let (dataspace, storage) = bare_dimension::extent(dataset);
        let mut fill = FillSpec::default();
        fill.value.allocation = usual_allocation(&storage);
        Ok(DatasetSpec {
            datatype: DatatypeUse { datatype: self.parts.datatype(&datatype), committed: None },
            dataspace: dataspace.into(),
            fill: self.parts.fill(fill),
            filters: self.parts.filters(&[]),
            storage,
        })
    }

    /// A dataset with the chunks that can be found, if not all of them have to be.
    pub(super) fn with_chunks(
        &mut self,
        address: Address,
        dataset: &Dataset,
        path: &str,
    ) -> Result<Dataset, RepackError> {
        if !self.keep_going || dataset.chunk_shape().is_none() || dataset.shape().contains(&0) {
            return Ok(dataset.clone());
        }
        let error = match dataset.chunk_map() {
            Err(error) if error.kind() != ErrorKind::Cancelled => error,
            _ => return Ok(dataset.clone()),
        };
        let (map, mut damage) = undamaged_map(dataset, path, error)?;
        self.damage.append(&mut damage);
        let map = Arc::new(map);
        self.undamaged.insert(address, map.clone());
        Ok(dataset.with_chunk_map(map)?)
    }

    pub(super) fn dataset(
        &mut self,
        header: &ObjectHeader,
        dataset: &Dataset,
        path: &str,
    ) -> Result<DatasetSpec, RepackError> {
        let datatype = self.datatype(dataset.datatype(), path)?;
        // The dataspace of a virtual dataset depends on its sources; the message has the one that is stored.
        let (dataspace, layout) = hdf5::parse(self.file, |context| {
            Ok((header.dataspace(context)?, header.layout(context.view.widths)?))
        })?;
        let missing = || RepackError::Unsupported { object: path.into(), what: "has no layout".into() };
        let (dataspace, layout) = dataspace.zip(layout).ok_or_else(missing)?;
        let storage = self.storage(header, dataset, &dataspace, &layout, path)?;
        let mut fill = FillSpec { value: dataset.fill_value().clone(), patches: Box::default() };
        if [MessageKind::FILL_VALUE, MessageKind::FILL_VALUE_OLD]
            .iter()
            .all(|&kind| header.first(kind).is_none())
        {
            fill.value.allocation = usual_allocation(&storage);
        }
        if let Fill::User(bytes) = &fill.value.value {
            let value = self.value(dataset.datatype(), bytes)?;
            (fill.value.value, fill.patches) = (Fill::User(value.bytes.into()), value.patches);
        }
        if dataset.datatype().contains_reference() {
            // Objects that only these references lead to belong to the tree.
            let mut omitted = 0;
            each_piece(self.file, dataset, &layout, &mut self.heap, |_, elements, heap| {
                // What cannot be read is reported when it is copied.
                let Ok(elements) = elements else { return Ok(()) };
                let datatype = dataset.datatype();
                let (found, ..) = Relocatable::read_undamaged(datatype, &elements, heap, &mut self.sources);
                omitted += found.omitted_count();
                Ok(())
            })?;
            if omitted > 0 {
                let nulls = counted_text(omitted as u64, "null reference");
                self.sever(path, format!("{nulls} among its values, to what is left out"));
            }
        }
        // Filters of a dataset without chunks were never applied.
        let filters = match &storage {
            StorageSpec::Chunked(chunked) if datatype.datatype.size != dataset.datatype().size => {
                // Their parameters contain the size of an element.
                let filtered = FilteredDataset {
                    datatype: &datatype.datatype,
                    chunk: &chunked.chunk_dims,
                    fill: &fill.value,
                };
                let refused = |error| RepackError::Unsupported {
                    object: path.into(),
                    what: format!("filters for elements whose addresses become longer: {error}"),
                };
                self.parts.filters(&filtered.kept(dataset.filters()).map_err(refused)?)
            }
            StorageSpec::Chunked(_) => self.parts.filters(dataset.filters()),
            _ => self.parts.filters(&[]),
        };
        let (dataspace, fill) = (dataspace.into(), self.parts.fill(fill));
        Ok(DatasetSpec { datatype, dataspace, fill, filters, storage })
    }

    pub(super) fn storage(
        &mut self,
        header: &ObjectHeader,
        dataset: &Dataset,
        dataspace: &Dataspace,
        layout: &Layout,
        path: &str,
    ) -> Result<StorageSpec, RepackError> {
        let widths = superblock(self.file)?.widths;
        let own = |error| hyperslab::hdf5::format_error(error).at_object(path);
        if let Some(files) = header.external_files(widths).map_err(own)? {
            let names = hdf5::parse(self.file, |context| {
                hyperslab_format::heap::LocalHeap::parse(&context.view, files.heap)?.read(&context.view)
            })?;
            let segment = |slot: &hyperslab_format::message::ExternalSlot| {
                let file = names.text("external file name", slot.name_offset).map_err(own)?;
                Ok(ExternalSegment { file: file.detached(), offset: slot.offset, bytes: slot.size })
            };
            let segments = files.slots.iter().map(segment).collect::<Result<Vec<_>, hyperslab::Error>>()?;
            return Ok(StorageSpec::External(segments));
        }
        Ok(match layout {
            Layout::Compact { data, .. } => {
                // Space behind the last element has no meaning.
                let size = dataspace.elements().unwrap_or(0).saturating_mul(dataset.datatype().size.into());
                let len = usize::try_from(size).unwrap_or(usize::MAX).min(data.len());
                StorageSpec::Compact(self.value(dataset.datatype(), &data[..len])?)
            }
            Layout::Contiguous { address, .. } => StorageSpec::Contiguous { allocated: address.is_some() },
            Layout::Chunked(chunked) => {
                let mut coords = Vec::new();
                // Chunks of a dataset that has shrunk to nothing cannot be seen, and have no place in an index.
                if !dataspace.dims().contains(&0) {
                    let map = dataset.chunk_map()?;
                    coords.reserve_exact(map.len().saturating_mul(dataspace.dims().len()));
                    map.iter().for_each(|(number, _)| coords.extend(map.grid().coordinates(number)));
                }
                StorageSpec::Chunked(ChunkedSpec {
                    chunk_dims: chunked.chunk_dims[..].into(),
                    edge_chunks_unfiltered: chunked.edge_chunks_unfiltered,
                    coords: coords.into(),
                })
            }
            Layout::Virtual { heap, index } => {
                let mut mappings = match heap {
                    Some(collection) => {
                        let block = self.heap.object(*collection, *index)?;
                        VirtualMapping::parse_all(block, widths).map_err(own)?
                    }
                    None => Vec::new(),
                };
                let renames = self.selected.as_ref().map_or(&[][..], |selected| &selected.renames);
                for mapping in mappings.iter_mut().filter(|mapping| mapping.source_file.as_bytes() == b".") {
                    let Some(path) = mapping.source_dataset.as_str() else { continue };
                    let new = renamed(&absolute("/", path), renames);
                    if new != absolute("/", path) {
                        mapping.source_dataset = new.as_str().into();
                    }
                }
                let mut out = Encoder::new("virtual dataset mapping", Widths::default());
                VirtualMapping::encode_all(&mappings, &mut out);
                StorageSpec::Virtual(self.tree.push_heap(out.finish()?.into()))
            }
        })
    }
}

/// When libhdf5 allocates the storage of a dataset whose header does not say so, as in files of its first versions
/// (`H5D__open_oid`).
fn usual_allocation(storage: &StorageSpec) -> AllocationTime {
    match storage {
        StorageSpec::Compact(_) => AllocationTime::Early,
        StorageSpec::Contiguous { .. } | StorageSpec::External(_) => AllocationTime::Late,
        StorageSpec::Chunked(_) | StorageSpec::Virtual(_) => AllocationTime::Incremental,
    }
}
