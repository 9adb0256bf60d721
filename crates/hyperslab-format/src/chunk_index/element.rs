//! Elements of fixed and extensible arrays: one chunk each.
//!
//! ```text
//! client 0 (unfiltered):  chunk address
//! client 1 (filtered):    chunk address | stored size | filter mask 4
//! ```

use super::columns::ChunkColumns;
use super::context::WalkContext;
use super::grid::Grid;
use crate::{Bytes, Cursor, FormatError, View};
use std::ops::Range;

/// How elements are stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementFormat {
    pub(super) filtered: bool,
    size_bytes: usize,
    /// Bytes of an element.
    pub(super) bytes: u64,
}

/// Elements that lie one after the other.
#[derive(Debug)]
pub(super) struct Elements {
    structure: &'static str,
    /// Absolute offset of the first.
    at: u64,
    first: u64,
    bytes: Bytes,
}

impl ElementFormat {
    /// Reads client ID and element size of a header, and checks that they are those of the dataset.
    pub(super) fn parse(
        cursor: &mut Cursor,
        view: &View,
        context: &WalkContext,
    ) -> Result<Self, FormatError> {
        let field = cursor.clone();
        let client = cursor.u8("client ID")?;
        let filtered = match client {
            0 => false,
            1 => true,
            other => return Err(field.unsupported("client ID", format!("client {other} is not known"))),
        };
        if filtered != context.filtered {
            let what =
                format!("client {client} in a dataset {} filters", if filtered { "without" } else { "with" });
            return Err(field.invalid("client ID", what));
        }
        let size_bytes = context.size_bytes(view);
        let bytes = u64::from(view.widths.offset) + if filtered { size_bytes as u64 + 4 } else { 0 };
        let field = cursor.clone();
        let found = cursor.u8("element size")?;
        if u64::from(found) != bytes {
            return Err(field.invalid("element size", format!("elements of {found} bytes, not {bytes}")));
        }
        Ok(Self { filtered, size_bytes, bytes })
    }

    /// The elements `indexes`, which follow in `cursor`.
    pub(super) fn take(&self, cursor: &mut Cursor, indexes: &Range<u64>) -> Result<Elements, FormatError> {
        let at = cursor.at();
        let bytes =
            (indexes.end - indexes.start).checked_mul(self.bytes).and_then(|len| usize::try_from(len).ok());
        let bytes = cursor.bytes("elements", bytes.unwrap_or(usize::MAX))?;
        Ok(Elements { structure: cursor.structure(), at, first: indexes.start, bytes })
    }

    /// Adds the sought chunks among `elements` to those found.
    pub(super) fn collect(
        &self,
        view: &View,
        context: &WalkContext,
        grid: &Grid,
        elements: &Elements,
        found: &mut ChunkColumns,
    ) -> Result<(), FormatError> {
        let count = elements.bytes.len() as u64 / self.bytes;
        let indexes = elements.first..elements.first + count;
        let mut cursor = Cursor::new(elements.structure, elements.at, elements.bytes.clone(), view.widths);
        let mut next = elements.first;
        grid.each(indexes, |index, place| {
            cursor.skip("elements", ((index - next) * self.bytes) as usize)?;
            next = index + 1;
            let address = cursor.address("chunk address")?;
            let (stored, mask) = if self.filtered {
                (cursor.uint("chunk size", self.size_bytes)?, cursor.u32("filter mask")?)
            } else {
                (context.chunk_bytes, 0)
            };
            match address {
                Some(address) => context.add(view, found, place, (address, stored, mask)),
                None => Ok(()),
            }
        })
    }
}
