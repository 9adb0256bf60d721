//! Special elements: a description that stands in place of an element and says where its bytes are.
//!
//! ```text
//! Descriptor (with the special bit) ─► description ─┬─ linked      blocks, found by a table
//!                                                   ├─ external    a part of another file
//!                                                   ├─ compressed  one coded stream
//!                                                   └─ chunked     chunks, found by a Vdata
//! ```

mod chunk_table;
mod chunked;
mod compressed;
mod external;
mod linked;

pub use chunk_table::{ChunkEntry, ChunkTable};
pub use chunked::{Chunked, ChunkedDimension};
pub use compressed::Compressed;
pub use external::External;
pub use linked::{LinkTable, Linked};

use crate::cursor::{Cursor, Parsed};
use hyperslab_format::FormatError;

/// The kinds of special elements by their numbers (`hdf.h`).
mod kind {
    pub(super) const LINKED: u16 = 1;
    pub(super) const EXTERNAL: u16 = 2;
    pub(super) const COMPRESSED: u16 = 3;
    pub(super) const CHUNKED: u16 = 5;
}

/// Where the bytes of an element are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Special {
    /// In blocks of the file.
    Linked(Linked),
    /// In another file.
    External(External),
    /// In one coded stream.
    Compressed(Compressed),
    /// In chunks.
    Chunked(Chunked),
}

impl Special {
    /// Parses the description that begins at `at`.
    ///
    /// # Errors
    /// Kinds that the format does not define, and fields that contradict one another.
    pub fn parse(bytes: &[u8], at: u64) -> Result<Self, FormatError> {
        let mut fields = Cursor::new("special element", bytes, at);
        match fields.u16("kind")? {
            kind::LINKED => Linked::parse(&mut fields).map(Special::Linked),
            kind::EXTERNAL => External::parse(&mut fields).map(Special::External),
            kind::COMPRESSED => Compressed::parse(&mut fields).map(Special::Compressed),
            kind::CHUNKED => Chunked::parse(&mut fields).map(Special::Chunked),
            other => {
                Err(fields.unsupported("kind", at, format!("special elements of kind {other} are not read")))
            }
        }
    }
}

/// Checks that a description of a coder follows, as it does in that of chunks.
fn coder_follows(fields: &mut Cursor<'_>) -> Parsed<()> {
    let at = fields.at();
    match fields.u16("kind of compression")? {
        kind::COMPRESSED => Ok(()),
        other => Err(fields.invalid("kind of compression", at, format!("{other}, not {}", kind::COMPRESSED))),
    }
}

#[cfg(test)]
mod tests;
