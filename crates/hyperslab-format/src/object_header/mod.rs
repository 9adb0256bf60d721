//! Object headers (specification IV.A), versions 1 and 2: the messages that describe an object.
//!
//! ```text
//! header ──► block of messages ──► continuation block ──► …
//! ```
//!
//! Parsing a header finds its messages, in all blocks, and keeps their bodies as bytes. The typed getters parse one
//! kind of message at a time, so that a message that cannot be parsed does not hide the others. They take a [`Context`]
//! to resolve shared messages, which are in another object header or in the heap of shared messages.
//!
//! The parser accepts what libhdf5 accepts: messages of unknown types (unless they are marked as required), bodies that
//! are longer than the message, and in version 1 wrong message counts that the library ignores.

mod block;
mod getters;
mod kind;
mod message_kind;
mod prefix;
pub(crate) mod shared;
mod shared_message;
mod shared_message_list;

pub use getters::HeaderAttribute;
pub use kind::ObjectKind;
pub use message_kind::MessageKind;
pub use prefix::Times;
pub use shared::{Context, Found, Resolved};
pub use shared_message::{SharedMessageIndex, SharedMessageTable};
pub use shared_message_list::SharedMessageList;

use crate::limits::{HEADER_BLOCKS_MAX, HEADER_MESSAGES_MAX};
use crate::message::ReferenceCount;
use crate::{Address, Bytes, Cursor, Encoder, FormatError, Gather, Parse, View, Widths};
use block::Blocks;
use std::ops::Range;

/// The header of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectHeader {
    /// Its address.
    pub address: Address,
    /// The version, 1 or 2.
    pub version: u8,
    /// Flags of version 2 (0 in version 1).
    pub flags: u8,
    /// Number of hard links to the object.
    pub reference_count: u32,
    /// The times of access, modification, change and birth, if version 2 stores them.
    pub times: Option<Times>,
    /// The maximum number of compact attributes and the minimum number of dense attributes, if not the defaults (8 and
    /// 6).
    pub attribute_phase_change: Option<(u16, u16)>,
    /// All messages, in the order of the blocks. Includes empty messages (NIL) and continuations.
    pub messages: Vec<Message>,
    /// The ranges of the file that the header occupies, one per block; the first includes the prefix.
    pub blocks: Vec<Range<u64>>,
}

/// A message of an object header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The type of the message.
    pub kind: MessageKind,
    /// The raw flags: 0x02 means shared.
    pub flags: u8,
    /// The position of an attribute in creation order, if the header tracks it.
    pub creation_order: Option<u16>,
    /// The absolute offset of the body in the file.
    pub at: u64,
    /// The body; for a shared message, the location of the actual body.
    pub body: Bytes,
}

const SHARED: u8 = 0x02;
const DONT_SHARE: u8 = 0x04;
const FAIL_IF_UNKNOWN_AND_WRITING: u8 = 0x08;
const MARK_IF_UNKNOWN: u8 = 0x10;
const WAS_UNKNOWN: u8 = 0x20;
const SHAREABLE: u8 = 0x40;
const FAIL_IF_UNKNOWN: u8 = 0x80;

impl Message {
    /// True if the body only contains the location of the message.
    pub fn is_shared(&self) -> bool {
        self.flags & SHARED != 0
    }

    /// A cursor over the body.
    pub fn cursor(&self, widths: Widths) -> Cursor {
        Cursor::new(self.kind.structure(), self.at, self.body.clone(), widths)
    }
}

impl ObjectHeader {
    /// Parses the header at `address` with all its continuation blocks.
    pub fn parse(view: View<'_>, address: Address) -> Parse<Self> {
        let (mut header, first, stored_count) = prefix::parse(view, address)?;
        let mut claimed = Blocks::default();
        claimed.claim(header.blocks[0].clone())?;
        header.read_block(first)?;
        header.check_count(stored_count)?;
        // A block may point to several others, which may point to further ones; all known blocks are fetched together.
        let mut seen = 0;
        while seen < header.messages.len() {
            let mut gather = Gather::default();
            let mut found = Vec::new();
            for message in &header.messages[seen..] {
                if message.kind != MessageKind::CONTINUATION {
                    continue;
                }
                let (at, len) = continuation(message.cursor(view.widths))?;
                let start = view.absolute(at);
                claimed.claim(start..start.saturating_add(len))?;
                found.push((start..start.saturating_add(len), block::fetch(view, header.version, at, len)));
            }
            seen = header.messages.len();
            let mut blocks = Vec::new();
            for (range, parsed) in found {
                header.blocks.push(range);
                blocks.extend(gather.take(parsed)?);
            }
            gather.finish()?;
            for cursor in blocks {
                header.read_block(cursor)?;
            }
        }
        header.count_references(view.widths)?;
        Ok(header)
    }

    fn read_block(&mut self, cursor: Cursor) -> Result<(), FormatError> {
        let at = cursor.at();
        block::read(cursor, self.version, self.tracks_attribute_order(), &mut self.messages)?;
        let found = self.messages.len() as u64;
        if found > HEADER_MESSAGES_MAX {
            let (limit, max) = ("HEADER_MESSAGES_MAX", HEADER_MESSAGES_MAX);
            return Err(FormatError::limit(prefix::STRUCTURE, "messages", at, limit, max, found));
        }
        Ok(())
    }

    /// A version 1 prefix contains the total number of messages. Old libraries counted wrongly, so the only error is a
    /// first block with more messages than that.
    fn check_count(&self, stored: Option<u16>) -> Result<(), FormatError> {
        match stored {
            Some(stored) if self.messages.len() > stored.into() => {
                let what = format!("{stored} messages, but the first block has {}", self.messages.len());
                let at = self.blocks[0].start;
                Err(FormatError::invalid(prefix::STRUCTURE, "number of header messages", at, what))
            }
            _ => Ok(()),
        }
    }

    fn count_references(&mut self, widths: Widths) -> Result<(), FormatError> {
        let mut count = self.reference_count;
        for message in self.all(MessageKind::REFERENCE_COUNT) {
            if self.version == 1 {
                let what = "a version 1 object header counts references in its prefix";
                return Err(FormatError::invalid(message.kind.structure(), "type", message.at, what));
            }
            count = ReferenceCount::parse(message.cursor(widths))?.0;
        }
        self.reference_count = count;
        Ok(())
    }

    /// The first message of a kind. The library, too, reads only the first if there are several.
    pub fn first(&self, kind: MessageKind) -> Option<&Message> {
        self.messages.iter().find(|message| message.kind == kind)
    }

    /// All messages of a kind.
    pub fn all(&self, kind: MessageKind) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(move |message| message.kind == kind)
    }

    /// True if the header records the creation order of attributes.
    pub fn tracks_attribute_order(&self) -> bool {
        self.flags & prefix::TRACKS_ATTRIBUTE_ORDER != 0
    }

    /// True if dense attributes have an index of their creation order.
    pub fn indexes_attribute_order(&self) -> bool {
        self.flags & prefix::INDEXES_ATTRIBUTE_ORDER != 0
    }

    /// The flags of a version 2 header that tracks, and perhaps indexes, the creation order of attributes.
    pub fn attribute_order_flags(tracked: bool, indexed: bool) -> u8 {
        let tracked = if tracked { prefix::TRACKS_ATTRIBUTE_ORDER } else { 0 };
        if indexed { tracked | prefix::INDEXES_ATTRIBUTE_ORDER } else { tracked }
    }

    /// Encodes the header with all messages in its first block, which has no gaps. Space without content and
    /// continuations are left out, except for space that a small header needs, so that messages can be added later. The addresses and offsets of the header and of its messages are not used.
    ///
    /// A reference count other than 1 is stored in the prefix of version 1; in version 2 it must be a message.
    pub fn encode(&self, out: &mut Encoder) {
        let mut messages = Encoder::new(prefix::STRUCTURE, out.widths());
        let mut count = 0;
        for message in &self.messages {
            if message.kind != MessageKind::NIL && message.kind != MessageKind::CONTINUATION {
                block::encode(message, self.version, self.tracks_attribute_order(), &mut messages);
                count += 1;
            }
        }
        if messages.position() < FIRST_BLOCK_BYTES_MIN {
            block::encode_space(self, FIRST_BLOCK_BYTES_MIN, &mut messages);
            count += 1;
        }
        let start = out.position();
        prefix::encode(self, count, messages.position(), out);
        out.nested(messages);
        if self.version > 1 {
            out.checksum_since(start);
        }
    }
}

/// `H5O_MIN_SIZE`: the space of a continuation message, without which libhdf5 cannot add messages to a header.
const FIRST_BLOCK_BYTES_MIN: usize = 22;

/// Parses a continuation message: the address and length of another block.
fn continuation(mut cursor: Cursor) -> Result<(Address, u64), FormatError> {
    let address = cursor.address_defined("offset")?;
    let at = cursor.at();
    let len = cursor.length("length")?;
    if len == 0 {
        return Err(cursor.invalid_at(at, "length", "a continuation block has 0 bytes"));
    }
    Ok((address, len))
}

/// The error for one block more than the limit.
fn refuse_more_blocks(at: u64) -> FormatError {
    let (limit, max) = ("HEADER_BLOCKS_MAX", HEADER_BLOCKS_MAX);
    FormatError::limit(prefix::STRUCTURE, "continuation", at, limit, max, max + 1)
}

#[cfg(test)]
mod tests;
