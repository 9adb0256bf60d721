//! Object headers (specification IV.A.1): the prefix, the blocks, and which messages they have.

use crate::checker::{Checked, Checker};
use crate::rule::rules;
use hyperslab_format::object_header::{Message, MessageKind, ObjectHeader, ObjectKind};
use hyperslab_format::{Address, Stop};
use std::collections::HashSet;

rules! { RULES:
    /// The prefix of a version 1 header states the number of messages in all blocks.
    MESSAGE_COUNT = Error "message-count", "IV.A.1.a";
    /// A header has at most one message of each type, except for links, attributes, continuations and empty space.
    DUPLICATE_MESSAGE = Error "duplicate-message", "IV.A.2";
    /// The type of a message is one that the specification knows.
    UNKNOWN_MESSAGE = Warning "unknown-message", "IV.A.2";
    /// An object has only messages of its kind: a group has no data layout, a dataset no links.
    MISPLACED_MESSAGE = Error "misplaced-message", "IV.A.2";
    /// An object is a group, a dataset or a datatype.
    NO_OBJECT = Error "no-object", "IV.A.2";
    /// A header that indexes the creation order of attributes also tracks it.
    ATTRIBUTE_ORDER_FLAGS = Error "attribute-order-flags", "IV.A.1.b";
}

const STRUCTURE: &str = "object header";
const CONTINUATION: &str = "object header continuation block";

impl Checker<'_> {
    /// Checks the prefix and the blocks of a header, and returns it. Its messages are checked by
    /// [`Self::check_messages`].
    pub(crate) fn object_header(&mut self, address: Address) -> Checked<ObjectHeader> {
        let header = match ObjectHeader::parse(self.view, address) {
            Ok(header) => header,
            Err(stop) => {
                // Something begins here, even if it cannot be read.
                if let Stop::Bad(_) = stop {
                    self.claim(STRUCTURE, address, 1)?;
                }
                return Err(stop.into());
            }
        };
        for (number, block) in header.blocks.iter().enumerate() {
            let structure = if number == 0 { STRUCTURE } else { CONTINUATION };
            let start = Address(block.start.saturating_sub(self.view.base));
            let claimed = self.claim(structure, start, block.end - block.start);
            if number == 0 {
                claimed?;
            } else {
                self.finish(claimed);
            }
        }
        if header.version == 1 {
            self.check_prefix_1(&header)?;
        }
        let at = self.view.absolute(address);
        let has_order = header.tracks_attribute_order() || !header.indexes_attribute_order();
        self.demand(has_order, &ATTRIBUTE_ORDER_FLAGS, STRUCTURE, at, || {
            format!("flags {:#04x}: creation order is indexed but not tracked", header.flags)
        });
        self.check_message_kinds(&header);
        Ok(header)
    }

    fn check_prefix_1(&mut self, header: &ObjectHeader) -> Checked {
        let mut prefix = self.peek(STRUCTURE, header.address, 16)?;
        prefix.skip("version", 1)?;
        self.reserved(&mut prefix, "reserved", 1)?;
        let at = prefix.at();
        let stored = prefix.u16("number of header messages")?;
        self.demand(usize::from(stored) == header.messages.len(), &MESSAGE_COUNT, STRUCTURE, at, || {
            format!("{stored} messages in the prefix, {} in the blocks", header.messages.len())
        });
        prefix.skip("object reference count, object header size", 8)?;
        self.reserved(&mut prefix, "alignment", 4)?;
        for message in &header.messages {
            // The flags are followed by three reserved bytes.
            let address = Address(message.at.saturating_sub(3 + self.view.base));
            let mut reserved = self.peek(message.kind.structure(), address, 3)?;
            self.reserved(&mut reserved, "reserved bytes of the message's prefix", 3)?;
        }
        Ok(())
    }

    fn check_message_kinds(&mut self, header: &ObjectHeader) {
        let mut seen = HashSet::new();
        for message in &header.messages {
            let kind = message.kind;
            self.demand(kind.is_known(), &UNKNOWN_MESSAGE, kind.structure(), message.at, || {
                format!("message type {:#04x}, {} bytes", kind.0, message.body.len())
            });
            let may_repeat = matches!(
                kind,
                MessageKind::NIL | MessageKind::CONTINUATION | MessageKind::LINK | MessageKind::ATTRIBUTE
            );
            let is_new = seen.insert(kind) || may_repeat || !kind.is_known();
            self.demand(is_new, &DUPLICATE_MESSAGE, kind.structure(), message.at, || {
                format!("a second {kind}")
            });
        }
    }

    /// Reports messages that an object of this kind does not have.
    pub(crate) fn check_object_kind(&mut self, header: &ObjectHeader) {
        let kind = header.kind();
        let at = self.view.absolute(header.address);
        self.demand(kind != ObjectKind::Unknown, &NO_OBJECT, STRUCTURE, at, || {
            "the messages are those of no kind of object".to_owned()
        });
        if kind == ObjectKind::Unknown {
            return;
        }
        let is_old_group = header.first(MessageKind::SYMBOL_TABLE).is_some();
        for message in &header.messages {
            let belongs = belongs_to(kind, is_old_group, message);
            self.demand(belongs, &MISPLACED_MESSAGE, message.kind.structure(), message.at, || {
                format!("a {} in the header of a {kind}", message.kind)
            });
        }
    }
}

fn belongs_to(kind: ObjectKind, is_old_group: bool, message: &Message) -> bool {
    match message.kind {
        MessageKind::NIL
        | MessageKind::CONTINUATION
        | MessageKind::ATTRIBUTE
        | MessageKind::ATTRIBUTE_INFO
        | MessageKind::COMMENT
        | MessageKind::MODIFICATION_TIME
        | MessageKind::MODIFICATION_TIME_OLD
        | MessageKind::REFERENCE_COUNT => true,
        MessageKind::SYMBOL_TABLE => kind == ObjectKind::Group,
        MessageKind::LINK_INFO | MessageKind::GROUP_INFO | MessageKind::LINK => {
            kind == ObjectKind::Group && !is_old_group
        }
        MessageKind::DATATYPE => kind != ObjectKind::Group,
        // The links of a group may be filtered.
        MessageKind::FILTER_PIPELINE => kind != ObjectKind::NamedDatatype,
        MessageKind::DATASPACE
        | MessageKind::FILL_VALUE
        | MessageKind::FILL_VALUE_OLD
        | MessageKind::EXTERNAL_FILES
        | MessageKind::LAYOUT => kind == ObjectKind::Dataset,
        other => !other.is_known(),
    }
}
