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

use super::chunk::{Chunk, Value};
use super::shape::Shape;
use super::{NAME, corrupt, early};
use crate::FilterError;
use crate::scratch::CodecState;

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
