//! Heap IDs of a fractal heap (specification III.G.1 to 3), by which records and messages refer to an object.
//!
//! ```text
//! managed:            version 0, type 0 | offset | length
//! tiny:               version 0, type 2, length - 1 in 4 or 12 bits | object
//! huge, by B-tree:    version 0, type 1 | key
//! huge, direct:       version 0, type 1 | address | length
//! huge, filtered:     version 0, type 1 | address | stored length | filter mask 4 | length
//! ```
//!
//! The kind of a huge ID follows from the length of heap IDs: it is direct if all fields fit.

use super::FractalHeap;
use crate::btree::record::HugeObject;
use crate::{Bytes, Cursor, FormatError, Widths};

/// Heap IDs of equal length, stored contiguously because a group may have millions.
#[derive(Debug, Clone, Default)]
pub struct HeapIds {
    bytes: Vec<u8>,
    id_bytes: usize,
}

impl HeapIds {
    /// An empty list of IDs of `id_bytes` bytes each.
    pub fn of_bytes(id_bytes: usize) -> Self {
        Self { bytes: Vec::new(), id_bytes }
    }

    /// Appends an ID.
    pub fn push(&mut self, id: &[u8]) {
        debug_assert_eq!(id.len(), self.id_bytes);
        self.bytes.extend_from_slice(id);
    }

    /// The number of IDs.
    pub fn len(&self) -> usize {
        self.iter().len()
    }

    /// True if there are no IDs.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.id_bytes.max(1))
    }
}

/// A parsed heap ID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapId {
    /// An object in a managed block.
    Managed {
        /// The offset in managed space.
        offset: u64,
        /// The length in bytes.
        len: u64,
    },
    /// A huge object, found by its key in the B-tree of huge objects.
    HugeKey(u64),
    /// A huge object.
    Huge(HugeObject),
    /// A tiny object: the bytes themselves.
    Tiny(Bytes),
}

const STRUCTURE: &str = "fractal heap ID";

impl FractalHeap {
    /// Parses a heap ID. IDs in records may be longer than the heap's; the rest is padding.
    pub fn heap_id(&self, id: &[u8], widths: Widths) -> Result<HeapId, FormatError> {
        let at = self.address.0;
        let len = usize::from(self.id_bytes);
        if id.len() < len {
            let what = format!("an ID of {} bytes, but the heap's IDs have {len}", id.len());
            return Err(FormatError::invalid(STRUCTURE, "length", at, what));
        }
        let mut cursor = Cursor::new(STRUCTURE, at, Bytes::copy_from_slice(&id[..len]), widths);
        let field = cursor.clone();
        let first = cursor.u8("version and type")?;
        if first & 0xC0 != 0 {
            return Err(field.unsupported("version", format!("unknown version {}", first >> 6)));
        }
        match first >> 4 {
            0 => {
                let offset = cursor.uint("offset", self.offset_bytes())?;
                let len = cursor.uint("length", self.length_bytes())?;
                Ok(HeapId::Managed { offset, len })
            }
            1 if self.huge_ids_are_direct(widths) => {
                let filtered = self.filters.is_some();
                Ok(HeapId::Huge(HugeObject::parse(&mut cursor, false, filtered)?))
            }
            1 => Ok(HeapId::HugeKey(cursor.uint("B-tree key", (len - 1).min(8))?)),
            2 => {
                let (short, extended) = (u32::from(first & 0x0F), len > 18);
                let bytes = if extended { short << 8 | u32::from(cursor.u8("length")?) } else { short } + 1;
                Ok(HeapId::Tiny(cursor.bytes("object", bytes as usize)?))
            }
            other => Err(field.unsupported("type", format!("unknown type {other}"))),
        }
    }

    /// The offset and length of a managed object; `None` for an ID of another kind or one that is too short.
    #[inline]
    pub(super) fn managed_id(&self, id: &[u8]) -> Option<(u64, u64)> {
        let (&first, rest) = id.get(..usize::from(self.id_bytes))?.split_first()?;
        let (offset, rest) = rest.split_at_checked(self.offset_bytes())?;
        let len = rest.get(..self.length_bytes())?;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        (first & 0xF0 == 0).then(|| (number(offset), number(len)))
    }

    fn huge_ids_are_direct(&self, widths: Widths) -> bool {
        let needed = HugeObject::bytes(false, self.filters.is_some(), widths);
        usize::from(self.id_bytes) > needed
    }
}
