//! Heap IDs of a fractal heap (specification III.G.1 to 3): what a record or message keeps of an object.
//!
//! ```text
//! managed:            version 0, type 0 | offset | length
//! tiny:               version 0, type 2, length - 1 in 4 or 12 bits | object
//! huge, by B-tree:    version 0, type 1 | key
//! huge, direct:       version 0, type 1 | address | length
//! huge, filtered:     version 0, type 1 | address | stored length | filter mask 4 | length
//! ```
//!
//! Which of the huge ones it is follows from how long an ID is: direct where everything fits.

use super::FractalHeap;
use crate::btree::record::HugeObject;
use crate::{Bytes, Cursor, FormatError, Widths};

/// A heap ID in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapId {
    /// In a managed block.
    Managed {
        /// In managed space.
        offset: u64,
        /// In bytes.
        len: u64,
    },
    /// By itself, to be found by a key in the B-tree of huge objects.
    HugeKey(u64),
    /// By itself.
    Huge(HugeObject),
    /// The object itself.
    Tiny(Bytes),
}

const STRUCTURE: &str = "fractal heap ID";

impl FractalHeap {
    /// Takes a heap ID apart. Those kept in records may be longer than the heap's: the rest is padding.
    pub fn heap_id(&self, id: &Bytes, widths: Widths) -> Result<HeapId, FormatError> {
        let at = self.address.0;
        let len = usize::from(self.id_bytes);
        if id.len() < len {
            let what = format!("an ID of {} bytes, where the heap's have {len}", id.len());
            return Err(FormatError::invalid(STRUCTURE, "length", at, what));
        }
        let mut cursor = Cursor::new(STRUCTURE, at, id.slice(..len), widths);
        let field = cursor.clone();
        let first = cursor.u8("version and type")?;
        if first & 0xC0 != 0 {
            return Err(field.unsupported("version", format!("version {} is not known", first >> 6)));
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
            other => Err(field.unsupported("type", format!("type {other} is not known"))),
        }
    }

    fn huge_ids_are_direct(&self, widths: Widths) -> bool {
        let needed = HugeObject::bytes(false, self.filters.is_some(), widths);
        usize::from(self.id_bytes) > needed
    }
}
