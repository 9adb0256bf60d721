//! Dense attribute storage: attribute messages in a fractal heap, indexed by version 2 B-trees of the hashes of their
//! names (type 8) or of their creation order (type 9). A message is returned as bytes or, if it is shared, as its heap
//! ID among the shared messages of the file.

use super::dense::Dense;
use crate::btree::record::AttributeEntry;
use crate::btree::v2::Records;
use crate::checksum::lookup3;
use crate::heap::fractal::{HeapIds, HeapObject, Unfilter};
use crate::message::AttributeInfo;
use crate::{Bytes, FormatError, Parse, View};

/// An attribute whose message has not been parsed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenseAttribute {
    /// Flags of the message.
    pub flags: u8,
    /// The position in creation order; meaningless if the object does not track it.
    pub creation_order: u32,
    /// The message.
    pub body: Body,
}

/// The location of an attribute message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// The bytes of the message.
    Message(HeapObject),
    /// In the shared messages of the file, in the fractal heap for attributes.
    Shared {
        /// Its heap ID there.
        heap_id: Bytes,
    },
}

/// Lists all attributes in an object's dense storage, in creation order if there is an index of it, otherwise in order
/// of hash. Returns `None` if all attributes are messages of the object header.
pub fn list(info: &AttributeInfo) -> Option<Attributes> {
    let (records, by_name) = match (info.creation_order_index, info.name_index) {
        (Some(index), _) => (Records::all(index, 9).of_bytes(AttributeEntry::BYTES_BY_ORDER), false),
        (None, Some(index)) => (Records::all(index, 8).of_bytes(AttributeEntry::BYTES_BY_NAME), true),
        (None, None) => return None,
    };
    Some(Attributes::new(Dense::new(info.heap?, records), by_name, None))
}

/// Looks up the attributes in dense storage whose names have the hash of `name`: usually none or the wanted one, but
/// the caller must compare names. Returns `None` if all attributes are messages of the object header.
pub fn lookup(info: &AttributeInfo, name: &[u8]) -> Option<Attributes> {
    let hash = lookup3(name);
    let of = |record: &[u8]| record.last_chunk().map(|hash| u32::from_le_bytes(*hash));
    let records = Records::with_key(info.name_index?, 8, hash, of);
    let records = records.of_bytes(AttributeEntry::BYTES_BY_NAME);
    Some(Attributes::new(Dense::new(info.heap?, records), true, Some(hash)))
}

/// A listing or lookup in progress.
#[derive(Debug)]
pub struct Attributes {
    dense: Dense,
    by_name: bool,
    hash: Option<u32>,
    places: Vec<Result<AttributeEntry, FormatError>>,
    /// The object's own messages, in the order of their offsets.
    messages: Vec<Option<Result<HeapObject, FormatError>>>,
}

/// The size of a heap ID in the records of attributes, in bytes.
const ID_BYTES: usize = 8;

impl Attributes {
    fn new(dense: Dense, by_name: bool, hash: Option<u32>) -> Self {
        Self { dense, by_name, hash, places: Vec::new(), messages: Vec::new() }
    }

    /// Continues the listing or lookup.
    pub fn advance(
        &mut self,
        view: &View,
        unfilter: &dyn Unfilter,
    ) -> Parse<Vec<Result<DenseAttribute, FormatError>>> {
        if let Some(runs) = self.dense.runs(view)? {
            for run in runs {
                match run {
                    Ok(run) => self.places.extend(
                        run.cursors(view.widths)
                            .map(|mut cursor| AttributeEntry::parse(&mut cursor, self.by_name))
                            .filter(|entry| match (entry, self.hash) {
                                (Ok(entry), Some(hash)) => entry.hash == Some(hash),
                                _ => true,
                            }),
                    ),
                    Err(error) => self.places.push(Err(error)),
                }
            }
            let own = self.places.iter().flatten().filter(|entry| !entry.is_shared());
            let mut ids = HeapIds::of_bytes(ID_BYTES);
            own.for_each(|entry| ids.push(&entry.heap_id));
            self.messages.resize(ids.len(), None);
            self.dense.seek(ids);
        }
        let messages = &mut self.messages;
        self.dense.objects(view, unfilter, &mut |number, message| messages[number] = Some(message))?;
        let mut messages = std::mem::take(messages).into_iter().flatten();
        let attributes = self.places.drain(..).filter_map(|place| {
            let entry = match place {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error)),
            };
            let body = if entry.is_shared() {
                Body::Shared { heap_id: entry.heap_id }
            } else {
                match messages.next()? {
                    Ok(message) => Body::Message(message),
                    Err(error) => return Some(Err(error)),
                }
            };
            Some(Ok(DenseAttribute { flags: entry.flags, creation_order: entry.creation_order, body }))
        });
        Ok(attributes.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Address;
    use crate::btree::v2::tests::{header as tree, node};
    use crate::heap::NoFilters;
    use crate::heap::fractal::tests::{SHAPE, Shape, direct, header, managed};
    use crate::testing::{Build, every_prefix_fails};

    fn record(id: [u8; 8], flags: u8, order: u32, name: Option<&[u8]>) -> Vec<u8> {
        let hash = name.map(|name| lookup3(name).to_le_bytes());
        [&id[..], &[flags], &order.to_le_bytes(), hash.as_ref().map_or(&[][..], |hash| &hash[..])].concat()
    }

    fn id(offset: u16, len: u8) -> [u8; 8] {
        let mut id = [0; 8];
        id[..7].copy_from_slice(&managed(offset, len));
        id
    }

    /// Two attributes of the object itself, and a shared one.
    fn object() -> Build {
        let image = header(Build::default(), &Shape { id_bytes: 8, root: 200, ..SHAPE }).pad_to(200);
        let image = direct(image, 0, 0, 64, b"first body, second body").pad_to(300);
        let records = |by_name: bool| {
            let name = |name: &'static [u8]| by_name.then_some(name);
            let mut records = vec![
                record(id(31, 11), 0, 1, name(b"second")),
                record(*b"\0shared!", 2, 0, name(b"shared")),
                record(id(19, 10), 0, 2, name(b"first")),
            ];
            records.sort_by_key(|record| match by_name {
                true => u32::from_le_bytes([record[13], record[14], record[15], record[16]]),
                false => u32::from_le_bytes([record[9], record[10], record[11], record[12]]),
            });
            records
        };
        let image = tree(image, 8, (128, 17), 0, Address(400), 3).pad_to(400);
        let image = node(image, 8, &records(true), &[]).pad_to(500);
        let image = tree(image, 9, (128, 13), 0, Address(600), 3).pad_to(600);
        node(image, 9, &records(false), &[])
    }

    /// An object of the block at byte 200.
    fn message(text: &'static str, within: u64) -> Body {
        Body::Message(HeapObject::plain(text.into(), 200 + within))
    }

    fn info(ordered: bool) -> AttributeInfo {
        AttributeInfo {
            max_creation_index: None,
            heap: Some(Address(0)),
            name_index: Some(Address(300)),
            creation_order_index: ordered.then_some(Address(500)),
        }
    }

    #[test]
    fn lists_own_and_shared_messages() {
        let mut listed = list(&info(true)).unwrap().advance(&object().view(), &NoFilters).unwrap();
        assert_eq!(listed.len(), 3);
        let last = listed.pop().unwrap().unwrap();
        assert_eq!((last.creation_order, last.body), (2, message("first body", 19)));
        let middle = listed.pop().unwrap().unwrap();
        assert_eq!((middle.creation_order, middle.body), (1, message("second body", 31)));
        let first = listed.pop().unwrap().unwrap();
        assert_eq!(
            (first.flags, first.body),
            (2, Body::Shared { heap_id: Bytes::from_static(b"\0shared!") })
        );
        every_prefix_fails(&object(), |view| list(&info(true)).unwrap().advance(view, &NoFilters));
    }

    #[test]
    fn finds_by_hash_of_name() {
        let found = |name: &[u8]| -> Vec<Body> {
            let mut found = lookup(&info(false), name).unwrap();
            let found = found.advance(&object().view(), &NoFilters).unwrap();
            found.into_iter().map(|attribute| attribute.unwrap().body).collect()
        };
        assert_eq!(found(b"first"), [message("first body", 19)]);
        assert_eq!(found(b"other"), []);
        assert_eq!(list(&info(false)).unwrap().advance(&object().view(), &NoFilters).unwrap().len(), 3);
    }
}
