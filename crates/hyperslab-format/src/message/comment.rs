//! Object Comment message (specification IV.A.2.n, type 0x0D): a text about the object, ended by a NUL.

use crate::{Cursor, FormatError, Name};

/// A comment on an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment(pub Name);

impl Comment {
    /// Reads the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        Ok(Self(Name::new(cursor.nul_terminated("comment")?)))
    }
}
