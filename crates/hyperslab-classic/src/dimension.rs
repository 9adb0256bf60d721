//! Dimensions: `dim` of the specification.

use crate::cursor::Cursor;
use crate::list::{self, List};
use hyperslab_format::{Name, Parse};

/// A dimension, which variables share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// Its name.
    pub name: Name,
    /// Its length; 0 for the record dimension, whose length is the number of records.
    pub len: u64,
}

pub(crate) const LIST: List = List { structure: "dimension", tag: 0x0a, counts: 2, offsets: 0, words: 0 };

impl Dimension {
    /// True for the dimension that grows.
    pub fn is_record(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn list(cursor: &mut Cursor<'_>) -> Parse<Vec<Self>> {
        list::parse(cursor, LIST, |cursor| Ok(Self { name: cursor.name()?, len: cursor.count("length")? }))
    }
}
