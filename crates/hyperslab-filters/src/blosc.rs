//! Filter 32001, "blosc": a Blosc 1 buffer.
//!
//! ```text
//! header   version | codec's version | flags | element size | decoded length, 4 | block length, 4 | stored length, 4
//! body     start of each block, 4 each, from the header's beginning | block … | block …
//! block    parts, each: stored length, 4 | bytes         (a part whose stored length is its decoded length is uncompressed)
//! flags    1 shuffled by bytes   2 body is the uncompressed data   4 shuffled by bits   16 blocks have one part
//!          32 … 224 codec: BloscLZ, LZ4, Snappy, zlib, Zstandard
//! ```
//!
//! Little-endian. A whole block of elements of up to 16 bytes has one part for each byte plane, unless flag 16 is set.
//! Shuffles are applied within a block. The header contains everything needed for reading; the filter's parameters
//! (versions, element size, chunk length, level, shuffle, codec) are for writing.

mod blosclz;
pub(crate) mod encoder;

use crate::bitshuffle::unshuffle_bits;
use crate::scratch::{self, CodecState};
use crate::stage::{Setup, Stage};
use crate::{FilterError, deflate, lz4, shuffle, zstd};

const NAME: &str = "blosc";
const HEADER_BYTES: usize = 16;
const SHUFFLED: u8 = 1;
const COPIED: u8 = 2;
const BIT_SHUFFLED: u8 = 4;
const ONE_PART: u8 = 16;
/// Larger elements are not split into planes, nor are blocks with fewer elements than the second limit.
const SPLIT_ELEMENT_MAX: usize = 16;
const SPLIT_COUNT_MIN: usize = 128;

struct Blosc {
    codec: Option<u32>,
    /// For writing.
    element: u32,
    level: u32,
    shuffle: u32,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    let parameter = |number: usize| setup.parameters.get(number).copied();
    Ok(Box::new(Blosc {
        codec: parameter(6),
        element: parameter(2).unwrap_or(1),
        level: parameter(4).unwrap_or(5),
        shuffle: parameter(5).unwrap_or(1),
    }))
}

impl Stage for Blosc {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> String {
        format!("{NAME} {}", codec_name(self.codec))
    }

    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        Some(u64::from(u32::from_le_bytes(stored.get(4..8)?.try_into().ok()?)))
    }

    /// Zstandard has the highest compression ratio of all codecs, and no two blocks share stored bytes.
    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        zstd::max_decoded_len(stored_bytes)
    }

    fn max_decoded_len_of(&self, stored: &[u8]) -> Result<usize, FilterError> {
        Ok(Buffer::read(NAME, stored)?.length.min(self.max_decoded_len(stored.len())))
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        decode_buffer(NAME, stored, out, state)
    }

    /// Like the plug-in, gives up where the buffer would be longer than the raw bytes.
    fn encode(
        &self,
        raw: &[u8],
        out: &mut scratch::Buffer,
        state: &mut CodecState,
    ) -> Result<usize, FilterError> {
        let settings = encoder::Settings {
            codec: self.codec.unwrap_or(0),
            element: self.element,
            level: self.level,
            shuffle: self.shuffle,
        };
        encoder::encode(NAME, settings, raw, out.room(raw.len())?, state)
    }
}

/// Decodes a buffer to the start of `out`. Also used for Blosc 2, which may contain such a buffer.
pub(crate) fn decode_buffer(
    filter: &'static str,
    stored: &[u8],
    out: &mut [u8],
    state: &mut CodecState,
) -> Result<usize, FilterError> {
    let max = out.len();
    let buffer = Buffer::read(filter, stored)?;
    let early = || early(filter);
    let out = out.get_mut(..buffer.length).ok_or(FilterError::TooLong { filter, max })?;
    if buffer.flags & COPIED != 0 {
        out.copy_from_slice(stored[HEADER_BYTES..].get(..buffer.length).ok_or_else(early)?);
        return Ok(buffer.length);
    }
    let mut unused = stored.len();
    for (number, out) in out.chunks_mut(buffer.block).enumerate() {
        let start =
            stored.get(HEADER_BYTES + 4 * number..).and_then(|rest| rest.first_chunk()).ok_or_else(early)?;
        let block = stored.get(u32::from_le_bytes(*start) as usize..).ok_or_else(early)?;
        let used = buffer.decode_block(block, out, state)?;
        // Without this check, many blocks that share the same few stored bytes could claim any length.
        let left = unused.checked_sub(used);
        unused = left.ok_or_else(|| FilterError::corrupt(filter, "blocks share their stored bytes"))?;
    }
    Ok(buffer.length)
}

fn early(filter: &'static str) -> FilterError {
    FilterError::corrupt(filter, "the stored bytes are truncated")
}

/// The header of a Blosc buffer.
struct Buffer {
    filter: &'static str,
    flags: u8,
    element: usize,
    length: usize,
    block: usize,
}

#[derive(Clone, Copy)]
enum Shuffle {
    None,
    Bytes,
    Bits,
}

impl Buffer {
    fn read(filter: &'static str, stored: &[u8]) -> Result<Self, FilterError> {
        let header = stored.first_chunk::<HEADER_BYTES>().ok_or_else(|| early(filter))?;
        let number =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (length, block) = (number(4) as usize, number(8) as usize);
        let element = usize::from(header[3]).max(1);
        if header[0] > 2 {
            return Err(FilterError::unsupported(filter, format!("format version {}", header[0])));
        }
        if block == 0 && length > 0 {
            return Err(FilterError::corrupt(filter, "the block size is 0"));
        }
        Ok(Self { filter, flags: header[2], element, length, block: block.clamp(1, length.max(1)) })
    }

    fn shuffle(&self) -> Shuffle {
        if self.flags & SHUFFLED != 0 && self.element > 1 {
            Shuffle::Bytes
        } else if self.flags & BIT_SHUFFLED != 0 {
            Shuffle::Bits
        } else {
            Shuffle::None
        }
    }

    /// Decodes the block at the start of `stored`; returns its stored length.
    fn decode_block(
        &self,
        stored: &[u8],
        out: &mut [u8],
        state: &mut CodecState,
    ) -> Result<usize, FilterError> {
        let shuffle = self.shuffle();
        if let Shuffle::None = shuffle {
            return self.decode_parts(stored, out, state);
        }
        let mut rows = std::mem::take(&mut state.rows);
        let decoded = rows.room(out.len()).and_then(|rows| {
            let used = self.decode_parts(stored, rows, state)?;
            match shuffle {
                Shuffle::Bytes => shuffle::unshuffle(rows, self.element, out),
                _ => self.unshuffle_bits(rows, out, state)?,
            }
            Ok(used)
        });
        state.rows = rows;
        decoded
    }

    /// The writer shuffles only whole groups of 8 elements; a block of other size and any remainder are unchanged.
    fn unshuffle_bits(&self, rows: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<(), FilterError> {
        let count = out.len() / self.element;
        let whole = if count.is_multiple_of(8) { count * self.element } else { 0 };
        unshuffle_bits(&rows[..whole], self.element, &mut out[..whole], &mut state.spare)?;
        out[whole..].copy_from_slice(&rows[whole..]);
        Ok(())
    }

    fn decode_parts(
        &self,
        stored: &[u8],
        out: &mut [u8],
        state: &mut CodecState,
    ) -> Result<usize, FilterError> {
        let early = || early(self.filter);
        let split = self.flags & ONE_PART == 0
            && out.len() == self.block
            && self.element <= SPLIT_ELEMENT_MAX
            && self.block / self.element >= SPLIT_COUNT_MIN;
        let parts = if split { self.element } else { 1 };
        if !out.len().is_multiple_of(parts) {
            return Err(FilterError::corrupt(
                NAME,
                format!("a block of {} bytes cannot have {parts} parts", out.len()),
            ));
        }
        let part = out.len() / parts;
        let mut rest = stored;
        for out in out.chunks_mut(part.max(1)) {
            let (len, after) = rest.split_first_chunk().ok_or_else(early)?;
            let (stored, after) =
                after.split_at_checked(u32::from_le_bytes(*len) as usize).ok_or_else(early)?;
            rest = after;
            if stored.len() == out.len() {
                out.copy_from_slice(stored);
            } else {
                decode_part(self.filter, self.flags >> 5, stored, out, state)?;
            }
        }
        Ok(stored.len() - rest.len())
    }
}

/// The codec that a parameter of the filter specifies; the numbers differ from those in the header.
pub(crate) fn codec_name(code: Option<u32>) -> String {
    match code.unwrap_or(0) {
        0 => "blosclz".to_string(),
        1 => "lz4".to_string(),
        2 => "lz4hc".to_string(),
        3 => "snappy".to_string(),
        4 => "zlib".to_string(),
        5 => "zstd".to_string(),
        other => format!("codec {other}"),
    }
}

/// Decodes one part with the codec of this number; the part must fill `out`. Also used for Blosc 2.
pub(crate) fn decode_part(
    filter: &'static str,
    codec: u8,
    stored: &[u8],
    out: &mut [u8],
    state: &mut CodecState,
) -> Result<(), FilterError> {
    let found = match codec {
        0 => blosclz::decode(filter, stored, out)?,
        1 => return lz4::block_exactly(filter, stored, out),
        2 => snap::raw::Decoder::new()
            .decompress(stored, out)
            .map_err(|error| FilterError::corrupt(filter, format!("Snappy: {error}")))?,
        3 => deflate::inflate(filter, stored, out, state)?,
        4 => zstd::frames(filter, stored, out, state)?,
        other => return Err(FilterError::unsupported(filter, format!("codec {other}"))),
    };
    if found == out.len() { Ok(()) } else { Err(FilterError::Length { filter, expected: out.len(), found }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A header for unshuffled blocks of `block` bytes in one part each, followed by the body.
    fn buffer(length: u32, block: u32, body: &[&[u8]]) -> Vec<u8> {
        let mut stored = vec![2, 1, ONE_PART, 1];
        for number in [length, block, 0] {
            stored.extend_from_slice(&number.to_le_bytes());
        }
        stored.extend(body.concat());
        stored
    }

    #[test]
    fn blocks_have_bytes_of_their_own() {
        let block = [&4u32.to_le_bytes()[..], b"abcd"].concat();
        let starts =
            |starts: &[u32]| starts.iter().flat_map(|start| start.to_le_bytes()).collect::<Vec<u8>>();
        let decode = |stored: &[u8], out: &mut [u8]| {
            Blosc { codec: None, element: 1, level: 5, shuffle: 1 }.decode(
                stored,
                out,
                &mut CodecState::default(),
            )
        };
        let mut out = [0; 8];
        let apart = buffer(8, 4, &[&starts(&[24, 32]), &block, &block]);
        assert_eq!(decode(&apart, &mut out).unwrap(), 8);
        assert_eq!(&out, b"abcdabcd");
        let shared = buffer(4 * 90, 4, &[&starts(&[16 + 4 * 90; 90]), &block]);
        let error = decode(&shared, &mut [0; 4 * 90]).unwrap_err().to_string();
        assert!(error.contains("share their stored bytes"), "{error}");
    }

    #[test]
    fn a_short_buffer_does_not_claim_gigabytes() {
        let stage = Blosc { codec: None, element: 1, level: 5, shuffle: 1 };
        assert_eq!(stage.max_decoded_len_of(&buffer(1 << 31, 1 << 20, &[])), Ok(16 << 15));
        assert_eq!(stage.max_decoded_len_of(&buffer(100, 100, &[&[0; 50]])), Ok(100));
        assert!(stage.max_decoded_len_of(b"no header").is_err());
    }

    proptest! {
        #[test]
        fn any_header_and_body(
            flags: u8, element: u8, length in 0u32..5000, block in 0u32..6000,
            body in proptest::collection::vec(prop_oneof![Just(0u8), Just(4), any::<u8>()], 0..300),
        ) {
            let mut stored = vec![2, 1, flags, element];
            for number in [length, block, 0] {
                stored.extend_from_slice(&number.to_le_bytes());
            }
            stored.extend_from_slice(&body);
            let _ = Blosc { codec: None, element: 1, level: 5, shuffle: 1 }.decode(&stored, &mut [0; 4000], &mut CodecState::default());
        }
    }
}
