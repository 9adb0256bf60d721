//! Symbol Table message (specification IV.A.2.r, type 0x11): marks an old-style group and says where its links are.

use crate::{Address, Cursor, FormatError};

/// An old-style group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolTable {
    /// Version 1 B-tree whose leaves are symbol table nodes.
    pub btree: Address,
    /// Local heap with the names of the links.
    pub heap: Address,
}

impl SymbolTable {
    /// Reads the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        let btree = cursor.address_defined("version 1 B-tree address")?;
        let heap = cursor.address_defined("local heap address")?;
        Ok(Self { btree, heap })
    }
}
