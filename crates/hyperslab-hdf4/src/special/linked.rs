//! Linked elements: an element that grew lies in blocks, which tables list.

use crate::cursor::{Cursor, Parsed};
use hyperslab_format::FormatError;

/// The description of a linked element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// Bytes of the element.
    pub length: u32,
    /// Bytes of a block, but for the first one.
    pub block_bytes: u32,
    /// Blocks in a table.
    pub blocks_per_table: u32,
    /// The reference of the first table (tag 20).
    pub table: u16,
}

/// A table of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTable {
    /// The reference of the next table; 0 for none.
    pub next: u16,
    /// The references of the blocks (tag 20). A block of reference 0 was never written.
    pub blocks: Vec<u16>,
}

impl Linked {
    pub(super) fn parse(fields: &mut Cursor<'_>) -> Parsed<Self> {
        Ok(Self {
            length: fields.length("length")?,
            block_bytes: fields.length("block length")?,
            blocks_per_table: fields.length("blocks of a table")?,
            table: fields.u16("table")?,
        })
    }
}

impl LinkTable {
    /// Parses the table that begins at `at`.
    ///
    /// # Errors
    /// A table that is too short.
    pub fn parse(bytes: &[u8], at: u64) -> Result<Self, FormatError> {
        let mut fields = Cursor::new("table of linked blocks", bytes, at);
        let next = fields.u16("next table")?;
        let blocks = fields.u16s("blocks", fields.left() / 2)?;
        Ok(Self { next, blocks })
    }
}
