//! The prefix of an object header, before its first message.
//!
//! ```text
//! version 1   version | reserved 1 | messages 2 | reference count 4 | block size 4 | reserved 4
//! version 2   "OHDR" | version | flags | [4 times 4 each] | [phase change 2 × 2] | block size 1, 2, 4 or 8
//!             … messages … | checksum 4
//!
//! flags       bits 0-1 width of the block size, 2 attribute order tracked, 3 and indexed, 4 phase change, 5 times
//! ```

use super::ObjectHeader;
use crate::{Address, Cursor, Encoder, FormatError, Parse, View};

pub(super) const STRUCTURE: &str = "object header";
pub(super) const TRACKS_ATTRIBUTE_ORDER: u8 = 0x04;
pub(super) const INDEXES_ATTRIBUTE_ORDER: u8 = 0x08;

const SIGNATURE: &[u8; 4] = b"OHDR";
const SIZE_WIDTH: u8 = 0x03;
const HAS_PHASE_CHANGE: u8 = 0x10;
const HAS_TIMES: u8 = 0x20;
const FLAGS: u8 = 0x3f;
const CHECKSUM: u64 = 4;

/// Most headers are shorter than this and are read in one request.
const FIRST_READ: u64 = 512;

/// Times of an object, in seconds since 1970-01-01 00:00 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// Last access to the data.
    pub access: u32,
    /// Last change of the data.
    pub modification: u32,
    /// Last change of the header.
    pub change: u32,
    /// Creation of the object.
    pub birth: u32,
}

/// Returns a header without messages, a cursor over the messages of its first block and, in version 1, the total number
/// of messages.
pub(super) fn parse(view: View<'_>, address: Address) -> Parse<(ObjectHeader, Cursor, Option<u16>)> {
    let mut cursor = view.cursor_up_to(STRUCTURE, address, FIRST_READ)?;
    let mut header = ObjectHeader {
        address,
        version: 1,
        flags: 0,
        reference_count: 1,
        times: None,
        attribute_phase_change: None,
        messages: Vec::new(),
        blocks: Vec::new(),
    };
    let two = cursor.clone().bytes("version", 4).is_ok_and(|bytes| bytes[..] == SIGNATURE[..]);
    let (size, stored_count) = if two {
        (version_2(&mut cursor, &mut header)?, None)
    } else {
        let (size, count) = version_1(&mut cursor, &mut header)?;
        (size, Some(count))
    };
    let prefix = cursor.position();
    let checksum = if two { CHECKSUM } else { 0 };
    let len = size.saturating_add(prefix as u64 + checksum);
    let mut whole = view.cursor(STRUCTURE, address, len)?;
    let start = whole.at();
    header.blocks.push(start..start.saturating_add(len));
    whole.skip("prefix", prefix)?;
    let messages = whole.sub("messages", whole.left() - checksum as usize)?;
    if two {
        whole.checksum()?;
    }
    Ok((header, messages, stored_count))
}

/// Encodes the prefix of a header with `count` messages of `size` bytes in total.
pub(super) fn encode(header: &ObjectHeader, count: usize, size: usize, out: &mut Encoder) {
    if header.version == 1 {
        out.u8(1);
        out.u8(0);
        out.count("number of header messages", count, 2);
        out.u32(header.reference_count);
        out.count("object header size", size, 4);
        return out.zeros(4);
    }
    let width_bits = match size {
        0..=0xff => 0,
        0x100..=0xffff => 1,
        _ => 2,
    };
    let flag = |bit, is_set| if is_set { bit } else { 0 };
    let kept = header.flags & !(SIZE_WIDTH | HAS_PHASE_CHANGE | HAS_TIMES);
    out.bytes(SIGNATURE);
    out.u8(2);
    out.u8(kept
        | width_bits
        | flag(HAS_PHASE_CHANGE, header.attribute_phase_change.is_some())
        | flag(HAS_TIMES, header.times.is_some()));
    if let Some(times) = header.times {
        [times.access, times.modification, times.change, times.birth].iter().for_each(|&time| out.u32(time));
    }
    if let Some((most, fewest)) = header.attribute_phase_change {
        out.u16(most);
        out.u16(fewest);
    }
    out.count("size of chunk 0", size, 1 << width_bits);
}

fn version_1(cursor: &mut Cursor, header: &mut ObjectHeader) -> Result<(u64, u16), FormatError> {
    cursor.version(1..=1)?;
    cursor.skip("reserved", 1)?;
    let count = cursor.u16("number of header messages")?;
    header.reference_count = cursor.u32("object reference count")?;
    let at = cursor.at();
    let size = cursor.u32("object header size")?;
    if (count > 0 && size < 8) || (count == 0 && size > 0) {
        let what = format!("{size} bytes for {count} messages");
        return Err(cursor.invalid_at(at, "object header size", what));
    }
    cursor.skip("reserved", 4)?;
    Ok((size.into(), count))
}

fn version_2(cursor: &mut Cursor, header: &mut ObjectHeader) -> Result<u64, FormatError> {
    cursor.signature(SIGNATURE)?;
    header.version = cursor.version(2..=2)?;
    header.flags = cursor.flags(FLAGS)?;
    if header.flags & HAS_TIMES != 0 {
        header.times = Some(Times {
            access: cursor.u32("access time")?,
            modification: cursor.u32("modification time")?,
            change: cursor.u32("change time")?,
            birth: cursor.u32("birth time")?,
        });
    }
    if header.flags & HAS_PHASE_CHANGE != 0 {
        let at = cursor.at();
        let most = cursor.u16("maximum number of compact attributes")?;
        let fewest = cursor.u16("minimum number of dense attributes")?;
        if most < fewest {
            let what = format!("at most {most} compact attributes, but dense ones only from {fewest} on");
            return Err(cursor.invalid_at(at, "attribute phase change", what));
        }
        header.attribute_phase_change = Some((most, fewest));
    }
    let at = cursor.at();
    let size = cursor.uint("size of chunk 0", 1 << (header.flags & SIZE_WIDTH))?;
    let fewest = if header.tracks_attribute_order() { 6 } else { 4 };
    if size > 0 && size < fewest {
        let what = format!("{size} bytes, but the header of a message has {fewest}");
        return Err(cursor.invalid_at(at, "size of chunk 0", what));
    }
    Ok(size)
}
