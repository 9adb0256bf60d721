//! Global heap collections (specification III.E), to which elements of datasets and attributes refer.
//!
//! Nothing else leads to a collection. Those that attributes and virtual datasets refer to are found by following the
//! references. The others are looked for among the bytes that are unaccounted for, unless raw data is read.

use crate::checker::{Checked, Checker};
use crate::rule::rules;
use hyperslab_format::Address;
use hyperslab_format::heap::global::{Collection, STRUCTURE};
use std::collections::{HashMap, HashSet};

rules! { RULES:
    /// The objects of a global heap collection have different indexes, and lie inside it.
    HEAP_INDEXES = Error "global-heap-indexes", "III.E";
    /// The free space of a collection reaches to its end.
    HEAP_REST = Error "global-heap-free-space", "III.E";
    /// A collection has at least 4096 bytes: the library refuses smaller ones.
    HEAP_SIZE = Error "global-heap-size", "III.E; H5HGcache.c";
    /// A reference to the global heap leads to an object of the size that the element needs.
    HEAP_REFERENCE = Error "global-heap-reference", "III.E, IV.A.2.d";
    /// An object reference leads to an object of the file.
    DANGLING_REFERENCE = Note "dangling-reference", "IV.A.2.d";
}

/// How a collection begins: its signature, its version, and reserved bytes. The library allocates them at any offset, such as
/// behind a chunk of an odd size.
const START: &[u8] = b"GCOL\x01\0\0\0";
/// Bytes that are searched at once.
const WINDOW_BYTES: u64 = 1 << 20;
/// Parsed collections are dropped above so many bytes.
const KEPT_BYTES_MAX: usize = 16 << 20;
/// `H5HG_MINSIZE`.
const COLLECTION_BYTES_MIN: u64 = 4096;

/// The collections that have been checked.
#[derive(Default)]
pub(crate) struct Collections {
    checked: HashSet<Address>,
    parsed: HashMap<Address, Option<Collection>>,
    parsed_bytes: usize,
}

impl Checker<'_> {
    /// An object of a collection, which is checked when it is first needed. `None` after a finding.
    pub(crate) fn global_heap_object(
        &mut self,
        collections: &mut Collections,
        address: Address,
        index: u32,
        at: u64,
    ) -> Option<hyperslab_format::Bytes> {
        if collections.checked.insert(address) {
            let checked = self.check_collection(address);
            self.finish(checked);
        }
        if !collections.parsed.contains_key(&address) {
            if collections.parsed_bytes > KEPT_BYTES_MAX {
                collections.parsed.clear();
                collections.parsed_bytes = 0;
            }
            let parsed = Collection::parse(&self.view, address).ok();
            collections.parsed_bytes += parsed.as_ref().map_or(0, Collection::size);
            collections.parsed.insert(address, parsed);
        }
        let collection = collections.parsed[&address].as_ref()?;
        match collection.object(index) {
            Ok(object) => Some(object),
            Err(_) => {
                let what = format!("object {index} of the collection at {address} does not exist");
                self.report(&HEAP_REFERENCE, "global heap object", at, what);
                None
            }
        }
    }

    /// Checks all fields of a collection.
    fn check_collection(&mut self, address: Address) -> Checked {
        let header = (8 + usize::from(self.view.widths.length)).next_multiple_of(8);
        let size = Collection::parse(&self.view, address)?.size() as u64;
        let mut cursor = self.cursor(STRUCTURE, address, size)?;
        let start = cursor.at();
        cursor.skip("signature and version", 5)?;
        self.reserved(&mut cursor, "reserved", 3)?;
        cursor.length("collection size")?;
        cursor.align(8);
        self.demand(size >= COLLECTION_BYTES_MIN, &HEAP_SIZE, STRUCTURE, start, || {
            format!("a collection of {size} bytes")
        });
        let mut seen = HashSet::new();
        while cursor.left() >= header {
            let (at, left) = (cursor.at(), cursor.left() as u64);
            let index = cursor.u16("heap object index")?;
            cursor.skip("reference count", 2)?;
            self.reserved(&mut cursor, "reserved", 4)?;
            let bytes = cursor.length("object size")?;
            cursor.align(8);
            if index == 0 {
                // The size includes the header.
                self.demand(bytes == left, &HEAP_REST, STRUCTURE, at, || {
                    format!("{bytes} free bytes, but {left} to the end of the collection")
                });
                break;
            }
            self.demand(seen.insert(index), &HEAP_INDEXES, STRUCTURE, at, || {
                format!("a second object {index}")
            });
            let padded = bytes.checked_next_multiple_of(8).unwrap_or(u64::MAX);
            let fits = padded <= left - header as u64;
            self.demand(fits, &HEAP_INDEXES, STRUCTURE, at, || {
                format!("object {index} has {bytes} bytes, padded to 8, of {left} that are left")
            });
            cursor.skip("object", usize::try_from(padded).unwrap_or(usize::MAX).min(cursor.left()))?;
        }
        Ok(())
    }

    /// Looks for collections among the bytes that are unaccounted for, and checks them.
    pub(crate) fn find_collections(&mut self, collections: &mut Collections) {
        let base = self.view.base;
        let unclaimed = self.unclaimed();
        self.input.read_ahead(unclaimed.iter().map(|&(start, end)| {
            let start = start.max(base);
            start..start.saturating_add(WINDOW_BYTES).min(end).max(start)
        }));
        for (start, end) in unclaimed {
            let mut at = start.max(base);
            while at < end && !self.input.has_failed() {
                let window = WINDOW_BYTES.min(end - at);
                let Some(bytes) = self.input.read(at, window) else { return };
                // A collection may begin in one window and go on in the next.
                let overlap = if at + window < end { START.len() as u64 - 1 } else { 0 };
                let mut next = at + window.saturating_sub(overlap).max(1);
                for offset in memchr::memmem::find_iter(&bytes[..], START) {
                    let offset = offset as u64;
                    let address = Address(at + offset - base);
                    if let Ok(found) = Collection::parse(&self.view, address)
                        && at + offset + found.size() as u64 <= end
                    {
                        if collections.checked.insert(address) {
                            let checked = self.check_collection(address);
                            self.finish(checked);
                        }
                        next = at + offset + found.size() as u64;
                        break;
                    }
                }
                at = next;
            }
        }
    }
}
