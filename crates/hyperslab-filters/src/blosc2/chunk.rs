//! A Blosc 2 chunk: blocks of streams, with filters to reverse.
//!
//! ```text
//!  0  version | codec's version | flags | element size | decoded length, 4 | block length, 4 | stored length, 4
//! 10  filters, 6 | codec | its meta | metas of the filters, 6 | 1 | more flags
//! flags       2 the data follows uncompressed   5 (both) this long header   16 blocks are one stream   32… codec
//! more flags  1 dictionary   8 lazy   16… the value that fills the chunk, if it has no blocks
//! filters     1 shuffled by bytes   2 shuffled by bits   3 delta   4 truncated; applied from the first to the last
//! ```
//! A chunk with the short header is a Blosc 1 buffer.
//! A chunk with the short header is one of Blosc 1.

use super::{NAME, corrupt, early};
use crate::bitshuffle::unshuffle_bits;
use crate::scratch::CodecState;
use crate::{FilterError, blosc, shuffle};

const SHORT_HEADER: usize = 16;
const LONG_HEADER: usize = 32;
const LONG: u8 = 5;
const COPIED: u8 = 2;
const ONE_STREAM: u8 = 16;
const DICTIONARY: u8 = 1;
const LAZY: u8 = 8;

/// A value that fills a whole chunk.
pub(super) enum Value<'a> {
    Zeros,
    Nan,
    Repeated(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The value with this kind number; a repeated value is taken from `follows`.
    pub fn named(kind: u8, follows: &'a [u8]) -> Result<Self, FilterError> {
        match kind {
            // Uninitialised values may have any value; zeros are returned.
            1 | 4 => Ok(Value::Zeros),
            2 => Ok(Value::Nan),
            3 if !follows.is_empty() => Ok(Value::Repeated(follows)),
            other => Err(corrupt(format!("special value {other}"))),
        }
    }

    pub fn fill(&self, out: &mut [u8], element: usize) {
        match self {
            Value::Zeros => out.fill(0),
            Value::Nan if element == 4 => repeat(out, &f32::NAN.to_le_bytes()),
            Value::Nan => repeat(out, &f64::NAN.to_le_bytes()),
            Value::Repeated(value) => repeat(out, value),
        }
    }
}

fn repeat(out: &mut [u8], value: &[u8]) {
    for out in out.chunks_mut(value.len()) {
        out.copy_from_slice(&value[..out.len()]);
    }
}

pub(super) struct Chunk<'a> {
    bytes: &'a [u8],
    flags: u8,
    element: usize,
    length: usize,
    block: usize,
    filters: [u8; 6],
    metas: [u8; 6],
    value: Option<Value<'a>>,
}

impl<'a> Chunk<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Self, FilterError> {
        let header = bytes.first_chunk::<SHORT_HEADER>().ok_or_else(early)?;
        let number =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let mut chunk = Self {
            bytes,
            flags: header[2],
            element: usize::from(header[3]).max(1),
            length: number(4) as usize,
            block: number(8) as usize,
            filters: [0; 6],
            metas: [0; 6],
            value: None,
        };
        if chunk.is_long() {
            chunk.read_long()?;
        }
        if chunk.block == 0 && chunk.length > 0 {
            return Err(corrupt("the block size is 0"));
        }
        Ok(chunk)
    }

    fn read_long(&mut self) -> Result<(), FilterError> {
        let header = self.bytes.first_chunk::<LONG_HEADER>().ok_or_else(early)?;
        self.filters.copy_from_slice(&header[0x10..0x16]);
        self.metas.copy_from_slice(&header[0x18..0x1e]);
        let more = header[0x1f];
        if more & DICTIONARY != 0 {
            return Err(FilterError::unsupported(NAME, "compression with a dictionary"));
        }
        if more & LAZY != 0 {
            return Err(corrupt("a lazy chunk has no data"));
        }
        let kind = more >> 4 & 7;
        if kind != 0 {
            let value = self.bytes.get(LONG_HEADER..LONG_HEADER + self.element).unwrap_or(&[]);
            self.value = Some(Value::named(kind, value)?);
        }
        Ok(())
    }

    fn is_long(&self) -> bool {
        self.flags & LONG == LONG
    }

    /// The decoded size in bytes.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The decoded size of each block except the last, in bytes.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Decodes the whole chunk, which must be as long as `out`.
    pub fn decode(&self, out: &mut [u8], state: &mut CodecState) -> Result<(), FilterError> {
        if self.length != out.len() {
            return Err(FilterError::Length { filter: NAME, expected: out.len(), found: self.length });
        }
        if out.is_empty() {
            return Ok(());
        }
        if !self.is_long() {
            return blosc::decode_buffer(NAME, self.bytes, out, state).map(|_| ());
        }
        let (first, rest) = out.split_at_mut(self.block.min(self.length));
        self.decode_block(0, None, first, state)?;
        for (number, out) in rest.chunks_mut(self.block).enumerate() {
            self.decode_block(number + 1, Some(first), out, state)?;
        }
        Ok(())
    }

    /// Decodes one block of a chunk with a long header. Blocks after the first may be encoded relative to it.
    pub fn decode_block(
        &self,
        number: usize,
        first: Option<&[u8]>,
        out: &mut [u8],
        state: &mut CodecState,
    ) -> Result<(), FilterError> {
        if let Some(value) = &self.value {
            value.fill(out, self.element);
            return Ok(());
        }
        let body = self.bytes.get(LONG_HEADER..).filter(|_| self.is_long()).ok_or_else(early)?;
        if self.flags & COPIED != 0 {
            let at = number.saturating_mul(self.block);
            let bytes = body.get(at..).and_then(|rest| rest.get(..out.len())).ok_or_else(early)?;
            out.copy_from_slice(bytes);
            return Ok(());
        }
        let start = body.get(4 * number..).and_then(|rest| rest.first_chunk()).ok_or_else(early)?;
        let stored = self.bytes.get(u32::from_le_bytes(*start) as usize..).ok_or_else(early)?;
        self.decode_streams(stored, out, state)?;
        for (&filter, &meta) in self.filters.iter().zip(&self.metas).rev() {
            self.undo(filter, meta, first, out, state)?;
        }
        Ok(())
    }

    fn decode_streams(
        &self,
        stored: &[u8],
        out: &mut [u8],
        state: &mut CodecState,
    ) -> Result<(), FilterError> {
        let split = self.flags & ONE_STREAM == 0 && out.len() == self.block;
        let streams = if split { self.element } else { 1 };
        if !out.len().is_multiple_of(streams) {
            return Err(corrupt(format!("a block of {} bytes cannot have {streams} streams", out.len())));
        }
        let length = out.len() / streams;
        let mut rest = stored;
        for out in out.chunks_mut(length.max(1)) {
            let (len, after) = rest.split_first_chunk().ok_or_else(early)?;
            let len = i32::from_le_bytes(*len);
            if len == 0 {
                out.fill(0);
                rest = after;
            } else if len < 0 {
                let (&token, after) = after.split_first().ok_or_else(early)?;
                if token & 1 == 0 {
                    return Err(FilterError::unsupported(NAME, format!("stream token {token}")));
                }
                out.fill(len.wrapping_neg() as u8);
                rest = after;
            } else {
                let (stream, after) = after.split_at_checked(len as usize).ok_or_else(early)?;
                rest = after;
                if stream.len() == out.len() {
                    out.copy_from_slice(stream);
                } else {
                    blosc::decode_part(NAME, self.flags >> 5, stream, out, state)?;
                }
            }
        }
        Ok(())
    }

    fn undo(
        &self,
        filter: u8,
        meta: u8,
        first: Option<&[u8]>,
        out: &mut [u8],
        state: &mut CodecState,
    ) -> Result<(), FilterError> {
        match filter {
            0 | 4 => Ok(()),
            1 | 2 => {
                let mut rows = std::mem::take(&mut state.rows);
                let undone = rows.room(out.len()).and_then(|rows| {
                    rows.copy_from_slice(out);
                    // The meta byte of a shuffle is its element size, if that differs from the chunk's.
                    let size = if filter == 1 && meta != 0 { usize::from(meta) } else { self.element };
                    if filter == 1 {
                        shuffle::unshuffle(rows, size, out);
                        return Ok(());
                    }
                    let whole = out.len() / size / 8 * 8 * size;
                    unshuffle_bits(&rows[..whole], size, &mut out[..whole], &mut state.spare)
                });
                state.rows = rows;
                undone
            }
            3 => {
                undo_delta(first, self.element, out);
                Ok(())
            }
            other => Err(FilterError::unsupported(NAME, format!("filter {other}"))),
        }
    }
}

/// The delta filter is an exclusive or: in the first block with the previous element, in other blocks with the element
/// at the same position of the first block. Bytes after the last whole element are unchanged.
fn undo_delta(first: Option<&[u8]>, element: usize, out: &mut [u8]) {
    let size = match element {
        1 | 2 | 4 | 8 => element,
        _ if element.is_multiple_of(8) => 8,
        _ => 1,
    };
    let whole = out.len() / size * size;
    match first {
        None => {
            for i in size..whole {
                out[i] ^= out[i - size];
            }
        }
        Some(first) => out[..whole].iter_mut().zip(first).for_each(|(byte, reference)| *byte ^= reference),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn delta_is_undone_element_by_element() {
        let mut first = [1, 2, 3, 4, 5, 6, 7];
        undo_delta(None, 2, &mut first);
        assert_eq!(first, [1, 2, 1 ^ 3, 2 ^ 4, 1 ^ 3 ^ 5, 2 ^ 4 ^ 6, 7]);
        let mut next = [9, 9, 9];
        undo_delta(Some(&first), 1, &mut next);
        assert_eq!(next, [9 ^ 1, 9 ^ 2, 9 ^ 1 ^ 3]);
    }

    proptest! {
        #[test]
        fn any_header_and_body(
            version in 0u8..8, flags: u8, element: u8, length in 0u32..3000, block in 0u32..4000,
            filters in prop::collection::vec(0u8..6, 6), metas in prop::collection::vec(0u8..9, 6), more: u8,
            body in prop::collection::vec(prop_oneof![Just(0u8), Just(36), Just(255), any::<u8>()], 0..300),
        ) {
            let mut bytes = vec![version, 1, flags, element];
            for number in [length, block, 0] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            bytes.extend_from_slice(&filters);
            bytes.extend_from_slice(&[0, 0]);
            bytes.extend_from_slice(&metas);
            bytes.extend_from_slice(&[0, more & !(DICTIONARY | LAZY)]);
            bytes.extend_from_slice(&body);
            if let Ok(chunk) = Chunk::read(&bytes) {
                let mut state = CodecState::default();
                let _ = chunk.decode(&mut vec![0; length as usize], &mut state);
                let _ = chunk.decode_block(0, None, &mut [0; 100], &mut state);
                let _ = chunk.decode_block(1, Some(&[0; 10]), &mut [0; 100], &mut state);
            }
        }
    }
}
