//! External Data Files message (specification IV.A.2.h, type 0x07): the raw data of a contiguous dataset lies in
//! other files.
//!
//! ```text
//! version 1 | reserved 3 | slots allocated 2 | slots used 2 | local heap | slots used × (name, offset, size)
//! ```
//!
//! The names are offsets in a local heap; looking them up is left to whoever has read that heap.

use crate::{Address, Cursor, FormatError, Widths};

/// The files that hold the raw data, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalFiles {
    /// Local heap with the names.
    pub heap: Address,
    /// The pieces, in the order of the dataset's bytes.
    pub slots: Vec<ExternalSlot>,
}

/// A piece of the raw data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExternalSlot {
    /// Where in the local heap the name of the file begins.
    pub name_offset: u64,
    /// Byte of that file at which the piece begins.
    pub offset: u64,
    /// Bytes of the piece; `None` is without end (the last piece only).
    pub size: Option<u64>,
}

impl ExternalFiles {
    /// Reads the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(1..=1)?;
        cursor.skip("reserved", 3)?;
        let at = cursor.at();
        let allocated = cursor.u16("allocated slots")?;
        let used = cursor.u16("used slots")?;
        if allocated == 0 || used > allocated {
            let what = format!("{used} slots are used, of {allocated} allocated");
            return Err(cursor.invalid_at(at, "allocated slots", what));
        }
        let heap = cursor.address_defined("heap address")?;
        let unlimited = Widths::undefined(cursor.widths().length);
        let mut slots = Vec::new();
        for _ in 0..used {
            let name_offset = cursor.length("name offset")?;
            let offset = cursor.length("offset in the external data file")?;
            let size = cursor.length("data size in the external data file")?;
            slots.push(ExternalSlot { name_offset, offset, size: (size != unlimited).then_some(size) });
        }
        Ok(Self { heap, slots })
    }
}
