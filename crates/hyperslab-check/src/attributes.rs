//! Dense storage of links and attributes (a fractal heap, and B-trees of names and of creation order), and the creation
//! order of all links and attributes.

use crate::checker::{Checked, Checker};
use crate::rule::rules;
use hyperslab_format::btree::record::AttributeEntry;
use hyperslab_format::checksum::lookup3;
use hyperslab_format::message::{Attribute, AttributeInfo, Link, LinkInfo};
use hyperslab_format::object_header::{Message, MessageKind, ObjectHeader};
use hyperslab_format::{Address, Cursor, FormatError, Name};
use std::collections::HashSet;

rules! { RULES:
    /// The number of records in a version 2 B-tree and in each of its nodes is what the header and the parents say.
    TREE_COUNT = Error "tree-count", "III.A.2";
    /// The records of a version 2 B-tree are in the order of their keys.
    TREE_ORDER = Error "tree-order", "III.A.2";
    /// The hash in the index of names is that of the name that the record leads to.
    NAME_HASH = Error "name-hash", "III.A.2.g, III.A.2.j";
    /// The index of creation order has the same links or attributes as the index of names.
    ORDER_INDEX = Error "order-index", "III.A.2.h, III.A.2.k";
    /// Creation orders are unique, and less than the next one that the object states.
    CREATION_ORDER = Error "creation-order", "IV.A.2.c, IV.A.2.v";
    /// Links or attributes are either all in the object header, or all in dense storage.
    COMPACT_AND_DENSE = Error "compact-and-dense", "IV.A.2.c, IV.A.2.v";
    /// Dense storage has a heap and an index of names, or neither.
    DENSE_STORAGE = Error "dense-storage", "IV.A.2.c, IV.A.2.v";
    /// The names of the links of a group, and of the attributes of an object, are unique.
    NAME_TWICE = Error "name-twice", "IV.A.2.g, IV.A.2.m";
}

const RECORD: &str = "version 2 B-tree record";
/// The flag of an attribute in dense storage that is in the heap of shared messages.
const SHARED: u8 = 0x02;

/// What dense storage has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Links,
    Attributes,
}

/// A record of an index.
#[derive(Debug, Clone)]
struct Record {
    at: u64,
    /// The hash of the name, or the creation order.
    key: u64,
    id: Vec<u8>,
    /// Creation order and flags of an attribute.
    attribute: Option<(u32, u8)>,
}

/// The addresses of dense storage.
#[derive(Debug, Clone, Copy)]
struct Dense {
    kind: Kind,
    heap: Option<Address>,
    by_name: Option<Address>,
    by_order: Option<Address>,
}

/// The bytes of a stored link or attribute, or the error if they cannot be read.
type StoredMessage = Result<Cursor, FormatError>;

impl Kind {
    fn records(self, by_name: bool) -> (u8, usize) {
        match (self, by_name) {
            (Self::Links, true) => (5, 11),
            (Self::Links, false) => (6, 15),
            (Self::Attributes, true) => (8, AttributeEntry::BYTES_BY_NAME),
            (Self::Attributes, false) => (9, AttributeEntry::BYTES_BY_ORDER),
        }
    }

    fn parse(self, mut record: Cursor, by_name: bool) -> Result<Record, FormatError> {
        let at = record.at();
        if self == Self::Links {
            let key = record.uint("key", if by_name { 4 } else { 8 })?;
            return Ok(Record { at, key, id: record.bytes("heap ID", 7)?.to_vec(), attribute: None });
        }
        let entry = AttributeEntry::parse(&mut record, by_name)?;
        let key = if by_name { entry.hash.unwrap_or_default() } else { entry.creation_order };
        let attribute = Some((entry.creation_order, entry.flags));
        Ok(Record { at, key: key.into(), id: entry.heap_id.to_vec(), attribute })
    }
}

impl Checker<'_> {
    /// Checks the links of a new-style group and returns them.
    pub(crate) fn check_links(&mut self, header: &ObjectHeader) -> Checked<Vec<Link>> {
        let widths = self.view.widths;
        let mut links = Vec::new();
        for message in header.all(MessageKind::LINK) {
            links.extend(Link::parse(message.cursor(widths)).ok());
        }
        let at = self.view.absolute(header.address);
        let Some(info) = header.link_info(widths)? else { return Ok(links) };
        let LinkInfo { heap, name_index, creation_order_index, .. } = info;
        let dense = Dense { kind: Kind::Links, heap, by_name: name_index, by_order: creation_order_index };
        let stored = self.check_dense(dense, at)?;
        self.demand(
            links.is_empty() || stored.is_empty(),
            &COMPACT_AND_DENSE,
            "link info message",
            at,
            || format!("{} links in the object header, {} in dense storage", links.len(), stored.len()),
        );
        for (record, message) in stored {
            let read = message.map_err(Into::into).and_then(|mut cursor| self.read_link(&mut cursor));
            let Some(link) = self.finish(read) else { continue };
            self.check_hash(&record, &link.name);
            links.push(link);
        }
        let orders: Vec<Option<u64>> =
            links.iter().map(|link| link.creation_order.map(|order| order as u64)).collect();
        self.check_creation_order("link info message", at, &orders, info.max_creation_index);
        self.check_unique("link message", at, links.iter().map(|link| &link.name));
        Ok(links)
    }

    /// Checks the attributes of an object and returns them, each with the offset of its data in the file or of what its
    /// data was made from.
    pub(crate) fn check_attributes(&mut self, header: &ObjectHeader) -> Checked<Vec<(Attribute, u64)>> {
        let widths = self.view.widths;
        let at = self.view.absolute(header.address);
        let (mut attributes, mut orders) = (Vec::new(), Vec::new());
        for message in header.all(MessageKind::ATTRIBUTE) {
            let read = if message.is_shared() {
                self.read_shared_attribute(message)
            } else {
                let mut cursor = message.cursor(widths);
                self.read_attribute(&mut cursor, message.creation_order.map(u32::from)).and_then(
                    |attribute| {
                        self.check_attribute_end(&mut cursor, header.version)?;
                        Ok(attribute)
                    },
                )
            };
            orders.push(message.creation_order.map(u64::from));
            attributes.extend(self.finish(read).map(|attribute| (attribute, message.at)));
        }
        if let Some(info) = header.attribute_info(widths)? {
            let AttributeInfo { heap, name_index, creation_order_index, .. } = info;
            let dense =
                Dense { kind: Kind::Attributes, heap, by_name: name_index, by_order: creation_order_index };
            let stored = self.check_dense(dense, at)?;
            let is_one = attributes.is_empty() || stored.is_empty();
            self.demand(is_one, &COMPACT_AND_DENSE, "attribute info message", at, || {
                format!(
                    "{} attributes in the object header, {} in dense storage",
                    attributes.len(),
                    stored.len()
                )
            });
            for (record, message) in stored {
                let order = record.attribute.map(|(order, _)| order);
                let at = message.as_ref().map_or(record.at, Cursor::at);
                self.counts_uses = !is_shared(&record) || self.shared_attributes.insert(record.id.clone());
                let read = message
                    .map_err(Into::into)
                    .and_then(|mut cursor| self.read_attribute(&mut cursor, order));
                self.counts_uses = true;
                let Some(attribute) = self.finish(read) else { continue };
                self.check_hash(&record, &attribute.name);
                orders.push(order.filter(|_| info.tracks_creation_order()).map(u64::from));
                attributes.push((attribute, at));
            }
            let next = info.max_creation_index.map(u64::from);
            self.check_creation_order("attribute info message", at, &orders, next);
        }
        self.check_unique("attribute message", at, attributes.iter().map(|(attribute, _)| &attribute.name));
        Ok(attributes)
    }

    fn read_shared_attribute(&mut self, message: &Message) -> Checked<Attribute> {
        let mut location = message.cursor(self.view.widths);
        self.read_shared_location(message.kind, &mut location)?;
        let resolved = self.with_context(|context| context.resolve_message(message))?;
        let mut cursor = resolved.cursor;
        let is_first = self.shared_attributes.insert(shared_id(&message.body));
        self.counts_uses = is_first;
        let read = self.read_attribute(&mut cursor, message.creation_order.map(u32::from));
        self.counts_uses = true;
        read
    }

    fn check_attribute_end(&mut self, cursor: &mut Cursor, header_version: u8) -> Checked {
        let padding = if header_version == 1 { 7 } else { 0 };
        let (at, left) = (cursor.at(), cursor.left());
        self.demand(left <= padding, &crate::message::MESSAGE_END, cursor.structure(), at, || {
            format!("{left} bytes follow the data of the attribute")
        });
        Ok(())
    }

    /// Checks a heap and its indexes. Returns the messages in it, in the order of the index of names.
    fn check_dense(&mut self, dense: Dense, at: u64) -> Checked<Vec<(Record, StoredMessage)>> {
        let structure =
            if dense.kind == Kind::Links { "link info message" } else { "attribute info message" };
        let (Some(heap), Some(by_name)) = (dense.heap, dense.by_name) else {
            let is_empty = dense.heap.is_none() && dense.by_name.is_none() && dense.by_order.is_none();
            self.demand(is_empty, &DENSE_STORAGE, structure, at, || {
                format!("a heap at {:?}, and an index of names at {:?}", dense.heap, dense.by_name)
            });
            return Ok(Vec::new());
        };
        let heap = self.check_fractal_heap(heap)?;
        let records = self.check_index(dense.kind, by_name, true);
        if let Some(by_order) = dense.by_order {
            let ordered = self.check_index(dense.kind, by_order, false);
            self.compare_indexes(structure, at, &records, &ordered);
        }
        // What is shared is in another heap.
        let own: Vec<&Record> = records.iter().filter(|record| !is_shared(record)).collect();
        let ids: Vec<Vec<u8>> = own.iter().map(|record| record.id.clone()).collect();
        let mut found: Vec<Option<StoredMessage>> = vec![None; ids.len()];
        let widths = self.view.widths;
        let name =
            if dense.kind == Kind::Links { "link message in a fractal heap" } else { "attribute message" };
        self.check_heap_objects(&heap, &ids, &mut |number, object| {
            found[number] = Some(object.map(|object| object.into_cursor(name, widths)));
        })?;
        let mut found = found.into_iter();
        let mut messages = Vec::new();
        for record in records {
            if !is_shared(&record) {
                messages.extend(found.next().flatten().map(|message| (record, message)));
                continue;
            }
            let cursor = self.shared_attribute(&record);
            messages.extend(self.finish(cursor).map(|cursor| (record, Ok(cursor))));
        }
        Ok(messages)
    }

    /// The message of an attribute in the heap of shared messages.
    fn shared_attribute(&mut self, record: &Record) -> Checked<Cursor> {
        if let Ok(id) = <[u8; 8]>::try_from(&record.id[..]) {
            self.use_shared(MessageKind::ATTRIBUTE, id);
        }
        self.with_context(|context| context.heap_message(MessageKind::ATTRIBUTE, &record.id, record.at))
    }

    /// Checks an index and returns its records.
    fn check_index(&mut self, kind: Kind, address: Address, by_name: bool) -> Vec<Record> {
        let mut records: Vec<Record> = Vec::new();
        let checked = self.check_btree_v2(address, kind.records(by_name), &mut |checker, record| {
            let record = kind.parse(record, by_name)?;
            let last = records.last().map(|last| last.key);
            // Different names may have the same hash; a creation order is unique.
            let ascends = last.is_none_or(|last| last < record.key || (by_name && last == record.key));
            checker.demand(ascends, &TREE_ORDER, RECORD, record.at, || {
                format!("the key {:#x} comes after {:#x}", record.key, last.unwrap_or_default())
            });
            records.push(record);
            Ok(())
        });
        self.finish(checked);
        records
    }

    fn compare_indexes(&mut self, structure: &'static str, at: u64, by_name: &[Record], by_order: &[Record]) {
        let ids: HashSet<&[u8]> = by_name.iter().map(|record| &record.id[..]).collect();
        let other: HashSet<&[u8]> = by_order.iter().map(|record| &record.id[..]).collect();
        let is_same = by_name.len() == by_order.len() && ids == other;
        self.demand(is_same, &ORDER_INDEX, structure, at, || {
            format!(
                "{} entries by name, {} by creation order, {} in both",
                by_name.len(),
                by_order.len(),
                ids.intersection(&other).count()
            )
        });
    }

    fn check_hash(&mut self, record: &Record, name: &Name) {
        let hash = u64::from(lookup3(name.as_bytes()));
        self.demand(record.key == hash, &NAME_HASH, RECORD, record.at, || {
            format!("the hash of {name} is {hash:#010x}, the index has {:#010x}", record.key)
        });
    }

    /// Checks that creation orders are unique and less than `next`.
    fn check_creation_order(
        &mut self,
        structure: &'static str,
        at: u64,
        orders: &[Option<u64>],
        next: Option<u64>,
    ) {
        let Some(next) = next else { return };
        let mut seen = HashSet::new();
        for order in orders {
            match order {
                Some(order) => {
                    self.demand(seen.insert(order) && *order < next, &CREATION_ORDER, structure, at, || {
                        format!("creation order {order} occurs twice or is not less than {next}")
                    });
                }
                None => self.report(&CREATION_ORDER, structure, at, "an entry has no creation order"),
            }
        }
    }

    fn check_unique<'n>(&mut self, structure: &'static str, at: u64, names: impl Iterator<Item = &'n Name>) {
        let mut seen = HashSet::new();
        for name in names {
            self.demand(seen.insert(name), &NAME_TWICE, structure, at, || format!("{name} occurs twice"));
        }
    }
}

/// The heap ID at the end of a shared message: version, type, ID.
fn shared_id(body: &[u8]) -> Vec<u8> {
    body.get(2..10).unwrap_or(body).to_vec()
}

fn is_shared(record: &Record) -> bool {
    record.attribute.is_some_and(|(_, flags)| flags & SHARED != 0)
}
