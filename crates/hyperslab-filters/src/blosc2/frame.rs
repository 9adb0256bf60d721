//! The frame: the position and properties of its only chunk.
//!
//! ```text
//!  0  9e a8 "b2frame\0"   | d2 header length, 4 | cf frame length, 8
//! 18  a4 flags, 4         | d3 decoded length, 8 | d3 stored length, 8
//! 2f  d2 element size, 4  | d2 block length, 4  | d2 chunk length, 4 | d1 2 | d1 2 | 1
//! 45  filters, 18 bytes   | 93 cd 2 | de count of layers, 2 | name, d2 offset; …
//! ```
//!
//! The bytes in hexadecimal are MessagePack's type bytes of the numbers that follow them.

use super::chunk::{Chunk, ChunkEncoder, LONG_HEADER, Value};
use super::shape::Shape;
use super::{NAME, corrupt, early};
use crate::FilterError;
use crate::scratch::{Buffer, CodecState};

const MAGIC: &[u8] = b"\x9e\xa8b2frame\0";
const LAYERS_AT: usize = 0x57;
/// Set in an offset of the index that is not an offset but a value that fills the chunk.
const SPECIAL: u64 = 1 << 63;

pub(super) struct Frame {
    header: usize,
    stored: usize,
    /// The decoded size in bytes, including the padding of an array.
    pub length: usize,
    pub element: usize,
    pub shape: Option<Shape>,
}

/// The contents of the frame.
pub(super) enum Content<'a> {
    Chunk(&'a [u8]),
    Value(Value<'a>),
}

impl Frame {
    pub fn read(bytes: &[u8]) -> Result<Self, FilterError> {
        if !bytes.starts_with(MAGIC) {
            return Err(corrupt("not a Blosc 2 frame"));
        }
        let mut frame = Self {
            header: number(bytes, 0x0a, 0xd2)?,
            stored: number(bytes, 0x26, 0xd3)?,
            length: number(bytes, 0x1d, 0xd3)?,
            element: number(bytes, 0x2f, 0xd2)?,
            shape: None,
        };
        let chunk = number(bytes, 0x39, 0xd2)?;
        if chunk < frame.length {
            return Err(FilterError::unsupported(NAME, "a frame with several chunks"));
        }
        if frame.element == 0 {
            return Err(corrupt("the element size is 0"));
        }
        if let Some(layer) = layer(bytes, b"b2nd")? {
            frame.shape = Some(Shape::read(layer)?);
        }
        Ok(frame)
    }

    /// The decoded size in bytes, without the padding of an array.
    pub fn bytes(&self) -> Option<usize> {
        self.shape.as_ref().map_or(Some(self.length), |shape| shape.bytes(self.element))
    }

    /// Finds the chunk through the index, which follows it.
    pub fn content<'a>(&self, bytes: &'a [u8], state: &mut CodecState) -> Result<Content<'a>, FilterError> {
        let chunks = bytes.get(self.header..).ok_or_else(early)?;
        if self.length == 0 {
            return Ok(Content::Value(Value::Zeros));
        }
        let index = Chunk::read(chunks.get(self.stored..).ok_or_else(early)?)?;
        let mut offset = [0; 8];
        if index.length() != offset.len() {
            return Err(corrupt(format!("the index of one chunk has {} bytes", index.length())));
        }
        index.decode(&mut offset, state)?;
        let offset = u64::from_le_bytes(offset);
        if offset & SPECIAL != 0 {
            return Value::named((offset >> 56 & 7) as u8, &[]).map(Content::Value);
        }
        let at = usize::try_from(offset).map_err(|_| early())?;
        Ok(Content::Chunk(chunks.get(at..).ok_or_else(early)?))
    }
}

/// The properties of a new frame.
pub(super) struct FrameHeader {
    pub element: usize,
    /// The length of the chunk, in bytes.
    pub length: usize,
    pub block: usize,
    pub codec: u8,
    pub level: u8,
    pub filter: u8,
    /// The layer that describes an array, if the chunk is one.
    pub array: Option<Vec<u8>>,
}

/// The offset of the only chunk, as a chunk: 8 bytes behind their header.
const INDEX_BYTES: usize = LONG_HEADER + 8;

/// No layers of variable length, no checksum.
const TRAILER: [u8; 35] = {
    let mut trailer = [0; 35];
    let start = [0x94, 1, 0x93, 0xcd, 0, 6, 0xde, 0, 0, 0xdc, 0, 0, 0xce, 0, 0, 0, 35, 0xd8];
    let mut at = 0;
    while at < start.len() {
        trailer[at] = start[at];
        at += 1;
    }
    trailer
};

impl FrameHeader {
    /// Encodes a frame to the start of `out`; `chunk` encodes the chunk. Returns the number of bytes.
    pub fn encode(
        &self,
        out: &mut Buffer,
        chunk: &mut dyn FnMut(&mut [u8]) -> Result<usize, FilterError>,
    ) -> Result<usize, FilterError> {
        let header = self.layers();
        let start = header.len();
        let out = out.room(start + ChunkEncoder::bytes_max(self.length) + INDEX_BYTES + TRAILER.len())?;
        out[..start].copy_from_slice(&header);
        let (mut stored, mut end) = (0, start);
        if self.length > 0 {
            stored = chunk(&mut out[start..])?;
            end += stored;
            out[end..end + INDEX_BYTES].copy_from_slice(&index());
            end += INDEX_BYTES;
        }
        out[end..end + TRAILER.len()].copy_from_slice(&TRAILER);
        end += TRAILER.len();
        out[0x10..0x18].copy_from_slice(&(end as u64).to_be_bytes());
        out[0x27..0x2f].copy_from_slice(&(stored as u64).to_be_bytes());
        Ok(end)
    }

    /// The header, apart from the lengths of the frame and of the chunk.
    fn layers(&self) -> Vec<u8> {
        /// Format version 2, with offsets of 8 bytes.
        const GENERAL_FLAGS: u8 = 0x12;
        /// Blocks are split into streams for some codecs.
        const USUAL_SPLIT: u8 = 3;
        let mut out = Vec::from(MAGIC);
        let marked = |out: &mut Vec<u8>, mark: u8, number: &[u8]| {
            out.push(mark);
            out.extend_from_slice(number);
        };
        let number = |value: usize| (value as u32).to_be_bytes();
        marked(&mut out, 0xd2, &[0; 4]);
        marked(&mut out, 0xcf, &[0; 8]);
        marked(&mut out, 0xa4, &[GENERAL_FLAGS, 0, self.codec | self.level << 4, USUAL_SPLIT]);
        marked(&mut out, 0xd3, &(self.length as u64).to_be_bytes());
        marked(&mut out, 0xd3, &[0; 8]);
        marked(&mut out, 0xd2, &number(self.element));
        marked(&mut out, 0xd2, &number(self.block));
        marked(&mut out, 0xd2, &number(self.length));
        // One thread for encoding, one for decoding; no layers of variable length.
        marked(&mut out, 0xd1, &[0, 1]);
        marked(&mut out, 0xd1, &[0, 1]);
        out.push(0xc2);
        // Six filters in eight places, the codec in the seventh, and their meta bytes.
        marked(&mut out, 0xd8, &[6, 0, 0, 0, 0, 0, self.filter, self.codec, 0]);
        out.extend_from_slice(&[0; 8]);
        let names: &[u8] = if self.array.is_some() { b"\xa4b2nd\xd2\0\0\0\0" } else { b"" };
        let layers = u8::from(self.array.is_some());
        marked(&mut out, 0x93, &[0xcd, 0, (names.len() + 7) as u8, 0xde, 0, layers]);
        out.extend_from_slice(names);
        let offset_at = out.len() - 4;
        marked(&mut out, 0xdc, &[0, layers]);
        if let Some(array) = &self.array {
            let offset = out.len();
            out[offset_at..offset_at + 4].copy_from_slice(&number(offset));
            marked(&mut out, 0xc6, &number(array.len()));
            out.extend_from_slice(array);
        }
        let header_bytes = out.len();
        out[0x0b..0x0f].copy_from_slice(&number(header_bytes));
        out
    }
}

/// The index of a frame whose only chunk follows the header: the offset 0, in a chunk that is a copy.
fn index() -> [u8; INDEX_BYTES] {
    let mut index = [0; INDEX_BYTES];
    index[..4].copy_from_slice(&[5, 1, 0x17, 8]);
    for (at, number) in [(4, 8u32), (8, 8), (12, INDEX_BYTES as u32)] {
        index[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    index
}

/// The number after its type byte at a known position. Negative numbers, and those too large for this machine, are
/// errors.
fn number(bytes: &[u8], at: usize, mark: u8) -> Result<usize, FilterError> {
    let width = if mark == 0xd3 { 8 } else { 4 };
    let field = bytes.get(at..at + 1 + width).ok_or_else(early)?;
    if field[0] != mark {
        return Err(corrupt(format!(
            "expected type byte {mark:#04x} at byte {at} of the frame, found {:#04x}",
            field[0]
        )));
    }
    let value = field[1..].iter().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    usize::try_from(value)
        .ok()
        .filter(|&value| value <= isize::MAX as usize)
        .ok_or_else(|| corrupt("a length is negative"))
}

/// The content of a metalayer.
fn layer<'a>(bytes: &'a [u8], wanted: &[u8]) -> Result<Option<&'a [u8]>, FilterError> {
    let Some(&[0x93, 0xcd, _, _, 0xde, high, low, ref rest @ ..]) = bytes.get(LAYERS_AT..) else {
        return Ok(None);
    };
    let mut rest = rest;
    for _ in 0..u16::from_be_bytes([high, low]) {
        let (&mark, after) = rest.split_first().ok_or_else(early)?;
        let (name, after) = after.split_at_checked(usize::from(mark & 0x1f)).ok_or_else(early)?;
        if name == wanted {
            let at = number(after, 0, 0xd2)?;
            let len = number(bytes, at, 0xc6)?;
            return Ok(Some(bytes.get(at + 5..).and_then(|rest| rest.get(..len)).ok_or_else(early)?));
        }
        rest = after.get(5..).ok_or_else(early)?;
    }
    Ok(None)
}
