//! The table of shared messages (specification III.I, "SMTB"): which types of messages are shared, and in which heap
//! they are stored.
//!
//! ```text
//! table   "SMTB" | indexes | checksum 4
//! index   version 0 | type 1 | message types 2 | min. size 4 | list cutoff 2 | B-tree cutoff 2 | messages 2
//!         | list or B-tree address O | heap address O
//! ```
//!
//! A reader finds a shared message by the heap ID in the message that refers to it. The indexes themselves, lists (see
//! [`SharedMessageList`](super::SharedMessageList)) or B-trees (records of type 7), are for writers that look for
//! messages to share.

use super::MessageKind;
use crate::message::SharedMessageTableInfo;
use crate::{Address, Cursor, FormatError, Parse, View};

/// The shared messages of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedMessageTable {
    /// One index for each set of message types that share a heap.
    pub indexes: Vec<SharedMessageIndex>,
}

/// An index of shared messages of some types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedMessageIndex {
    /// Bit n is set if messages of type n are shared.
    pub types: u16,
    /// The size of the smallest message that is shared, in bytes.
    pub min_bytes: u32,
    /// The maximum number of messages in a list; above it the index becomes a B-tree.
    pub list_max: u16,
    /// The number of shared messages.
    pub messages: u16,
    /// The address of the list ("SMLI") or B-tree of the messages.
    pub index: Option<Address>,
    /// True if `index` is a B-tree.
    pub is_btree: bool,
    /// The fractal heap with the messages.
    pub heap: Option<Address>,
}

const STRUCTURE: &str = "shared message table";

impl SharedMessageTable {
    /// Parses the table that a Shared Message Table message points to.
    pub fn parse(view: View<'_>, info: SharedMessageTableInfo) -> Parse<Self> {
        let index_bytes = 14 + 2 * u64::from(view.widths.offset);
        let mut cursor = view.cursor(STRUCTURE, info.address, 8 + u64::from(info.indexes) * index_bytes)?;
        cursor.signature(b"SMTB")?;
        let indexes = (0..info.indexes).map(|_| index(&mut cursor)).collect::<Result<_, _>>()?;
        cursor.checksum()?;
        Ok(Self { indexes })
    }

    /// The heap that contains the shared messages of a kind.
    pub fn heap(&self, kind: MessageKind) -> Option<Address> {
        // Old and new fill value messages are shared together, under the type of the new one.
        let kind = if kind == MessageKind::FILL_VALUE_OLD { MessageKind::FILL_VALUE } else { kind };
        let bit = 1u16.checked_shl(kind.0.into()).filter(|_| kind.is_shareable())?;
        self.indexes.iter().find(|index| index.types & bit != 0)?.heap
    }
}

fn index(cursor: &mut Cursor) -> Result<SharedMessageIndex, FormatError> {
    cursor.version(0..=0)?;
    let at = cursor.at();
    let is_btree = match cursor.u8("index type")? {
        0 => false,
        1 => true,
        other => return Err(cursor.invalid_at(at, "index type", format!("unknown type {other}"))),
    };
    let types = cursor.u16("message type flags")?;
    let min_bytes = cursor.u32("minimum message size")?;
    let list_max = cursor.u16("list cutoff")?;
    cursor.skip("B-tree cutoff", 2)?;
    Ok(SharedMessageIndex {
        types,
        min_bytes,
        list_max,
        messages: cursor.u16("number of messages")?,
        index: cursor.address("index address")?,
        is_btree,
        heap: cursor.address("fractal heap address")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Build, drive};

    fn table() -> Build {
        let index = |kind, types, heap| {
            let head = Build::default().u8(0).u8(kind).u16(types).u32(50).u16(50).u16(40);
            head.u16(3).address(0x500).address(heap)
        };
        let indexes = index(0, 0x1002, 0x600).and(&index(1, 0x0008, u64::MAX));
        Build::default().bytes(b"SMTB").and(&indexes).checksum()
    }

    fn parse(file: &Build, indexes: u8) -> Result<SharedMessageTable, FormatError> {
        let info = SharedMessageTableInfo { address: Address(0), indexes };
        drive(file.done(), |view| SharedMessageTable::parse(view, info)).0
    }

    #[test]
    fn reads_every_index() {
        let table = parse(&table(), 2).unwrap();
        let expected = SharedMessageIndex {
            types: 0x1002,
            min_bytes: 50,
            list_max: 50,
            messages: 3,
            index: Some(Address(0x500)),
            is_btree: false,
            heap: Some(Address(0x600)),
        };
        assert_eq!(table.indexes[0], expected);
        assert!(table.indexes[1].is_btree);
        assert_eq!(table.heap(MessageKind::ATTRIBUTE), Some(Address(0x600)));
        assert_eq!(table.heap(MessageKind::DATATYPE), None);
    }

    #[test]
    fn damage_and_truncation_are_noticed() {
        let file = table();
        for at in 0..file.len() {
            let byte = file.done()[at];
            assert!(parse(&file.with_byte(at, byte ^ 0x40), 2).is_err(), "byte {at}");
        }
        for len in 0..file.len() {
            let info = SharedMessageTableInfo { address: Address(0), indexes: 2 };
            let cut = file.done().slice(..len);
            assert!(SharedMessageTable::parse(View::new(&cut), info).is_err());
        }
        assert!(parse(&file, 1).is_err());
    }
}
