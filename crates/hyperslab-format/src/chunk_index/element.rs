//! The elements of fixed and extensible arrays, one for each chunk.
//!
//! ```text
//! client 0 (unfiltered):  chunk address
//! client 1 (filtered):    chunk address | stored size | filter mask 4
//! ```

use super::columns::ChunkColumns;
use super::context::WalkContext;
use super::grid::Grid;
use crate::{Bytes, Cursor, FormatError, View, Widths};
use std::ops::Range;

/// The storage format of elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementFormat {
    pub(super) filtered: bool,
    pub(super) size_bytes: usize,
    /// The bytes of an element.
    pub(super) bytes: u64,
}

/// Consecutive elements.
#[derive(Debug)]
pub(super) struct Elements {
    structure: &'static str,
    /// The absolute offset of the first.
    at: u64,
    first: u64,
    bytes: Bytes,
}

impl ElementFormat {
    /// The format of the elements of a dataset; `size_bytes` is the width of the stored size of a filtered chunk.
    pub(super) fn new(filtered: bool, size_bytes: usize, widths: Widths) -> Self {
        let bytes = u64::from(widths.offset) + if filtered { size_bytes as u64 + 4 } else { 0 };
        Self { filtered, size_bytes, bytes }
    }

    /// The client ID.
    pub(super) fn client(&self) -> u8 {
        u8::from(self.filtered)
    }

    /// Parses the client ID and the element size of a header, and checks that they match the dataset.
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
            other => return Err(field.unsupported("client ID", format!("{other} is not a known client ID"))),
        };
        if filtered != context.filtered {
            let what =
                format!("client {client} in a dataset {} filters", if filtered { "without" } else { "with" });
            return Err(field.invalid("client ID", what));
        }
        let format = Self::new(filtered, context.size_bytes(view), view.widths);
        let field = cursor.clone();
        let found = cursor.u8("element size")?;
        if u64::from(found) != format.bytes {
            let what = format!("elements of {found} bytes, not {}", format.bytes);
            return Err(field.invalid("element size", what));
        }
        Ok(format)
    }

    /// Reads the elements `indexes` from the cursor.
    pub(super) fn take(&self, cursor: &mut Cursor, indexes: &Range<u64>) -> Result<Elements, FormatError> {
        let at = cursor.at();
        let bytes =
            (indexes.end - indexes.start).checked_mul(self.bytes).and_then(|len| usize::try_from(len).ok());
        let bytes = cursor.bytes("elements", bytes.unwrap_or(usize::MAX))?;
        Ok(Elements { structure: cursor.structure(), at, first: indexes.start, bytes })
    }

    /// Adds the wanted chunks among `elements` to those found.
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
