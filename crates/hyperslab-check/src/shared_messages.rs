//! Shared messages (specification III.I): the table, the lists or B-trees of messages, and the heaps with them.

use crate::checker::{Checked, Checker};
use crate::fractal_heap::CheckedHeap;
use crate::rule::rules;
use hyperslab_format::Cursor;
use hyperslab_format::btree::record::{SharedLocation, SharedMessage};
use hyperslab_format::checksum::lookup3_from;
use hyperslab_format::message::SharedMessageTableInfo;
use hyperslab_format::object_header::{SharedMessageIndex, SharedMessageList, SharedMessageTable};

rules! { RULES:
    /// The number of messages in an index of shared messages is that of its list or B-tree.
    SHARED_COUNT = Error "shared-message-count", "III.I";
    /// The hash of a shared message is that of its bytes, with the type of the message as initial value.
    SHARED_HASH = Error "shared-message-hash", "III.I; H5SM.c";
    /// The reference count of a shared message is the number of messages that refer to it; the first object with the message
    /// may have it in its header instead.
    SHARED_REFERENCES = Error "shared-message-references", "III.I";
    /// A message type is shared by one index at most.
    SHARED_TYPES = Error "shared-message-types", "III.I";
}

const TABLE: &str = "shared message table";
const LIST: &str = "shared message list";

/// A message in a heap: where its entry is, its hash, and how many messages refer to it.
struct Entry {
    at: u64,
    hash: u32,
    references: u32,
    heap_id: Vec<u8>,
}

impl Checker<'_> {
    /// Checks the table, the indexes and the heaps.
    pub(crate) fn check_shared_table(&mut self, info: SharedMessageTableInfo) -> Checked {
        let index_bytes = 14 + 2 * u64::from(self.view.widths.offset);
        self.claim(TABLE, info.address, 8 + u64::from(info.indexes) * index_bytes)?;
        let table = SharedMessageTable::parse(self.view, info)?;
        let at = self.view.absolute(info.address);
        let mut types = 0;
        for index in &table.indexes {
            self.demand(types & index.types == 0, &SHARED_TYPES, TABLE, at, || {
                format!("the types {:#06x} are shared twice", types & index.types)
            });
            types |= index.types;
        }
        for index in &table.indexes {
            let checked = self.check_shared_index(index, at);
            self.finish(checked);
        }
        Ok(())
    }

    fn check_shared_index(&mut self, index: &SharedMessageIndex, table_at: u64) -> Checked {
        let mut entries = Vec::new();
        let mut in_headers = 0u64;
        let mut add = |at, SharedMessage { hash, location }| match location {
            SharedLocation::Heap { references, heap_id } => {
                entries.push(Entry { at, hash, references, heap_id: heap_id.to_vec() });
            }
            SharedLocation::ObjectHeader { .. } => in_headers += 1,
        };
        if index.is_btree {
            if let Some(address) = index.index {
                let record_bytes = 5 + 4 + usize::from(self.view.widths.offset).max(8);
                self.check_btree_v2(address, (7, record_bytes), &mut |_, mut record: Cursor| {
                    add(record.at(), SharedMessage::parse(&mut record)?);
                    Ok(())
                })?;
            }
        } else if let Some(address) = index.index {
            let entry_bytes = 5 + u64::from(self.view.widths.offset).max(8) + 4;
            // The list has room for its maximum.
            self.claim(LIST, address, 8 + u64::from(index.list_max) * entry_bytes)?;
            let at = self.view.absolute(address);
            let list = SharedMessageList::parse(self.view, index)?;
            list.into_iter().flat_map(|list| list.messages).for_each(|message| add(at, message));
        }
        let found = entries.len() as u64 + in_headers;
        self.demand(found == u64::from(index.messages), &SHARED_COUNT, TABLE, table_at, || {
            format!("{} messages according to the table, {found} in the index", index.messages)
        });
        let Some(address) = index.heap else { return Ok(()) };
        let heap = self.check_fractal_heap(address)?;
        self.check_shared_heap(&heap, &entries, index.types)?;
        for entry in entries {
            if let Ok(id) = <[u8; 8]>::try_from(&entry.heap_id[..]) {
                self.shared_entries.entries.insert((address, id), (entry.at, entry.references));
            }
        }
        Ok(())
    }

    fn check_shared_heap(&mut self, heap: &CheckedHeap, entries: &[Entry], types: u16) -> Checked {
        let ids: Vec<Vec<u8>> = entries.iter().map(|entry| entry.heap_id.clone()).collect();
        let mut found = Vec::new();
        self.check_heap_objects(heap, &ids, &mut |number, object| found.push((number, object)))?;
        for (number, object) in found {
            let entry = &entries[number];
            let Some(object) = self.finish(object.map_err(Into::into)) else { continue };
            // The entry does not say which of the types of its index the message has.
            let mut kinds = (0..u16::BITS).filter(|kind| types & 1 << kind != 0);
            let is_right = kinds.any(|kind| lookup3_from(&object.bytes, kind) == entry.hash);
            self.demand(is_right, &SHARED_HASH, LIST, entry.at, || {
                format!(
                    "no message of the types {types:#06x} with these bytes has the hash {:#010x}",
                    entry.hash
                )
            });
        }
        Ok(())
    }

    /// Compares the reference counts of shared messages with the references that were found.
    pub(crate) fn check_shared_references(&mut self) {
        self.enter("");
        let entries = std::mem::take(&mut self.shared_entries.entries);
        for (key, (at, stated)) in entries {
            let found = self.shared_uses.get(&key).copied().unwrap_or_default();
            // The first object with a message may keep it in its header, and counts, too.
            let stated = u64::from(stated);
            self.demand(found == stated || found + 1 == stated, &SHARED_REFERENCES, LIST, at, || {
                format!("a reference count of {stated}, but {found} messages refer to the message")
            });
        }
    }
}
