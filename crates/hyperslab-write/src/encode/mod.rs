//! Encodes the objects of a tree.
//!
//! Sizes do not depend on addresses, so the same functions are used twice: to lay out, with [`Addresses`] that are all
//! 0, and to write, with the real ones.

mod attributes;
mod dataset;
mod links;
mod value;

pub(crate) use attributes::{ObjectAttributes, attribute_message, attribute_storage};
pub(crate) use dataset::contiguous_bytes;
pub(crate) use links::{GroupLinks, LinkStorage, link, link_message, link_storage};
pub(crate) use value::{Addresses, NotPlaced, value_bytes};

use crate::options::WIDTHS;
use crate::placed::PlacedObject;
use crate::tree::{DatatypeUse, Object, ObjectSpec};
use crate::versions::Versions;
use hyperslab_format::message::{Comment, Datatype, ModificationTime, ReferenceCount};
use hyperslab_format::object_header::{Message, MessageKind, ObjectHeader};
use hyperslab_format::{Address, EncodeError, Encoder, Name};

pub(crate) type Encoded<T> = Result<T, EncodeError>;

/// What encoding needs beside the object.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub versions: Versions,
    pub addresses: &'a dyn Addresses,
}

impl Context<'static> {
    /// A context for finding out sizes.
    pub fn without_addresses(versions: Versions) -> Self {
        Self { versions, addresses: &NotPlaced }
    }
}

/// Message flag: the message never changes.
const CONSTANT: u8 = 0x01;
/// Message flag: the body is the location of the message.
const SHARED: u8 = 0x02;

/// The largest message of an object header in bytes, which in version 1 is a multiple of 8.
const MESSAGE_BYTES_MAX: usize = 0xfff8;

/// The object header.
pub(crate) fn header(object: &Object, placed: &PlacedObject, context: Context<'_>) -> Encoded<Vec<u8>> {
    let mut messages = Messages::default();
    match &object.spec {
        ObjectSpec::Group(group) => messages.group(group, placed, context)?,
        ObjectSpec::Dataset(dataset) => messages.dataset(dataset, placed, context)?,
        ObjectSpec::Datatype(datatype) => {
            let version = context.versions.datatype;
            messages.push(MessageKind::DATATYPE, CONSTANT, |out| datatype.encode(out, version))?;
        }
    }
    if let Some(comment) = &object.comment {
        messages.push(MessageKind::COMMENT, 0, |out| Comment(Name::clone(comment)).encode(out))?;
    }
    if placed.header_version >= 2 {
        if placed.references != 1 {
            let count = ReferenceCount(placed.references);
            messages.push(MessageKind::REFERENCE_COUNT, 0, |out| count.encode(out))?;
        }
    } else if let Some(times) = object.times {
        // The only time that version 1 has; libhdf5 shows it as the time of the last change.
        let time = ModificationTime(times.change.into());
        messages.push(MessageKind::MODIFICATION_TIME, 0, |out| time.encode(out))?;
    }
    messages.attributes(object, placed, context)?;
    let order = object.attribute_order;
    encode_header(ObjectHeader {
        address: placed.header,
        version: placed.header_version,
        flags: ObjectHeader::attribute_order_flags(order.tracked, order.indexed),
        reference_count: placed.references,
        times: object.times,
        attribute_phase_change: object.attribute_phase_change,
        messages: messages.0,
        blocks: Vec::new(),
    })
}

/// A header with these messages only, for the superblock extension.
pub(crate) fn plain_header(address: Address, messages: Vec<(MessageKind, u8, Vec<u8>)>) -> Encoded<Vec<u8>> {
    encode_header(ObjectHeader {
        address,
        version: 2,
        flags: 0,
        reference_count: 1,
        times: None,
        attribute_phase_change: None,
        messages: messages.into_iter().map(|(kind, flags, body)| message(kind, flags, body)).collect(),
        blocks: Vec::new(),
    })
}

fn encode_header(header: ObjectHeader) -> Encoded<Vec<u8>> {
    let mut out = Encoder::new("object header", WIDTHS);
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

/// A datatype as it is used: with the address of the committed datatype, if it is one.
fn datatype(datatype: &DatatypeUse, context: Context<'_>) -> Datatype {
    let committed = datatype.committed.map(|object| context.addresses.object(object));
    Datatype { committed, ..Datatype::clone(&datatype.datatype) }
}

/// The messages of a header.
#[derive(Default)]
struct Messages(Vec<Message>);

impl Messages {
    fn push(&mut self, kind: MessageKind, flags: u8, encode: impl FnOnce(&mut Encoder)) -> Encoded<()> {
        self.0.push(message(kind, flags, body(kind, encode)?));
        Ok(())
    }
}
