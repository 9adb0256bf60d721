//! Filter 32008, "bitshuffle": the bits of all elements of a block sorted by their position in the element, and then
//! optionally compressed.
//!
//! ```text
//! compressed     | decoded length, 8 bytes | block length in bytes, 4 | stored length, 4 | block … | rest |
//! uncompressed   | block | block | … | rest |
//! block          8 rows of bits for each byte of an element: row 8·b + j has bit j of byte b of every element
//! ```
//!
//! Numbers are big-endian; bits are counted from the lowest. Every block, including the last one, has a multiple of 8
//! elements; up to 7 remaining elements are stored unchanged.
//!
//! Parameters: version (2), element size, elements of a block (0: 8 KiB of them), 0 or 2 (LZ4) or 3 (Zstandard), level.

use crate::scratch::{Buffer, CodecState};
use crate::stage::{Setup, Stage};
use crate::{FilterError, lz4, shuffle, zstd};

const NAME: &str = "bitshuffle";
/// The block size if the parameters do not specify it: 8 KiB, but at least 128 elements.
const BLOCK_BYTES: usize = 8192;
const BLOCK_MIN: usize = 128;
const HEADER_BYTES: usize = 12;

struct Bitshuffle {
    element: usize,
    block: usize,
    codec: Codec,
    level: i32,
}

#[derive(Clone, Copy, PartialEq)]
enum Codec {
    None,
    Lz4,
    Zstd,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    let &[_, _, element, ref rest @ ..] = setup.parameters else {
        return Err(FilterError::parameters(NAME, "fewer than three parameters"));
    };
    let block = rest.first().copied().unwrap_or(0) as usize;
    let codec = match rest.get(1).copied().unwrap_or(0) {
        0 => Codec::None,
        2 => Codec::Lz4,
        3 => Codec::Zstd,
        other => return Err(FilterError::parameters(NAME, format!("compression {other}"))),
    };
    if element == 0 {
        return Err(FilterError::parameters(NAME, "the element size is 0"));
    }
    let element = element as usize;
    let block = if block == 0 { (BLOCK_BYTES / element / 8 * 8).max(BLOCK_MIN) } else { block };
    if !block.is_multiple_of(8) {
        return Err(FilterError::parameters(
            NAME,
            format!("{block} is not a valid number of elements in a block"),
        ));
    }
    let level = rest.get(2).map_or(0, |&level| level as i32);
    Ok(Box::new(Bitshuffle { element, block, codec, level }))
}

impl Stage for Bitshuffle {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> String {
        match self.codec {
            Codec::None => NAME.to_string(),
            Codec::Lz4 => format!("{NAME} lz4"),
            Codec::Zstd => format!("{NAME} zstd"),
        }
    }

    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        match self.codec {
            Codec::None => Some(stored.len() as u64),
            _ => stored.first_chunk().map(|length| u64::from_be_bytes(*length)),
        }
    }

    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        match self.codec {
            Codec::None => stored_bytes,
            Codec::Lz4 => lz4::max_decoded_len(stored_bytes),
            Codec::Zstd => zstd::max_decoded_len(stored_bytes),
        }
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let (length, block_bytes, rest) = match self.codec {
            Codec::None => (stored.len(), self.block.saturating_mul(self.element), stored),
            _ => self.header(stored)?,
        };
        let out = out.get_mut(..length).ok_or(FilterError::TooLong { filter: NAME, max })?;
        if !length.is_multiple_of(self.element) {
            return Err(FilterError::corrupt(
                NAME,
                format!("{length} bytes are not a whole number of elements"),
            ));
        }
        let mut rest = rest;
        let whole = length / self.element / 8 * 8 * self.element;
        let (blocks, last) = out.split_at_mut(whole);
        for out in blocks.chunks_mut(block_bytes.max(1)) {
            rest = self.block(rest, out, state)?;
        }
        last.copy_from_slice(rest.get(..last.len()).ok_or_else(early)?);
        Ok(length)
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, state: &mut CodecState) -> Result<usize, FilterError> {
        if !raw.len().is_multiple_of(self.element) {
            return Err(FilterError::unsupported(
                NAME,
                format!("{} bytes in elements of {}", raw.len(), self.element),
            ));
        }
        let whole = raw.len() / self.element / 8 * 8 * self.element;
        let (blocks, last) = raw.split_at(whole);
        let block_bytes = self.block.saturating_mul(self.element);
        let out = out.room(self.encoded_bound(raw.len(), block_bytes.min(whole.max(1))))?;
        let mut at = 0;
        if self.codec != Codec::None {
            let header = u32::try_from(block_bytes)
                .map_err(|_| FilterError::parameters(NAME, "a block is larger than 4 GiB"))?;
            out[..8].copy_from_slice(&(raw.len() as u64).to_be_bytes());
            out[8..12].copy_from_slice(&header.to_be_bytes());
            at = HEADER_BYTES;
        }
        for block in blocks.chunks(block_bytes) {
            at += self.encode_block(block, &mut out[at..], state)?;
        }
        out[at..at + last.len()].copy_from_slice(last);
        Ok(at + last.len())
    }
}

impl Bitshuffle {
    fn header<'a>(&self, stored: &'a [u8]) -> Result<(usize, usize, &'a [u8]), FilterError> {
        let (length, rest) = stored.split_first_chunk().ok_or_else(early)?;
        let (block, rest) = rest.split_first_chunk().ok_or_else(early)?;
        let length = usize::try_from(u64::from_be_bytes(*length)).unwrap_or(usize::MAX);
        let elements = u32::from_be_bytes(*block) as usize / self.element;
        if elements == 0 || !elements.is_multiple_of(8) {
            return Err(FilterError::corrupt(
                NAME,
                format!("{elements} is not a valid number of elements in a block"),
            ));
        }
        Ok((length, elements * self.element, rest))
    }

    /// An upper bound of the encoded length: every block with its own length, and room for a codec that expands.
    fn encoded_bound(&self, raw_bytes: usize, block_bytes: usize) -> usize {
        let blocks = raw_bytes.div_ceil(block_bytes);
        let block = match self.codec {
            Codec::None => return raw_bytes,
            Codec::Lz4 => lz4::encoded_bound(block_bytes),
            Codec::Zstd => zstd::encoded_bound(block_bytes),
        };
        HEADER_BYTES + blocks.saturating_mul(4 + block) + 8 * self.element
    }

    /// Encodes one block to the start of `out`; returns the number of bytes.
    fn encode_block(&self, raw: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        if self.codec == Codec::None {
            shuffle_bits(raw, self.element, &mut out[..raw.len()], &mut state.spare)?;
            return Ok(raw.len());
        }
        let mut rows = std::mem::take(&mut state.rows);
        let encoded = rows.room(raw.len()).and_then(|rows| {
            shuffle_bits(raw, self.element, rows, &mut state.spare)?;
            let (len, out) = out.split_at_mut(4);
            let found = match self.codec {
                Codec::Lz4 => lz4::encode_block(NAME, rows, out)?,
                _ => zstd::encode_frame(NAME, rows, out, self.level, state)?,
            };
            len.copy_from_slice(&(found as u32).to_be_bytes());
            Ok(4 + found)
        });
        state.rows = rows;
        encoded
    }

    /// Decodes one block; returns the stored bytes after it.
    fn block<'a>(
        &self,
        rest: &'a [u8],
        out: &mut [u8],
        state: &mut CodecState,
    ) -> Result<&'a [u8], FilterError> {
        if self.codec == Codec::None {
            let (rows, rest) = rest.split_at_checked(out.len()).ok_or_else(early)?;
            unshuffle_bits(rows, self.element, out, &mut state.spare)?;
            return Ok(rest);
        }
        let (len, rest) = rest.split_first_chunk().ok_or_else(early)?;
        let (stored, rest) = rest.split_at_checked(u32::from_be_bytes(*len) as usize).ok_or_else(early)?;
        let mut rows = std::mem::take(&mut state.rows);
        let decoded = rows.room(out.len()).and_then(|rows| {
            match self.codec {
                Codec::Lz4 => lz4::block_exactly(NAME, stored, rows)?,
                _ => {
                    let (expected, found) = (rows.len(), zstd::frames(NAME, stored, rows, state)?);
                    if found != expected {
                        return Err(FilterError::Length { filter: NAME, expected, found });
                    }
                }
            }
            unshuffle_bits(rows, self.element, out, &mut state.spare)
        });
        state.rows = rows;
        decoded.map(|()| rest)
    }
}

fn early() -> FilterError {
    FilterError::corrupt(NAME, "the stored bytes are truncated")
}

/// Reverses the bit shuffle of one block, in two passes: eight rows of bits become a plane of bytes, as in the filter
/// "shuffle"; then the planes become elements.
///
/// # Panics
/// If `out` is not as long as `rows`, or not a multiple of 8 elements.
pub(crate) fn unshuffle_bits(
    rows: &[u8],
    element: usize,
    out: &mut [u8],
    spare: &mut Buffer,
) -> Result<(), FilterError> {
    assert!(rows.len() == out.len() && rows.len().is_multiple_of(8 * element), "whole groups of elements");
    if element == 1 {
        planes(rows, rows.len(), out);
        return Ok(());
    }
    let bytes = spare.room(rows.len())?;
    planes(rows, rows.len() / element, bytes);
    shuffle::unshuffle(bytes, element, out);
    Ok(())
}

/// The bit shuffle of one block, in two passes: the bytes are sorted as by the filter "shuffle"; then each plane of bytes
/// becomes eight rows of bits.
///
/// # Panics
/// If `out` is not as long as `raw`, or not a multiple of 8 elements.
pub(crate) fn shuffle_bits(
    raw: &[u8],
    element: usize,
    out: &mut [u8],
    spare: &mut Buffer,
) -> Result<(), FilterError> {
    assert!(raw.len() == out.len() && raw.len().is_multiple_of(8 * element), "whole groups of elements");
    let bytes = spare.room(raw.len())?;
    shuffle::shuffle(raw, element, bytes);
    turn_all(bytes);
    let plane = raw.len() / element;
    for (bytes, rows) in bytes.chunks_exact(plane.max(1)).zip(out.chunks_exact_mut(plane.max(1))) {
        shuffle::shuffle(bytes, 8, rows);
    }
    Ok(())
}

/// Transposes each eight rows of bits to a plane of `plane` bytes.
fn planes(rows: &[u8], plane: usize, out: &mut [u8]) {
    if plane == 0 {
        return;
    }
    for (rows, out) in rows.chunks_exact(plane).zip(out.chunks_exact_mut(plane)) {
        // First collect the eight bytes with the bits of the same eight elements, one of each row …
        shuffle::unshuffle(rows, 8, out);
        // … then transpose them: byte j, bit i becomes byte i, bit j.
        turn_all(out);
    }
}

fn turn_all(bytes: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { turn_all_avx2(bytes) };
    }
    turn_each(bytes);
}

/// The same, compiled for AVX2 registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn turn_all_avx2(bytes: &mut [u8]) {
    turn_each(bytes);
}

#[inline(always)]
fn turn_each(bytes: &mut [u8]) {
    for square in bytes.as_chunks_mut::<8>().0 {
        *square = turned(u64::from_le_bytes(*square)).to_le_bytes();
    }
}

/// Transposes a square of 8 × 8 bits by swapping the off-diagonal squares of 1, 2 and 4 bits.
#[inline(always)]
fn turned(mut square: u64) -> u64 {
    for (shift, mask) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0_u64)]
    {
        let swap = (square ^ square >> shift) & mask;
        square ^= swap ^ swap << shift;
    }
    square
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, bit by bit.
    fn plain(rows: &[u8], element: usize) -> Vec<u8> {
        let count = rows.len() / element;
        let mut out = vec![0; rows.len()];
        for i in 0..count {
            for byte in 0..element {
                for bit in 0..8 {
                    let row = &rows[(8 * byte + bit) * count / 8..];
                    out[i * element + byte] |= (row[i / 8] >> (i % 8) & 1) << bit;
                }
            }
        }
        out
    }

    #[test]
    fn bits_come_back_to_their_elements() {
        let mut spare = Buffer::default();
        for element in [1, 2, 3, 4, 7, 8, 16, 24] {
            for count in [0, 8, 16, 24, 40, 128, 264] {
                let rows: Vec<u8> = (0..count * element).map(|i| (i * 73 + i / 19) as u8).collect();
                let mut out = vec![0; rows.len()];
                unshuffle_bits(&rows, element, &mut out, &mut spare).unwrap();
                assert_eq!(out, plain(&rows, element), "{count} elements of {element}");
                let mut again = vec![0; rows.len()];
                shuffle_bits(&out, element, &mut again, &mut spare).unwrap();
                assert_eq!(again, rows, "{count} elements of {element}");
            }
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        for parameters in [&[0, 2][..], &[0, 2, 0], &[0, 2, 4, 12], &[0, 2, 4, 0, 1], &[0, 2, 4, 0, 9]] {
            assert!(make(Setup { id: 32008, parameters }).is_err(), "{parameters:?}");
        }
    }

    #[test]
    fn a_length_that_no_machine_has() {
        let stage = make(Setup { id: 32008, parameters: &[0, 2, 4, 0, 2] }).unwrap();
        let mut stored = [0xff; 40];
        let mut state = CodecState::default();
        assert!(stage.decode(&stored, &mut [0; 64], &mut state).is_err());
        stored[..8].copy_from_slice(&64u64.to_be_bytes());
        assert!(stage.decode(&stored, &mut [0; 64], &mut state).is_err());
    }
}
