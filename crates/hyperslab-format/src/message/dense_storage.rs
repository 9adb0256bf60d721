//! The second half of Link Info and Attribute Info messages (specification IV.A.2.c and IV.A.2.v): the location of dense
//! storage.
//!
//! ```text
//! fractal heap | name index | [creation order index]
//! ```

use crate::{Address, Cursor, Encoder, FormatError};

/// Flag: creation order is tracked.
pub(super) const TRACKED: u8 = 0x01;
/// Flag: there is a field for a creation order index.
pub(super) const INDEXED: u8 = 0x02;

/// The flags that say which fields are there.
pub(super) fn flags(tracked: bool, indexed: bool) -> u8 {
    (if tracked { TRACKED } else { 0 }) | (if indexed { INDEXED } else { 0 })
}

/// Addresses of a fractal heap and of the version 2 B-trees that index its objects.
pub(super) struct DenseStorage {
    pub heap: Option<Address>,
    pub name_index: Option<Address>,
    pub creation_order_index: Option<Address>,
}

impl DenseStorage {
    pub fn parse(cursor: &mut Cursor, flags: u8) -> Result<Self, FormatError> {
        let heap = cursor.address("fractal heap address")?;
        let name_index = cursor.address("name index address")?;
        let mut creation_order_index = None;
        if flags & INDEXED != 0 {
            creation_order_index = cursor.address("creation order index address")?;
        }
        Ok(Self { heap, name_index, creation_order_index })
    }

    pub fn encode(&self, out: &mut Encoder, flags: u8) {
        out.address("fractal heap address", self.heap);
        out.address("name index address", self.name_index);
        if flags & INDEXED != 0 {
            out.address("creation order index address", self.creation_order_index);
        }
    }
}
