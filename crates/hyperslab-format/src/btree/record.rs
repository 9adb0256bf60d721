//! Records of version 2 B-trees (specification III.A.2.c to m), one type for each record type.
//!
//! Records of types 5 and 6 (links) contain little more than a heap ID and are parsed in [`crate::group::dense`].
//! Records of types 10 and 11 (chunks) depend on the dataset and are parsed in [`crate::chunk_index`].

use crate::{Address, Bytes, Cursor, FormatError, Widths};

/// Types 1 to 4: a huge object of a fractal heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HugeObject {
    /// The address at which it is stored.
    pub address: Address,
    /// Its stored size in bytes.
    pub stored_bytes: u64,
    /// The mask of filters that were skipped, and the size in bytes after filters are reversed: types 2 and 4 only.
    pub filtered: Option<(u32, u64)>,
    /// Its ID: types 1 and 2 only.
    pub id: Option<u64>,
}

impl HugeObject {
    /// The size of a record in bytes.
    pub fn bytes(indirect: bool, filtered: bool, widths: Widths) -> usize {
        let (offset, length) = (widths.offset as usize, widths.length as usize);
        offset + length + if filtered { 4 + length } else { 0 } + if indirect { length } else { 0 }
    }

    /// Parses a record of type 1 (indirect), 2 (indirect, filtered), 3 (direct) or 4 (direct, filtered).
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

/// Type 7: a shared message, with the hash of its bytes as key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedMessage {
    /// The lookup3 hash of the message.
    pub hash: u32,
    /// The location of the message.
    pub location: SharedLocation,
}

/// The location of a shared message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedLocation {
    /// In the fractal heap for its message type.
    Heap {
        /// The number of messages that refer to it.
        references: u32,
        /// The heap ID of the message in that heap.
        heap_id: Bytes,
    },
    /// In an object header.
    ObjectHeader {
        /// The message type.
        message: u8,
        /// The index of the message in the object header.
        index: u16,
        /// The address of the object header.
        address: Address,
    },
}

impl SharedMessage {
    /// Parses a record.
    pub fn parse(cursor: &mut Cursor) -> Result<Self, FormatError> {
        let field = cursor.clone();
        let location = cursor.u8("message location")?;
        let hash = cursor.u32("hash")?;
        let found = match location {
            0 => SharedLocation::Heap {
                references: cursor.u32("reference count")?,
                heap_id: cursor.bytes("heap ID", 8)?,
            },
            1 => {
                cursor.skip("reserved", 1)?;
                SharedLocation::ObjectHeader {
                    message: cursor.u8("message type")?,
                    index: cursor.u16("creation index")?,
                    address: cursor.address_defined("object header address")?,
                }
            }
            other => return Err(field.invalid("message location", format!("{other} is neither 0 nor 1"))),
        };
        Ok(Self { hash, location: found })
    }
}

/// An attribute, with the hash of its name (type 8) or its creation order (type 9) as key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeEntry {
    /// The heap ID of the attribute message: in the object's fractal heap or, if the message is shared, in that of
    /// shared messages.
    pub heap_id: Bytes,
    /// Flags of the message; 0x02 means shared.
    pub flags: u8,
    /// The position in creation order.
    pub creation_order: u32,
    /// The lookup3 hash of the name: type 8 only.
    pub hash: Option<u32>,
}

impl AttributeEntry {
    /// The size of a record of type 8 in bytes.
    pub const BYTES_BY_NAME: usize = 17;
    /// The size of a record of type 9 in bytes.
    pub const BYTES_BY_ORDER: usize = 13;

    /// Parses a record of type 8 (`by_name`) or 9.
    pub fn parse(cursor: &mut Cursor, by_name: bool) -> Result<Self, FormatError> {
        Ok(Self {
            heap_id: cursor.bytes("heap ID", 8)?,
            flags: cursor.u8("message flags")?,
            creation_order: cursor.u32("creation order")?,
            hash: if by_name { Some(cursor.u32("hash of name")?) } else { None },
        })
    }

    /// True if the message is stored among the shared messages of the file.
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
        let location = SharedLocation::Heap { references: 3, heap_id: "heap id!".into() };
        assert_eq!(SharedMessage::parse(&mut cursor(&image)), Ok(SharedMessage { hash: 77, location }));
        let image = Build::default().u8(1).u32(77).u8(0).u8(3).u16(12).u64(800);
        let location = SharedLocation::ObjectHeader { message: 3, index: 12, address: Address(800) };
        assert_eq!(SharedMessage::parse(&mut cursor(&image)), Ok(SharedMessage { hash: 77, location }));
        SharedMessage::parse(&mut cursor(&image.patch(0, &[2]))).unwrap_err();
    }
}
