//! A list of shared messages (specification III.I, "SMLI"): the form of an index in the shared message table while it
//! has few messages.
//!
//! ```text
//! "SMLI" | messages | checksum 4 | unused
//!
//! message   0 | hash 4 | reference count 4 | heap ID 8                                  in the heap
//!           1 | hash 4 | reserved 1 | type 1 | creation index 2 | object header address   in a header
//! ```

use super::{MessageKind, SharedMessageIndex};
use crate::{Address, Bytes, Cursor, FormatError, Parse, View};

/// The shared messages of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedMessageList {
    /// The messages, in the order of the file.
    pub messages: Vec<SharedMessage>,
}

/// A message that is shared, or can be shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedMessage {
    /// A message in the heap.
    InHeap {
        /// The lookup3 hash of its bytes.
        hash: u32,
        /// The number of object headers that refer to it.
        references: u32,
        /// Its heap ID.
        heap_id: Bytes,
    },
    /// A message in the only object header that has it so far.
    InHeader {
        /// The lookup3 hash of its bytes.
        hash: u32,
        /// Its type.
        kind: MessageKind,
        /// Its index among the messages of that type.
        creation_index: u16,
        /// The address of the object header.
        header: Address,
    },
}

const STRUCTURE: &str = "shared message list";
const HEAP_ID_BYTES: usize = 8;

impl SharedMessageList {
    /// Parses the list of an index. Returns `None` if the index is a B-tree or does not exist yet.
    pub fn parse(view: View<'_>, index: &SharedMessageIndex) -> Parse<Option<Self>> {
        let (Some(address), false) = (index.index, index.is_btree) else { return Ok(None) };
        let entry_bytes = 5 + usize::from(view.widths.offset).max(8) + 4;
        let len = 8 + u64::from(index.messages) * entry_bytes as u64;
        let mut cursor = view.cursor(STRUCTURE, address, len)?;
        if index.messages > index.list_max {
            let what = format!("{} messages, but a list has at most {}", index.messages, index.list_max);
            return Err(cursor.invalid("number of messages", what).into());
        }
        cursor.signature(b"SMLI")?;
        let mut messages = Vec::new();
        for _ in 0..index.messages {
            messages.push(message(cursor.sub("message", entry_bytes)?)?);
        }
        cursor.checksum()?;
        Ok(Some(Self { messages }))
    }
}

fn message(mut cursor: Cursor) -> Result<SharedMessage, FormatError> {
    let at = cursor.at();
    let location = cursor.u8("message location")?;
    let hash = cursor.u32("hash value")?;
    match location {
        0 => Ok(SharedMessage::InHeap {
            hash,
            references: cursor.u32("reference count")?,
            heap_id: cursor.bytes("fractal heap ID", HEAP_ID_BYTES)?,
        }),
        1 => {
            cursor.skip("reserved", 1)?;
            Ok(SharedMessage::InHeader {
                hash,
                kind: MessageKind(cursor.u8("message type")?.into()),
                creation_index: cursor.u16("creation index")?,
                header: cursor.address_defined("object header address")?,
            })
        }
        other => Err(cursor.invalid_at(at, "message location", format!("unknown location {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Build, drive};

    const INDEX: SharedMessageIndex = SharedMessageIndex {
        types: 0x08,
        min_bytes: 0,
        list_max: 2,
        messages: 2,
        index: Some(Address(0)),
        is_btree: false,
        heap: None,
    };

    fn list() -> Build {
        let in_heap = Build::default().u8(0).u32(9).u32(3).bytes(b"heap id!");
        let in_header = Build::default().u8(1).u32(8).u8(0).u8(3).u16(1).address(0x300);
        Build::default().bytes(b"SMLI").and(&in_heap).and(&in_header).checksum()
    }

    fn parse(file: &Build, index: SharedMessageIndex) -> Result<Option<SharedMessageList>, FormatError> {
        drive(file.done(), |view| SharedMessageList::parse(view, &index)).0
    }

    #[test]
    fn reads_messages_in_heap_and_header() {
        let messages = parse(&list(), INDEX).unwrap().unwrap().messages;
        let heap_id = Bytes::from_static(b"heap id!");
        assert_eq!(messages[0], SharedMessage::InHeap { hash: 9, references: 3, heap_id });
        let (kind, header) = (MessageKind::DATATYPE, Address(0x300));
        assert_eq!(messages[1], SharedMessage::InHeader { hash: 8, kind, creation_index: 1, header });
        assert_eq!(parse(&list(), SharedMessageIndex { is_btree: true, ..INDEX }), Ok(None));
        assert_eq!(parse(&list(), SharedMessageIndex { index: None, ..INDEX }), Ok(None));
    }

    #[test]
    fn damage_and_truncation_are_noticed() {
        let file = list();
        for at in 0..file.len() {
            let byte = file.done()[at];
            assert!(parse(&file.with_byte(at, byte ^ 0x40), INDEX).is_err(), "byte {at}");
        }
        for len in 0..file.len() {
            assert!(SharedMessageList::parse(View::new(&file.done().slice(..len)), &INDEX).is_err());
        }
        assert!(parse(&file, SharedMessageIndex { list_max: 1, ..INDEX }).is_err());
    }
}
