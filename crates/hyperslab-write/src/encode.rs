//! Encodes the objects of a tree.
//!
//! Sizes do not depend on addresses, so the same functions are used twice: to lay out, with [`Addresses`] that are all
//! 0, and to write, with the real ones.

use crate::layout::{PlacedObject, PlacedStorage};
use crate::options::{WIDTHS, versions};
use crate::tree::{
    AttributeSpec, DatasetSpec, DatatypeUse, GroupSpec, LinkSpec, LinkTargetSpec, Object, ObjectId,
    ObjectSpec, StorageSpec,
};
use crate::value::{HeapItem, Patch, PatchTarget, Value};
use hyperslab_format::message::fill_value::Fill;
use hyperslab_format::message::{
    Attribute, AttributeInfo, Comment, Datatype, ExternalFiles, ExternalSlot, Layout, Link, LinkInfo,
    LinkTarget, ReferenceCount,
};
use hyperslab_format::object_header::{Message, MessageKind, ObjectHeader};
use hyperslab_format::{Address, Bytes, EncodeError, Encoder};

/// The addresses that encoded objects contain.
pub(crate) trait Addresses {
    /// The header of an object.
    fn object(&self, object: ObjectId) -> Address;
    /// The collection of a heap object, and its index there.
    fn heap(&self, item: HeapItem) -> (Address, u32);
}

/// Addresses before any are known.
pub(crate) struct NotPlaced;

impl Addresses for NotPlaced {
    fn object(&self, _: ObjectId) -> Address {
        Address(0)
    }

    fn heap(&self, _: HeapItem) -> (Address, u32) {
        (Address(0), 0)
    }
}

/// Message flag: the message never changes.
const CONSTANT: u8 = 0x01;
const SHARED: u8 = 0x02;

/// The defaults of libhdf5 for the maximum number of compact attributes and links.
const COMPACT_MAX: u16 = 8;
/// The largest message of an object header, in bytes.
const MESSAGE_BYTES_MAX: usize = 0xffff;

type Encoded<T> = Result<T, EncodeError>;

/// The bytes of a value, with its addresses.
pub(crate) fn value_bytes(value: &Value, addresses: &dyn Addresses) -> Encoded<Bytes> {
    patched(&value.bytes, &value.patches, addresses)
}

fn patched(bytes: &Bytes, patches: &[Patch], addresses: &dyn Addresses) -> Encoded<Bytes> {
    if patches.is_empty() {
        return Ok(bytes.clone());
    }
    let mut patched = bytes.to_vec();
    for patch in patches {
        let mut out = Encoder::new("value", WIDTHS);
        match patch.target {
            PatchTarget::Object(object) => out.address("object address", Some(addresses.object(object))),
            PatchTarget::Heap(item) => {
                let (collection, index) = addresses.heap(item);
                out.address("collection address", Some(collection));
                out.u32(index);
            }
        }
        let end = patch.at.checked_add(patch.target.bytes());
        let place = end.and_then(|end| patched.get_mut(patch.at..end)).ok_or_else(|| EncodeError {
            structure: "value",
            field: "address",
            what: format!("an address at byte {} of {} bytes", patch.at, bytes.len()),
        })?;
        place.copy_from_slice(&out.finish()?);
    }
    Ok(patched.into())
}

/// True if the attributes of an object do not fit in its header.
pub(crate) fn has_dense_attributes(object: &Object) -> Encoded<bool> {
    let most = object.attribute_phase_change.map_or(COMPACT_MAX, |(most, _)| most);
    if object.attributes.len() > most.into() {
        return Ok(true);
    }
    for attribute in &object.attributes {
        if attribute_message(attribute, &NotPlaced)?.len() > MESSAGE_BYTES_MAX {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if the links of a group do not fit in its header.
pub(crate) fn has_dense_links(group: &GroupSpec) -> Encoded<bool> {
    let most = group.info.phase_change.map_or(COMPACT_MAX, |(most, _)| most);
    if group.links.len() > most.into() {
        return Ok(true);
    }
    for link in &group.links {
        if link_message(group, 0, link, &NotPlaced)?.len() > MESSAGE_BYTES_MAX {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The message of the link of this number.
pub(crate) fn link_message(
    group: &GroupSpec,
    number: usize,
    link: &LinkSpec,
    addresses: &dyn Addresses,
) -> Encoded<Vec<u8>> {
    let target = match &link.target {
        LinkTargetSpec::Hard(object) => LinkTarget::Hard(addresses.object(*object)),
        LinkTargetSpec::Soft(path) => LinkTarget::Soft(path.clone()),
        LinkTargetSpec::External { file, path } => {
            LinkTarget::External { file: file.clone(), path: path.clone() }
        }
        LinkTargetSpec::UserDefined { class, data } => {
            LinkTarget::UserDefined { class: *class, data: data.clone() }
        }
    };
    let creation_order = group.order.tracked.then_some(number as i64);
    let link = Link { name: link.name.clone(), charset: link.charset, creation_order, target };
    body(MessageKind::LINK, |out| link.encode(out))
}

/// The message of an attribute.
pub(crate) fn attribute_message(attribute: &AttributeSpec, addresses: &dyn Addresses) -> Encoded<Vec<u8>> {
    let attribute = Attribute {
        name: attribute.name.clone(),
        charset: attribute.charset,
        datatype: datatype(&attribute.datatype, addresses),
        dataspace: attribute.dataspace.clone(),
        data: value_bytes(&attribute.value, addresses)?,
        creation_order: None,
    };
    body(MessageKind::ATTRIBUTE, |out| attribute.encode(out, versions::ATTRIBUTE))
}

fn datatype(datatype: &DatatypeUse, addresses: &dyn Addresses) -> Datatype {
    let committed = datatype.committed.map(|object| addresses.object(object));
    Datatype { committed, ..datatype.datatype.clone() }
}

/// The object header.
pub(crate) fn header(
    object: &Object,
    references: u32,
    placed: &PlacedObject,
    addresses: &dyn Addresses,
) -> Encoded<Vec<u8>> {
    let mut messages = Messages::default();
    match &object.spec {
        ObjectSpec::Group(group) => messages.group(group, placed, addresses)?,
        ObjectSpec::Dataset(dataset) => messages.dataset(dataset, placed, addresses)?,
        ObjectSpec::Datatype(datatype) => {
            messages.push(MessageKind::DATATYPE, CONSTANT, |out| datatype.encode(out, versions::DATATYPE))?;
        }
    }
    if let Some(comment) = &object.comment {
        messages.push(MessageKind::COMMENT, 0, |out| Comment(comment.clone()).encode(out))?;
    }
    if references != 1 {
        messages.push(MessageKind::REFERENCE_COUNT, 0, |out| ReferenceCount(references).encode(out))?;
    }
    messages.attributes(object, placed, addresses)?;
    let order = object.attribute_order;
    let header = ObjectHeader {
        address: placed.header,
        version: versions::OBJECT_HEADER,
        flags: ObjectHeader::attribute_order_flags(order.tracked, order.indexed),
        reference_count: references,
        times: object.times,
        attribute_phase_change: object.attribute_phase_change,
        messages: messages.0,
        blocks: Vec::new(),
    };
    let mut out = Encoder::new("object header", WIDTHS);
    header.encode(&mut out);
    out.finish()
}

/// A header with these messages only, for the superblock extension.
pub(crate) fn plain_header(address: Address, messages: Vec<(MessageKind, u8, Vec<u8>)>) -> Encoded<Vec<u8>> {
    let messages = messages.into_iter().map(|(kind, flags, body)| message(kind, flags, body)).collect();
    let header = ObjectHeader {
        address,
        version: versions::OBJECT_HEADER,
        flags: 0,
        reference_count: 1,
        times: None,
        attribute_phase_change: None,
        messages,
        blocks: Vec::new(),
    };
    let mut out = Encoder::new("superblock extension", WIDTHS);
    header.encode(&mut out);
    out.finish()
}

fn message(kind: MessageKind, flags: u8, body: Vec<u8>) -> Message {
    Message { kind, flags, creation_order: None, at: 0, body: body.into() }
}

/// The body of a message.
pub(crate) fn body(kind: MessageKind, encode: impl FnOnce(&mut Encoder)) -> Encoded<Vec<u8>> {
    let mut out = Encoder::new(kind.structure(), WIDTHS);
    encode(&mut out);
    out.finish()
}

/// The messages of a header.
#[derive(Default)]
struct Messages(Vec<Message>);

impl Messages {
    fn push(&mut self, kind: MessageKind, flags: u8, encode: impl FnOnce(&mut Encoder)) -> Encoded<()> {
        self.0.push(message(kind, flags, body(kind, encode)?));
        Ok(())
    }

    fn group(&mut self, group: &GroupSpec, placed: &PlacedObject, addresses: &dyn Addresses) -> Encoded<()> {
        let info = LinkInfo {
            max_creation_index: group.order.tracked.then_some(group.links.len() as u64),
            heap: placed.links.as_ref().map(|links| links.heap()),
            name_index: placed.links.as_ref().map(|links| links.name_index()),
            creation_order_index: placed.links.as_ref().and_then(|links| links.creation_order_index()),
        };
        self.push(MessageKind::LINK_INFO, 0, |out| info.encode(out, group.order.indexed))?;
        self.push(MessageKind::GROUP_INFO, CONSTANT, |out| group.info.encode(out))?;
        if placed.links.is_none() {
            for (number, link) in group.links.iter().enumerate() {
                let body = link_message(group, number, link, addresses)?;
                self.0.push(message(MessageKind::LINK, 0, body));
            }
        }
        Ok(())
    }

    fn dataset(
        &mut self,
        dataset: &DatasetSpec,
        placed: &PlacedObject,
        addresses: &dyn Addresses,
    ) -> Encoded<()> {
        self.push(MessageKind::DATASPACE, 0, |out| dataset.dataspace.encode(out, versions::DATASPACE))?;
        self.datatype(&dataset.datatype, addresses)?;
        let mut fill = dataset.fill.clone();
        if let Fill::User(value) = &fill.value {
            fill.value = Fill::User(patched(value, &dataset.fill_patches, addresses)?);
        }
        self.push(MessageKind::FILL_VALUE, CONSTANT, |out| fill.encode(out, versions::FILL_VALUE))?;
        if !dataset.filters.filters.is_empty() {
            self.push(MessageKind::FILTER_PIPELINE, CONSTANT, |out| {
                dataset.filters.encode(out, versions::FILTER_PIPELINE);
            })?;
        }
        if let (StorageSpec::External(segments), PlacedStorage::External { heap, names }) =
            (&dataset.storage, &placed.storage)
        {
            let slots = segments.iter().zip(names).map(|(segment, &name_offset)| ExternalSlot {
                name_offset,
                offset: segment.offset,
                size: segment.bytes,
            });
            let files = ExternalFiles { heap: *heap, slots: slots.collect() };
            self.push(MessageKind::EXTERNAL_FILES, CONSTANT, |out| files.encode(out))?;
        }
        let layout = layout(dataset, placed, addresses)?;
        self.push(MessageKind::LAYOUT, 0, |out| layout.encode(out, versions::LAYOUT))
    }

    fn datatype(&mut self, used: &DatatypeUse, addresses: &dyn Addresses) -> Encoded<()> {
        let flags = if used.committed.is_some() { CONSTANT | SHARED } else { CONSTANT };
        let datatype = datatype(used, addresses);
        self.push(MessageKind::DATATYPE, flags, |out| datatype.encode_use(out, versions::DATATYPE))
    }

    fn attributes(
        &mut self,
        object: &Object,
        placed: &PlacedObject,
        addresses: &dyn Addresses,
    ) -> Encoded<()> {
        let order = object.attribute_order;
        if object.attributes.is_empty() && !order.tracked {
            return Ok(());
        }
        let dense = placed.attributes.as_ref();
        let count = u16::try_from(object.attributes.len()).unwrap_or(u16::MAX);
        let info = AttributeInfo {
            max_creation_index: order.tracked.then_some(count),
            heap: dense.map(|dense| dense.heap()),
            name_index: dense.map(|dense| dense.name_index()),
            creation_order_index: dense.and_then(|dense| dense.creation_order_index()),
        };
        self.push(MessageKind::ATTRIBUTE_INFO, 0, |out| info.encode(out, order.indexed))?;
        if dense.is_none() {
            for (number, attribute) in object.attributes.iter().enumerate() {
                let body = attribute_message(attribute, addresses)?;
                let creation_order = order.tracked.then_some(number as u16);
                self.0.push(Message { creation_order, ..message(MessageKind::ATTRIBUTE, 0, body) });
            }
        }
        Ok(())
    }
}

fn layout(dataset: &DatasetSpec, placed: &PlacedObject, addresses: &dyn Addresses) -> Encoded<Layout> {
    Ok(match (&dataset.storage, &placed.storage) {
        (StorageSpec::Compact(value), _) => Layout::Compact { data: value_bytes(value, addresses)?, at: 0 },
        (StorageSpec::Virtual(item), _) => {
            let (heap, index) = addresses.heap(*item);
            Layout::Virtual { heap: Some(heap), index }
        }
        (_, PlacedStorage::Chunked { layout, .. }) => Layout::Chunked(layout.clone()),
        (_, PlacedStorage::Contiguous { address, bytes }) => {
            Layout::Contiguous { address: *address, size: Some(*bytes) }
        }
        (_, PlacedStorage::External { .. } | PlacedStorage::InHeader) => {
            Layout::Contiguous { address: None, size: Some(contiguous_bytes(dataset)?) }
        }
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
