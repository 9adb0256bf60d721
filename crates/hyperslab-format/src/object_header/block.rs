//! Blocks of messages: the first block of a header, and its continuation blocks.
//!
//! ```text
//! version 1      type 2 | size 2 | flags 1 | reserved 3               | body, a multiple of 8 bytes
//! version 2      type 1 | size 2 | flags 1 | [creation order 2]       | body
//!
//! continuation   version 1: messages      version 2: "OCHK" | messages | gap | checksum 4
//! ```
//!
//! A gap is the space at the end of a version 2 block that is too small for the header of a message.

use super::{
    DONT_SHARE, FAIL_IF_UNKNOWN, FAIL_IF_UNKNOWN_AND_WRITING, MARK_IF_UNKNOWN, Message, MessageKind,
    ObjectHeader, SHAREABLE, SHARED, WAS_UNKNOWN, refuse_more_blocks,
};
use crate::limits::HEADER_BLOCKS_MAX;
use crate::{Address, Cursor, Encoder, FormatError, Parse, View};
use std::collections::BTreeMap;
use std::ops::Range;

const STRUCTURE: &str = "object header continuation block";
const SIGNATURE: &[u8; 4] = b"OCHK";

/// The ranges of the file that a header already occupies: a block must not overlap another one or continue in itself.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    ends: BTreeMap<u64, u64>,
}

impl Blocks {
    pub fn claim(&mut self, range: Range<u64>) -> Result<(), FormatError> {
        let before = self.ends.range(..range.end).next_back();
        if let Some((start, end)) = before.filter(|(_, end)| **end > range.start) {
            let what = format!("the bytes {range:#x?} already belong to the block {:#x?}", *start..*end);
            return Err(FormatError::invalid(STRUCTURE, "extent", range.start, what));
        }
        if self.ends.len() as u64 > HEADER_BLOCKS_MAX {
            return Err(refuse_more_blocks(range.start));
        }
        self.ends.insert(range.start, range.end);
        Ok(())
    }
}

/// A cursor over the messages of a continuation block.
pub(super) fn fetch(view: View<'_>, version: u8, address: Address, len: u64) -> Parse<Cursor> {
    let mut cursor = view.cursor(STRUCTURE, address, len)?;
    if version == 1 {
        return Ok(cursor);
    }
    cursor.signature(SIGNATURE)?;
    let Some(messages) = cursor.left().checked_sub(4) else {
        return Err(cursor.invalid("checksum", format!("{len} bytes have no room for a checksum")).into());
    };
    let messages = cursor.sub("messages", messages)?;
    cursor.checksum()?;
    Ok(messages)
}

/// Parses all messages of a block.
pub(super) fn read(
    mut cursor: Cursor,
    version: u8,
    has_creation_order: bool,
    messages: &mut Vec<Message>,
) -> Result<(), FormatError> {
    let head = head_bytes(version, has_creation_order);
    let mut nil = false;
    while cursor.left() > 0 {
        let message =
            if version == 1 { message_1(&mut cursor)? } else { message_2(&mut cursor, has_creation_order)? };
        check_flags(&message)?;
        nil |= message.kind == MessageKind::NIL;
        messages.push(message);
        if (1..head).contains(&cursor.left()) {
            if version == 1 || nil {
                let what = format!("{} bytes are left, enough for a NIL message", cursor.left());
                return Err(cursor.invalid("gap", what));
            }
            break;
        }
    }
    Ok(())
}

fn message_1(cursor: &mut Cursor) -> Result<Message, FormatError> {
    let kind = MessageKind(cursor.u16("message type")?);
    let at = cursor.at();
    let size = cursor.u16("message data size")?;
    if !size.is_multiple_of(8) {
        let what = format!("the size of the {kind}, {size} bytes, is not a multiple of 8");
        return Err(cursor.invalid_at(at, "message data size", what));
    }
    let flags = cursor.u8("message flags")?;
    cursor.skip("reserved", 3)?;
    body(cursor, kind, size, flags, None)
}

fn message_2(cursor: &mut Cursor, has_creation_order: bool) -> Result<Message, FormatError> {
    let kind = MessageKind(cursor.u8("message type")?.into());
    let size = cursor.u16("message data size")?;
    let flags = cursor.u8("message flags")?;
    let order = if has_creation_order { Some(cursor.u16("message creation order")?) } else { None };
    body(cursor, kind, size, flags, order)
}

fn body(
    cursor: &mut Cursor,
    kind: MessageKind,
    size: u16,
    flags: u8,
    creation_order: Option<u16>,
) -> Result<Message, FormatError> {
    let at = cursor.at();
    Ok(Message { kind, flags, creation_order, at, body: cursor.bytes("message data", size.into())? })
}

/// Contradictory flags are treated as damage, as in libhdf5.
fn check_flags(message: &Message) -> Result<(), FormatError> {
    let Message { kind, flags, at, .. } = message;
    let has = |bits| flags & bits == bits;
    if !kind.is_known() {
        if has(FAIL_IF_UNKNOWN) {
            let what = format!("the {kind} is marked as required, but is not supported");
            return Err(FormatError::unsupported(kind.structure(), "message type", *at, what));
        }
    } else if flags & (SHARED | SHAREABLE) != 0 && !kind.is_shareable() {
        let what = format!("flags {flags:#04x}: a {kind} cannot be shared");
        return Err(FormatError::invalid(kind.structure(), "message flags", *at, what));
    }
    if has(SHARED | DONT_SHARE)
        || has(WAS_UNKNOWN | FAIL_IF_UNKNOWN_AND_WRITING)
        || (has(WAS_UNKNOWN) && !has(MARK_IF_UNKNOWN))
    {
        let what = format!("flags {flags:#04x} contradict each other");
        return Err(FormatError::invalid(kind.structure(), "message flags", *at, what));
    }
    Ok(())
}

/// Encodes a message. In version 1 the body is padded to a multiple of 8 bytes.
pub(super) fn encode(message: &Message, version: u8, has_creation_order: bool, out: &mut Encoder) {
    let len = message.body.len();
    if version == 1 {
        out.u16(message.kind.0);
        out.count("message data size", len.next_multiple_of(8), 2);
        out.u8(message.flags);
        out.zeros(3);
    } else {
        out.uint("message type", message.kind.0.into(), 1);
        out.count("message data size", len, 2);
        out.u8(message.flags);
        if has_creation_order {
            out.u16(message.creation_order.unwrap_or_default());
        }
    }
    let start = out.position();
    out.bytes(&message.body);
    if version == 1 {
        out.align_since(start, 8);
    }
}

/// Encodes a message without content (NIL), after which a block has at least `bytes` bytes.
pub(super) fn encode_space(header: &ObjectHeader, bytes: usize, out: &mut Encoder) {
    let has_creation_order = header.tracks_attribute_order();
    let head = head_bytes(header.version, has_creation_order);
    let body = vec![0; bytes.saturating_sub(out.position() + head)].into();
    let message = Message { kind: MessageKind::NIL, flags: 0, creation_order: None, at: 0, body };
    encode(&message, header.version, has_creation_order, out);
}

/// The size of a message without its body, in bytes.
fn head_bytes(version: u8, has_creation_order: bool) -> usize {
    match (version, has_creation_order) {
        (1, _) => 8,
        (_, true) => 6,
        (_, false) => 4,
    }
}
