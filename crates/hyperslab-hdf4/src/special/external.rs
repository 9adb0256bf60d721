//! External elements: bytes of another file.

use crate::cursor::{Cursor, Parsed, until_nul};
use hyperslab_format::Name;

/// The description of an external element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// Bytes of the element.
    pub length: u32,
    /// Where it begins in the other file.
    pub offset: u32,
    /// The name of the other file.
    pub name: Name,
}

impl External {
    pub(super) fn parse(fields: &mut Cursor<'_>) -> Parsed<Self> {
        let length = fields.length("length")?;
        let offset = fields.length("offset")?;
        let name_bytes = fields.length("name length")?;
        let name = fields.take("name", name_bytes as usize)?;
        Ok(Self { length, offset, name: Name::new(until_nul(name).to_vec()) })
    }
}
