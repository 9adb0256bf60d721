//! Attributes, of the file or of a variable: `attr` of the specification.

use crate::Kind;
use crate::cursor::Cursor;
use crate::list::{self, List};
use hyperslab_format::{Name, Parse};

/// An attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: Name,
    /// The type of its values.
    pub kind: Kind,
    /// Its values, big-endian, one after the other.
    pub values: Vec<u8>,
}

pub(crate) const LIST: List = List { structure: "attribute", tag: 0x0c, counts: 2, offsets: 0, words: 1 };

impl Attribute {
    /// The number of its values.
    pub fn count(&self) -> u64 {
        self.values.len() as u64 / self.kind.bytes()
    }

    pub(crate) fn list(cursor: &mut Cursor<'_>) -> Parse<Vec<Self>> {
        list::parse(cursor, LIST, |cursor| {
            let (name, kind) = (cursor.name()?, cursor.kind()?);
            let count = cursor.count_of("number of values", kind.bytes())?;
            let values = cursor.padded("values", count * kind.bytes())?.to_vec();
            Ok(Self { name, kind, values })
        })
    }
}
