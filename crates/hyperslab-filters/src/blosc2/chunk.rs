//! A Blosc 2 chunk: blocks of streams, with filters to reverse.
//!
//! ```text
//!  0  version | codec's version | flags | element size | decoded length, 4 | block length, 4 | stored length, 4
//! 10  filters, 6 | codec | its meta | metas of the filters, 6 | 1 | more flags
//! flags       2 the data follows uncompressed   5 (both) this long header   16 blocks are one stream   32… codec
//! more flags  1 dictionary   8 lazy   16… the value that fills the chunk, if it has no blocks
//! filters     1 shuffled by bytes   2 shuffled by bits   3 delta   4 truncated; applied from the first to the last
//! ```
//! A chunk with the short header is one of Blosc 1.

use super::{NAME, corrupt, early};
use crate::bitshuffle::{shuffle_bits, unshuffle_bits};
use crate::blosc::encoder::PartEncoder;
use crate::scratch::CodecState;
use crate::{FilterError, blosc, shuffle};

const SHORT_HEADER: usize = 16;
pub(super) const LONG_HEADER: usize = 32;
/// `BLOSC2_VERSION_FORMAT_STABLE`, and the version of each codec's format.
const VERSIONS: [u8; 2] = [5, 1];
const LONG: u8 = 5;
const COPIED: u8 = 2;
const ONE_STREAM: u8 = 16;
/// The last of the six filters, which is the one that is used.
const LAST_FILTER_AT: usize = 0x15;
const DICTIONARY: u8 = 1;
const LAZY: u8 = 8;
/// Filters of the pipeline.
pub(super) const SHUFFLED: u8 = 1;
pub(super) const BIT_SHUFFLED: u8 = 2;
pub(super) const DELTA: u8 = 3;

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
            DELTA => {
                undo_delta(first, self.element, out);
                Ok(())
            }
            other => Err(FilterError::unsupported(NAME, format!("filter {other}"))),
        }
    }
}

/// Encodes chunks with the long header.
pub(super) struct ChunkEncoder {
    pub parts: PartEncoder,
    /// The element size in the header.
    pub element: u8,
    /// The length of each block except the last, in bytes; not more than that of a chunk.
    pub block: usize,
    /// One of the filters, or 0.
    pub filter: u8,
    /// True if the chunk is stored without compression.
    pub is_copied: bool,
}

impl ChunkEncoder {
    /// The most bytes of an encoded chunk.
    pub fn bytes_max(raw: usize) -> usize {
        LONG_HEADER + raw
    }

    /// Encodes to the start of `out`, which has at least [`Self::bytes_max`] bytes; returns the number of bytes.
    pub fn encode(&self, raw: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        let out = &mut out[..Self::bytes_max(raw.len())];
        let blocks = if self.is_copied { None } else { self.blocks(raw, out, state)? };
        let len = blocks.unwrap_or_else(|| {
            out[LONG_HEADER..].copy_from_slice(raw);
            out.len()
        });
        let copied = if blocks.is_none() { COPIED } else { 0 };
        let one_stream = if self.is_split() { 0 } else { ONE_STREAM };
        let flags = LONG | one_stream | self.parts.format() << 5 | copied;
        let [version, codec_version] = VERSIONS;
        out[..LONG_HEADER].fill(0);
        out[..4].copy_from_slice(&[version, codec_version, flags, self.element]);
        for (at, number) in [(4, raw.len()), (8, self.block), (12, len)] {
            out[at..at + 4].copy_from_slice(&(number as u32).to_le_bytes());
        }
        out[LAST_FILTER_AT] = self.filter;
        Ok(len)
    }

    /// True if each plane of bytes becomes a stream. As in the library, for codecs that are fast and find little.
    fn is_split(&self) -> bool {
        const STREAMS_MAX: u8 = 16;
        const STREAM_BYTES_MIN: usize = 32;
        self.filter == SHUFFLED
            && self.parts.is_fast()
            && self.element <= STREAMS_MAX
            && self.block / usize::from(self.element) >= STREAM_BYTES_MIN
    }

    /// Encodes all blocks behind the header; `None` if they would be longer than a copy.
    fn blocks(
        &self,
        raw: &[u8],
        out: &mut [u8],
        state: &mut CodecState,
    ) -> Result<Option<usize>, FilterError> {
        let mut len = LONG_HEADER + 4 * raw.len().div_ceil(self.block);
        for (number, block) in raw.chunks(self.block).enumerate() {
            // Room for the length of the stream, and at least a byte.
            let Some((before, room)) = out.split_at_mut_checked(len).filter(|(_, room)| room.len() > 4)
            else {
                return Ok(None);
            };
            before[LONG_HEADER + 4 * number..][..4].copy_from_slice(&(len as u32).to_le_bytes());
            let mut rows = std::mem::take(&mut state.rows);
            let encoded = rows.room(block.len()).and_then(|rows| {
                let first = (number > 0).then(|| &raw[..self.block]);
                self.filtered(block, first, rows, state)?;
                self.streams(rows, room, state)
            });
            state.rows = rows;
            match encoded? {
                Some(bytes) => len += bytes,
                None => return Ok(None),
            }
        }
        Ok(Some(len))
    }

    /// Encodes the streams of a block; `None` if they do not fit.
    fn streams(
        &self,
        rows: &[u8],
        out: &mut [u8],
        state: &mut CodecState,
    ) -> Result<Option<usize>, FilterError> {
        let is_split = self.is_split() && rows.len() == self.block;
        let streams = if is_split { usize::from(self.element) } else { 1 };
        let mut len = 0;
        for stream in rows.chunks(rows.len() / streams) {
            let Some(room) = out.get_mut(len..).filter(|room| room.len() > 4) else { return Ok(None) };
            if stream.iter().all(|&byte| byte == 0) {
                room[..4].fill(0);
                len += 4;
            } else {
                let Some(bytes) = self.parts.encode(stream, room, state)? else { return Ok(None) };
                len += bytes;
            }
        }
        Ok(Some(len))
    }

    /// Applies the filter to a block. Elements after the last whole group of 8 are not shuffled by bits.
    fn filtered(
        &self,
        raw: &[u8],
        first: Option<&[u8]>,
        rows: &mut [u8],
        state: &mut CodecState,
    ) -> Result<(), FilterError> {
        let element = usize::from(self.element);
        match self.filter {
            SHUFFLED => shuffle::shuffle(raw, element, rows),
            BIT_SHUFFLED => {
                let whole = raw.len() / element / 8 * 8 * element;
                shuffle_bits(&raw[..whole], element, &mut rows[..whole], &mut state.spare)?;
                rows[whole..].copy_from_slice(&raw[whole..]);
            }
            DELTA => {
                rows.copy_from_slice(raw);
                apply_delta(first, element, rows);
            }
            _ => rows.copy_from_slice(raw),
        }
        Ok(())
    }
}

/// The delta filter is an exclusive or: in the first block with the previous element, in other blocks with the element
/// at the same position of the first block. Bytes after the last whole element are unchanged.
fn undo_delta(first: Option<&[u8]>, element: usize, out: &mut [u8]) {
    let (size, whole) = delta_elements(element, out.len());
    match first {
        None => {
            for i in size..whole {
                out[i] ^= out[i - size];
            }
        }
        Some(first) => out[..whole].iter_mut().zip(first).for_each(|(byte, reference)| *byte ^= reference),
    }
}

fn apply_delta(first: Option<&[u8]>, element: usize, out: &mut [u8]) {
    let (size, whole) = delta_elements(element, out.len());
    match first {
        None => (size..whole).rev().for_each(|i| out[i] ^= out[i - size]),
        Some(_) => undo_delta(first, element, out),
    }
}

/// The size of the elements that the delta filter compares, and the bytes of all whole ones.
fn delta_elements(element: usize, len: usize) -> (usize, usize) {
    let size = match element {
        1 | 2 | 4 | 8 => element,
        _ if element.is_multiple_of(8) => 8,
        _ => 1,
    };
    (size, len / size * size)
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
        apply_delta(Some(&first), 1, &mut next);
        apply_delta(None, 2, &mut first);
        assert_eq!((first, next), ([1, 2, 3, 4, 5, 6, 7], [9, 9, 9]));
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
