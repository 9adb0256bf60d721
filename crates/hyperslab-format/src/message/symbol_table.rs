//! Symbol Table message (specification IV.A.2.r, type 0x11): marks an old-style group, and contains the location of its
//! links.

use crate::{Address, Cursor, Encoder, FormatError};

/// An old-style group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolTable {
    /// The version 1 B-tree whose leaves point to symbol table nodes.
    pub btree: Address,
    /// The local heap with the names of the links.
    pub heap: Address,
}

impl SymbolTable {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        let btree = cursor.address_defined("version 1 B-tree address")?;
        let heap = cursor.address_defined("local heap address")?;
        Ok(Self { btree, heap })
    }

    /// Encodes the message.
    pub fn encode(&self, out: &mut Encoder) {
        out.address("version 1 B-tree address", Some(self.btree));
        out.address("local heap address", Some(self.heap));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Widths;
    use crate::testing::Build;

    #[test]
    fn reads_two_addresses() {
        for widths in [Widths::default(), Widths { offset: 2, length: 4 }] {
            let body = Build::new(widths).address(0x88).address(0x2a8).zeros(8);
            let table = SymbolTable { btree: Address(0x88), heap: Address(0x2a8) };
            assert_eq!(SymbolTable::parse(body.cursor()), Ok(table));
            assert!(SymbolTable::parse(Build::new(widths).address(1).address(u64::MAX).cursor()).is_err());
        }
        let body = Build::default().address(0x88).address(0x2a8);
        body.each_prefix(|cursor| assert!(SymbolTable::parse(cursor).is_err()));
    }
}
