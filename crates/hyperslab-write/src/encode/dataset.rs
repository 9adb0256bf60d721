//! The messages of a dataset.

use super::value::{patched, value_bytes};
use super::{CONSTANT, Context, Encoded, Messages, SHARED, datatype};
use crate::placed::{PlacedObject, PlacedStorage};
use crate::tree::{DatasetSpec, DatatypeUse, StorageSpec};
use hyperslab_format::EncodeError;
use hyperslab_format::message::fill_value::Fill;
use hyperslab_format::message::{ExternalFiles, ExternalSlot, Layout};
use hyperslab_format::object_header::MessageKind;

impl Messages {
    pub(super) fn dataset(
        &mut self,
        dataset: &DatasetSpec,
        placed: &PlacedObject,
        context: Context<'_>,
    ) -> Encoded<()> {
        let versions = context.versions;
        let (dataspace, version) = (dataset.dataspace.to_dataspace(), versions.dataspace(&dataset.dataspace));
        self.push(MessageKind::DATASPACE, 0, |out| dataspace.encode(out, version))?;
        self.datatype(&dataset.datatype, context)?;
        let mut fill = dataset.fill.value.clone();
        if let Fill::User(value) = &fill.value
            && !dataset.fill.patches.is_empty()
        {
            let patched = patched(value, &dataset.fill.patches, context.addresses)?;
            fill.value = Fill::User(patched.into_owned().into());
        }
        self.push(MessageKind::FILL_VALUE, CONSTANT, |out| fill.encode(out, versions.fill_value))?;
        if !dataset.filters.filters.is_empty() {
            self.push(MessageKind::FILTER_PIPELINE, CONSTANT, |out| {
                dataset.filters.encode(out, versions.filter_pipeline);
            })?;
        }
        if let (StorageSpec::External(segments), PlacedStorage::External(placed)) =
            (&dataset.storage, &placed.storage)
        {
            let slots = segments.iter().zip(&placed.names).map(|(segment, &name_offset)| ExternalSlot {
                name_offset,
                offset: segment.offset,
                size: segment.bytes,
            });
            let files = ExternalFiles { heap: placed.heap.header, slots: slots.collect() };
            self.push(MessageKind::EXTERNAL_FILES, CONSTANT, |out| files.encode(out))?;
        }
        let layout = layout(dataset, placed, context)?;
        self.push(MessageKind::LAYOUT, 0, |out| layout.encode(out, versions.layout(dataset)))
    }

    fn datatype(&mut self, used: &DatatypeUse, context: Context<'_>) -> Encoded<()> {
        let flags = if used.committed.is_some() { CONSTANT | SHARED } else { CONSTANT };
        let datatype = datatype(used, context);
        self.push(MessageKind::DATATYPE, flags, |out| datatype.encode_use(out, context.versions.datatype))
    }
}

fn layout(dataset: &DatasetSpec, placed: &PlacedObject, context: Context<'_>) -> Encoded<Layout> {
    Ok(match (&dataset.storage, &placed.storage) {
        (StorageSpec::Compact(value), _) => {
            let data = value_bytes(value, context.addresses)?.into_owned().into();
            Layout::Compact { data, at: 0 }
        }
        (StorageSpec::Virtual(item), _) => {
            let (heap, index) = context.addresses.heap(*item);
            Layout::Virtual { heap: Some(heap), index }
        }
        (StorageSpec::Chunked(chunked), PlacedStorage::Chunked(placed)) => {
            Layout::Chunked(placed.layout(dataset, chunked))
        }
        (_, PlacedStorage::Contiguous { address, bytes }) => {
            Layout::Contiguous { address: *address, size: Some(*bytes) }
        }
        _ => Layout::Contiguous { address: None, size: Some(contiguous_bytes(dataset)?) },
    })
}

/// The bytes of all elements of a dataset.
pub(crate) fn contiguous_bytes(dataset: &DatasetSpec) -> Encoded<u64> {
    let size = u64::from(dataset.datatype.datatype.size);
    let bytes = dataset.dataspace.elements().and_then(|elements| elements.checked_mul(size));
    bytes.ok_or_else(|| EncodeError {
        structure: "data layout message",
        field: "size",
        what: "the size of the extent in bytes overflows 64 bits".into(),
    })
}
