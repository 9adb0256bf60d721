//! Managed blocks of a fractal heap (specification III.G.4 and 5).
//!
//! ```text
//! direct:    "FHDB" | version 0 | heap header | offset in heap | [checksum 4] | objects
//! indirect:  "FHIB" | version 0 | heap header | offset in heap
//!                   | direct children: address [stored size | filter mask 4] | indirect children: address | checksum 4
//! ```
//!
//! The checksum of a direct block covers the whole block, with the checksum field taken as zero.

use super::doubling_table::TablePosition;
use super::{FractalHeap, HeapObject, Unfilter};
use crate::{Address, Cursor, FormatError, Parse, Problem, View, checksum};

/// A child of an indirect block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Child {
    pub(super) address: Option<Address>,
    /// The stored size and filter mask, for a direct block in a filtered heap.
    pub(super) filtered: Option<(u64, u32)>,
}

/// An indirect block.
#[derive(Debug)]
pub(super) struct Indirect {
    width: u64,
    rows: u32,
    children: Vec<Child>,
}

impl Indirect {
    /// The child at a position of this block's table; `None` if the table has no such row.
    pub(super) fn child(&self, position: &TablePosition) -> Option<Child> {
        if position.row >= self.rows {
            return None;
        }
        self.children.get((u64::from(position.row) * self.width + position.column) as usize).copied()
    }
}

impl FractalHeap {
    /// Parses the indirect block of `rows` rows at `address` whose space starts at `offset` of managed space.
    pub(super) fn indirect_block(
        &self,
        view: &View,
        address: Address,
        rows: u32,
        offset: u64,
    ) -> Parse<Indirect> {
        const STRUCTURE: &str = "fractal heap indirect block";
        let direct_rows = rows.min(self.table.direct_rows());
        let width = u64::from(self.table.width);
        let children = u64::from(rows) * width;
        let bytes = self.indirect_block_bytes(view, rows);
        self.preview(view, address, STRUCTURE, b"FHIB", offset)?;
        let mut cursor = view.cursor(STRUCTURE, address, bytes)?;
        cursor.signature(b"FHIB")?;
        self.block_prefix(&mut cursor, offset)?;
        let mut found = Vec::with_capacity(children as usize);
        for i in 0..children {
            let address = cursor.address("child block address")?;
            let mut filtered = None;
            if self.filters.is_some() && i < u64::from(direct_rows) * width {
                let stored = cursor.length("size of filtered direct block")?;
                filtered = Some((stored, cursor.u32("filter mask")?));
            }
            found.push(Child { address, filtered });
        }
        cursor.checksum()?;
        Ok(Indirect { width, rows, children: found })
    }

    /// The size of an indirect block of `rows` rows, in bytes.
    pub(super) fn indirect_block_bytes(&self, view: &View, rows: u32) -> u64 {
        let (offset, length) = (u64::from(view.widths.offset), u64::from(view.widths.length));
        let width = u64::from(self.table.width);
        let direct = u64::from(rows.min(self.table.direct_rows())) * width;
        let of_filters = if self.filters.is_some() { direct * (length + 4) } else { 0 };
        9 + offset + self.offset_bytes() as u64 + u64::from(rows) * width * offset + of_filters
    }

    /// Reads and verifies the direct block of `bytes` bytes whose space starts at `offset` of managed space.
    pub(super) fn direct_block(
        &self,
        view: &View,
        child: Child,
        (offset, bytes): (u64, u64),
        unfilter: &dyn Unfilter,
    ) -> Parse<HeapObject> {
        const STRUCTURE: &str = "fractal heap direct block";
        let address = child.address.ok_or_else(|| {
            let what = format!("the block with offset {offset:#x} was never allocated");
            FormatError::invalid(STRUCTURE, "address", view.absolute(self.address), what)
        })?;
        let at = view.absolute(address);
        let block = match (&self.filters, child.filtered) {
            (Some(filters), Some((stored, mask))) => {
                let stored = view.bytes(STRUCTURE, address, stored)?;
                HeapObject::derived(filters.undo(unfilter, (at, mask), stored, bytes)?, at)
            }
            _ => {
                self.preview(view, address, STRUCTURE, b"FHDB", offset)?;
                HeapObject::plain(view.bytes(STRUCTURE, address, bytes)?, at)
            }
        };
        let mut cursor = block.cursor(STRUCTURE, view.widths);
        cursor.signature(b"FHDB")?;
        self.block_prefix(&mut cursor, offset)?;
        if self.checksummed {
            let (field, position) = (cursor.clone(), cursor.position());
            let stored = cursor.u32("checksum")?;
            let mut zeroed = block.bytes.to_vec();
            zeroed[position..position + 4].fill(0);
            let computed = checksum::lookup3(&zeroed);
            if stored != computed {
                let problem = Problem::Checksum { stored, computed };
                let at = field.at();
                return Err(FormatError { structure: STRUCTURE, field: "checksum", at, problem }.into());
            }
        }
        Ok(block)
    }

    /// The size of a direct block's prefix, before its objects, in bytes.
    pub(super) fn direct_prefix_bytes(&self, view: &View) -> u64 {
        let checksum = if self.checksummed { 4 } else { 0 };
        5 + u64::from(view.widths.offset) + self.offset_bytes() as u64 + checksum
    }

    /// Checks the prefix first if it has been fetched. A large block may have to be assembled from several fetched
    /// parts, which should not be repeated for pointers to something that is not such a block.
    fn preview(
        &self,
        view: &View,
        address: Address,
        structure: &'static str,
        signature: &[u8; 4],
        offset: u64,
    ) -> Result<(), FormatError> {
        let bytes = 5 + u64::from(view.widths.offset) + self.offset_bytes() as u64;
        let Ok(mut cursor) = view.cursor(structure, address, bytes) else { return Ok(()) };
        cursor.signature(signature)?;
        self.block_prefix(&mut cursor, offset)
    }

    /// Parses the fields after the signature that direct and indirect blocks have in common.
    fn block_prefix(&self, cursor: &mut Cursor, offset: u64) -> Result<(), FormatError> {
        cursor.version(0..=0)?;
        let field = cursor.clone();
        let owner = cursor.address("heap header address")?;
        if owner != Some(self.address) {
            let what = format!("the block does not belong to the heap at {}", self.address);
            return Err(field.invalid("heap header address", what));
        }
        let field = cursor.clone();
        let found = cursor.uint("block offset", self.offset_bytes())?;
        if found != offset {
            let what = format!("the offset is {found:#x} in the block but {offset:#x} in the table");
            return Err(field.invalid("block offset", what));
        }
        Ok(())
    }
}
