//! External Data Files message (specification IV.A.2.h, type 0x07): the raw data of a contiguous dataset is in other
//! files.
//!
//! ```text
//! version 1 | reserved 3 | slots allocated 2 | slots used 2 | local heap | slots used × (name, offset, size)
//! ```
//!
//! The names are offsets in a local heap; the caller must read that heap to resolve them.

use crate::{Address, Cursor, Encoder, FormatError, Widths};

/// The files that contain the raw data, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalFiles {
    /// The local heap with the file names.
    pub heap: Address,
    /// The segments, in the order of the dataset's bytes.
    pub slots: Vec<ExternalSlot>,
}

/// A segment of the raw data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExternalSlot {
    /// The offset of the file name in the local heap.
    pub name_offset: u64,
    /// The offset of the segment in the external file, in bytes.
    pub offset: u64,
    /// The size of the segment in bytes; `None` if it is unlimited (only the last segment).
    pub size: Option<u64>,
}

impl ExternalFiles {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(1..=1)?;
        cursor.skip("reserved", 3)?;
        let at = cursor.at();
        let allocated = cursor.u16("allocated slots")?;
        let used = cursor.u16("used slots")?;
        if allocated == 0 || used > allocated {
            let what = format!("{used} slots are in use, but only {allocated} are allocated");
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

    /// Encodes the message.
    pub fn encode(&self, out: &mut Encoder) {
        out.u8(1);
        out.zeros(3);
        out.count("allocated slots", self.slots.len(), 2);
        out.count("used slots", self.slots.len(), 2);
        out.address("heap address", Some(self.heap));
        for slot in &self.slots {
            out.length("name offset", slot.name_offset);
            out.length("offset in the external data file", slot.offset);
            out.length_or_unlimited("data size in the external data file", slot.size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    #[test]
    fn reads_the_used_slots_only() {
        for widths in [Widths::default(), Widths { offset: 4, length: 4 }] {
            let head = Build::new(widths).u8(1).zeros(3).u16(3).u16(2).address(0x700);
            let body = head.length(8).length(0).length(100).length(16).length(50).length(u64::MAX);
            let files = ExternalFiles::parse(body.cursor()).unwrap();
            assert_eq!(files.heap, Address(0x700));
            assert_eq!(files.slots[0], ExternalSlot { name_offset: 8, offset: 0, size: Some(100) });
            assert_eq!(files.slots[1], ExternalSlot { name_offset: 16, offset: 50, size: None });
            assert_eq!(files.slots.len(), 2);
            body.each_prefix(|cursor| assert!(ExternalFiles::parse(cursor).is_err()));
        }
    }

    #[test]
    fn refuses_slots_that_do_not_add_up() {
        for (allocated, used) in [(0, 0), (1, 2)] {
            let body = Build::default().u8(1).zeros(3).u16(allocated).u16(used).address(1).zeros(48);
            assert_eq!(ExternalFiles::parse(body.cursor()).unwrap_err().field, "allocated slots");
        }
    }
}
