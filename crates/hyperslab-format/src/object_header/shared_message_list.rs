//! A list of shared messages (specification III.I, "SMLI"): the form of an index in the shared message table while it
//! has few messages.
//!
//! ```text
//! "SMLI" | messages | checksum 4 | unused
//!
//! message   0 | hash 4 | reference count 4 | heap ID 8                                  in the heap
//!           1 | hash 4 | reserved 1 | type 1 | creation index 2 | object header address   in a header
//! ```

use super::SharedMessageIndex;
use crate::btree::record::SharedMessage;
use crate::{Parse, View};

/// The shared messages of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedMessageList {
    /// The messages, in the order of the file.
    pub messages: Vec<SharedMessage>,
}

const STRUCTURE: &str = "shared message list";

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
            messages.push(SharedMessage::parse(&mut cursor.sub("message", entry_bytes)?)?);
        }
        cursor.checksum()?;
        Ok(Some(Self { messages }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btree::record::SharedLocation;
    use crate::testing::{Build, drive};
    use crate::{Address, Bytes, FormatError};

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
        let location = SharedLocation::Heap { references: 3, heap_id };
        assert_eq!(messages[0], SharedMessage { hash: 9, location });
        let location = SharedLocation::ObjectHeader { message: 3, index: 1, address: Address(0x300) };
        assert_eq!(messages[1], SharedMessage { hash: 8, location });
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
