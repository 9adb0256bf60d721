//! Attributes: whether they are in the object header, and their messages.

use super::value::value_bytes;
use super::{Context, Encoded, MESSAGE_BYTES_MAX, Messages, body, datatype, message};
use crate::placed::PlacedObject;
use crate::tree::{AttributeSpec, Object};
use crate::versions::Versions;
use hyperslab_format::Name;
use hyperslab_format::group::dense_layout::DenseItems;
use hyperslab_format::message::AttributeInfo;
use hyperslab_format::message::attribute::NewAttribute;
use hyperslab_format::object_header::{Message, MessageKind};

/// The default of libhdf5 for the maximum number of compact attributes.
const COMPACT_MAX: u16 = 8;

/// The creation order of dense attributes that have none: `H5O_MAX_CRT_ORDER_IDX` in libhdf5.
const CREATION_ORDER_UNKNOWN: usize = 0xffff;

/// How the attributes of an object are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AttributeStorage {
    /// The version of the object header, which must be 2 for dense attributes.
    pub header_version: u8,
    /// True if the attributes are in a heap of their own.
    pub is_dense: bool,
}

/// How the attributes of an object are stored. A version 1 header contains any number of attributes; one attribute that is
/// too large for a message makes all of them dense.
pub(crate) fn attribute_storage(object: &Object, versions: &Versions) -> Encoded<AttributeStorage> {
    let context = Context::without_addresses(*versions);
    let mut is_too_large = false;
    for attribute in &object.attributes {
        is_too_large |= attribute_message(attribute, context)?.len() > MESSAGE_BYTES_MAX;
    }
    if !is_too_large && !versions.needs_header_2(object) {
        return Ok(AttributeStorage { header_version: 1, is_dense: false });
    }
    let most = object.attribute_phase_change.map_or(COMPACT_MAX, |(most, _)| most);
    let is_dense = is_too_large || object.attributes.len() > most.into();
    Ok(AttributeStorage { header_version: 2, is_dense })
}

/// The message of an attribute.
pub(crate) fn attribute_message(attribute: &AttributeSpec, context: Context<'_>) -> Encoded<Vec<u8>> {
    let versions = context.versions.attribute(attribute);
    let new = NewAttribute {
        name: &attribute.name,
        charset: attribute.charset,
        datatype: &datatype(&attribute.datatype, context),
        dataspace: &attribute.dataspace.to_dataspace(),
        data: &value_bytes(&attribute.value, context.addresses)?,
    };
    body(MessageKind::ATTRIBUTE, |out| new.encode(out, versions))
}

/// The attributes of an object, to be stored densely.
pub(crate) struct ObjectAttributes<'a> {
    pub object: &'a Object,
    pub context: Context<'a>,
}

impl DenseItems for ObjectAttributes<'_> {
    fn count(&self) -> usize {
        self.object.attributes.len()
    }

    fn name(&self, number: usize) -> &Name {
        &self.object.attributes[number].name
    }

    /// The records of the index of names have a creation order even if the object does not track it, and libhdf5 lists
    /// attributes by it.
    fn creation_order(&self, number: usize) -> u64 {
        number.min(CREATION_ORDER_UNKNOWN) as u64
    }

    fn message(&self, number: usize) -> Encoded<Vec<u8>> {
        attribute_message(&self.object.attributes[number], self.context)
    }
}

impl Messages {
    /// The messages of attributes and, in version 2, of where dense ones are.
    pub(super) fn attributes(
        &mut self,
        object: &Object,
        placed: &PlacedObject,
        context: Context<'_>,
    ) -> Encoded<()> {
        let order = object.attribute_order;
        let dense = placed.attributes.as_ref();
        if placed.header_version >= 2 && (order.tracked || !object.attributes.is_empty()) {
            let count = u16::try_from(object.attributes.len()).unwrap_or(u16::MAX);
            let info = AttributeInfo {
                max_creation_index: order.tracked.then_some(count),
                heap: dense.map(|dense| dense.heap()),
                name_index: dense.map(|dense| dense.name_index()),
                creation_order_index: dense.and_then(|dense| dense.creation_order_index()),
            };
            self.push(MessageKind::ATTRIBUTE_INFO, 0, |out| info.encode(out, order.indexed))?;
        }
        if dense.is_none() {
            for (number, attribute) in object.attributes.iter().enumerate() {
                let body = attribute_message(attribute, context)?;
                let creation_order = order.tracked.then_some(number as u16);
                self.0.push(Message { creation_order, ..message(MessageKind::ATTRIBUTE, 0, body) });
            }
        }
        Ok(())
    }
}
