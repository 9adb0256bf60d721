//! Huge objects of a fractal heap: those that are too large for a block and are stored separately in the file.
//!
//! If a heap ID has no room for address and length, it is a key in a version 2 B-tree of type 1, or 2 if filtered.

use super::{FractalHeap, HeapObject, Unfilter};
use crate::btree::record::HugeObject;
use crate::btree::v2::Records;
use crate::{Cursor, FormatError, Parse, View, Widths, limits};
use std::collections::HashMap;

/// The B-tree of huge objects, as far as it has been read.
#[derive(Debug)]
pub(super) struct HugeIndex {
    records: Records,
    objects: Option<HashMap<u64, HugeObject>>,
}

const STRUCTURE: &str = "fractal heap huge object";

impl HugeIndex {
    /// Reads the whole tree, or only the path to the object with the key `key`.
    pub(super) fn new(
        heap: &FractalHeap,
        key: Option<u64>,
        at: u64,
        widths: Widths,
    ) -> Result<Self, FormatError> {
        let address = heap.huge_index.ok_or_else(|| {
            FormatError::invalid(
                STRUCTURE,
                "B-tree address of huge objects",
                at,
                "the heap has no such B-tree",
            )
        })?;
        let filtered = heap.filters.is_some();
        let kind = if filtered { 2 } else { 1 };
        let record_bytes = HugeObject::bytes(true, filtered, widths);
        let records = match key {
            None => Records::all(address, kind),
            Some(key) => {
                let id = move |record: &[u8]| {
                    let bytes = bytes::Bytes::copy_from_slice(record);
                    let mut cursor = Cursor::new(STRUCTURE, 0, bytes, widths);
                    HugeObject::parse(&mut cursor, true, filtered).ok().and_then(|object| object.id)
                };
                Records::with_key(address, kind, key, id)
            }
        };
        Ok(Self { records: records.of_bytes(record_bytes), objects: None })
    }

    /// The object with this key.
    pub(super) fn find(&mut self, view: &View, filtered: bool, key: u64) -> Parse<HugeObject> {
        if self.objects.is_none() {
            let mut objects = HashMap::new();
            for run in self.records.advance(view)? {
                for mut cursor in run.cursors(view.widths) {
                    let object = HugeObject::parse(&mut cursor, true, filtered)?;
                    objects.extend(object.id.map(|id| (id, object)));
                }
            }
            self.objects = Some(objects);
        }
        let found = self.objects.as_ref().and_then(|objects| objects.get(&key)).cloned();
        Ok(found.ok_or_else(|| {
            FormatError::invalid(STRUCTURE, "B-tree key", 0, format!("there is no huge object {key}"))
        })?)
    }
}

impl FractalHeap {
    /// The bytes of a huge object.
    pub(super) fn huge_object(
        &self,
        view: &View,
        object: &HugeObject,
        unfilter: &dyn Unfilter,
    ) -> Parse<HeapObject> {
        let at = view.absolute(object.address);
        let (max, found) = (limits::HEAP_OBJECT_BYTES_MAX, object.stored_bytes);
        if found > max {
            return Err(
                FormatError::limit(STRUCTURE, "length", at, "HEAP_OBJECT_BYTES_MAX", max, found).into()
            );
        }
        let stored = view.bytes(STRUCTURE, object.address, object.stored_bytes)?;
        match (&self.filters, object.filtered) {
            (Some(filters), Some((mask, len))) => {
                Ok(HeapObject::derived(filters.undo(unfilter, (at, mask), stored, len)?, at))
            }
            _ => Ok(HeapObject::plain(stored, at)),
        }
    }
}
