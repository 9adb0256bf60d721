//! Records of version 2 B-trees (specification III.A.2.c to m), a kind for each type.
//!
//! Types 5 and 6 (links) are little more than a heap ID; they are taken apart in [`crate::group::dense`]. Types 10 and 11
//! (chunks) depend on the dataset; they are read in [`crate::chunk_index`].

use crate::{Address, Bytes, Cursor, FormatError, Widths};

/// Types 1 to 4: a huge object of a fractal heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HugeObject {
    /// Where it is stored.
    pub address: Address,
    /// Bytes as stored.
    pub stored_bytes: u64,
    /// What its filters skipped, and its bytes without them: types 2 and 4 only.
    pub filtered: Option<(u32, u64)>,
    /// Its identifier: types 1 and 2 only.
    pub id: Option<u64>,
}

impl HugeObject {
    /// Bytes of a record.
    pub fn bytes(indirect: bool, filtered: bool, widths: Widths) -> usize {
        let (offset, length) = (widths.offset as usize, widths.length as usize);
        offset + length + if filtered { 4 + length } else { 0 } + if indirect { length } else { 0 }
    }

    /// Reads a record of type 1 (indirect), 2 (indirect, filtered), 3 (direct) or 4 (direct, filtered).
    pub fn parse(cursor: &mut Cursor, indirect: bool, filtered: bool) -> Result<Self, FormatError> {
        let address = cursor.address_defined("huge object address")?;
        let stored_bytes = cursor.length("huge object length")?;
        let filtered = if filtered {
            Some((cursor.u32("filter mask")?, cursor.length("huge object memory size")?))
        } else {
            None
        };
        let id = if indirect { Some(cursor.length("huge object ID")?) } else { None };
        Ok(Self { address, stored_bytes, filtered, id })
    }
}

/// Type 7: a shared message by the hash of its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedMessage {
    /// lookup3 of the message.
    pub hash: u32,
    /// Where it is.
    pub place: SharedPlace,
}

/// Where a shared message is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedPlace {
    /// In the fractal heap of its kind of message.
    Heap {
        /// How many messages refer to it.
        references: u32,
        /// The object in that heap.
        heap_id: Bytes,
    },
    /// In an object header.
    ObjectHeader {
        /// Type of the message.
        message: u8,
        /// Its place among the messages of the header.
        index: u16,
        /// The object header.
        address: Address,
    },
}

impl SharedMessage {
    /// Reads a record.
    pub fn parse(cursor: &mut Cursor) -> Result<Self, FormatError> {
        let field = cursor.clone();
        let location = cursor.u8("message location")?;
        let hash = cursor.u32("hash")?;
        let place = match location {
            0 => SharedPlace::Heap {
                references: cursor.u32("reference count")?,
                heap_id: cursor.bytes("heap ID", 8)?,
            },
            1 => {
                cursor.skip("reserved", 1)?;
                SharedPlace::ObjectHeader {
                    message: cursor.u8("message type")?,
                    index: cursor.u16("creation index")?,
                    address: cursor.address_defined("object header address")?,
                }
            }
            other => return Err(field.invalid("message location", format!("{other} is neither 0 nor 1"))),
        };
        Ok(Self { hash, place })
    }
}

/// Types 8 and 9: an attribute by the hash of its name, or by its order of creation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeEntry {
    /// The attribute message, in the object's fractal heap or, if it is shared, in that of shared messages.
    pub heap_id: Bytes,
    /// Flags of the message; 0x02 is shared.
    pub flags: u8,
    /// Position in the order of creation.
    pub creation_order: u32,
    /// lookup3 of the name: type 8 only.
    pub hash: Option<u32>,
}

impl AttributeEntry {
    /// Bytes of a record of type 8.
    pub const BYTES_BY_NAME: usize = 17;
    /// Bytes of a record of type 9.
    pub const BYTES_BY_ORDER: usize = 13;

    /// Reads a record of type 8 (by name) or 9.
    pub fn parse(cursor: &mut Cursor, by_name: bool) -> Result<Self, FormatError> {
        Ok(Self {
            heap_id: cursor.bytes("heap ID", 8)?,
            flags: cursor.u8("message flags")?,
            creation_order: cursor.u32("creation order")?,
            hash: if by_name { Some(cursor.u32("hash of name")?) } else { None },
        })
    }

    /// True where the message is kept among the shared messages of the file.
    pub fn is_shared(&self) -> bool {
        self.flags & 0x02 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    fn cursor(image: &Build) -> Cursor {
        image.view().cursor("record", Address(0), image.here().0).unwrap()
    }

    #[test]
    fn huge_objects_have_four_kinds_of_records() {
        let widths = Widths::default();
        for (indirect, filtered) in [(true, false), (true, true), (false, false), (false, true)] {
            let mut image = Build::default().u64(800).u64(50);
            image = if filtered { image.u32(1).u64(90) } else { image };
            image = if indirect { image.u64(7) } else { image };
            assert_eq!(HugeObject::bytes(indirect, filtered, widths) as u64, image.here().0);
            let object = HugeObject::parse(&mut cursor(&image), indirect, filtered).unwrap();
            assert_eq!((object.address, object.stored_bytes), (Address(800), 50));
            assert_eq!((object.filtered, object.id), (filtered.then_some((1, 90)), indirect.then_some(7)));
        }
    }

    #[test]
    fn attributes_are_by_name_or_by_order() {
        let image = Build::default().bytes(b"heap id!").u8(2).u32(5).u32(77);
        let entry = AttributeEntry::parse(&mut cursor(&image), true).unwrap();
        assert!(entry.is_shared());
        assert_eq!((&entry.heap_id[..], entry.creation_order, entry.hash), (&b"heap id!"[..], 5, Some(77)));
        assert_eq!(AttributeEntry::parse(&mut cursor(&image), false).unwrap().hash, None);
    }

    #[test]
    fn shared_messages_are_in_a_heap_or_in_a_header() {
        let image = Build::default().u8(0).u32(77).u32(3).bytes(b"heap id!");
        let place = SharedPlace::Heap { references: 3, heap_id: "heap id!".into() };
        assert_eq!(SharedMessage::parse(&mut cursor(&image)), Ok(SharedMessage { hash: 77, place }));
        let image = Build::default().u8(1).u32(77).u8(0).u8(3).u16(12).u64(800);
        let place = SharedPlace::ObjectHeader { message: 3, index: 12, address: Address(800) };
        assert_eq!(SharedMessage::parse(&mut cursor(&image)), Ok(SharedMessage { hash: 77, place }));
        SharedMessage::parse(&mut cursor(&image.patch(0, &[2]))).unwrap_err();
    }
}
