//! Filter 32004, "lz4": blocks in the LZ4 block format, in a container specific to HDF5.
//!
//! ```text
//! | decoded length, 8 bytes | block length, 4 | stored length, 4 | block … | stored length, 4 | block … |
//! ```
//!
//! Big-endian. The last block may be shorter. A block whose stored length equals its decoded length is uncompressed.
//! The only parameter is the block length for writing.

use crate::FilterError;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Setup, Stage};

const NAME: &str = "lz4";

/// The block length if the parameters do not specify it.
const BLOCK_BYTES: u32 = 1 << 30;
/// `LZ4_MAX_INPUT_SIZE`, to which the plug-in limits blocks.
const BLOCK_BYTES_MAX: u32 = 0x7e00_0000;

struct Lz4 {
    block: u32,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    let block = setup.parameters.first().copied().filter(|&block| block > 0).unwrap_or(BLOCK_BYTES);
    Ok(Box::new(Lz4 { block: block.min(BLOCK_BYTES_MAX) }))
}

impl Stage for Lz4 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        stored.first_chunk().map(|length| u64::from_be_bytes(*length))
    }

    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        max_decoded_len(stored_bytes)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let (length, rest) = stored.split_first_chunk().ok_or_else(early)?;
        let (block, mut rest) = rest.split_first_chunk().ok_or_else(early)?;
        let length = usize::try_from(u64::from_be_bytes(*length)).unwrap_or(usize::MAX);
        let block = u32::from_be_bytes(*block) as usize;
        let out = out.get_mut(..length).ok_or(FilterError::TooLong { filter: NAME, max })?;
        if block == 0 && length > 0 {
            return Err(FilterError::corrupt(NAME, "the block size is 0"));
        }
        for out in out.chunks_mut(block.max(1)) {
            let (len, after) = rest.split_first_chunk().ok_or_else(early)?;
            let len = u32::from_be_bytes(*len) as usize;
            let (stored, after) = after.split_at_checked(len).ok_or_else(early)?;
            rest = after;
            if len == out.len() {
                out.copy_from_slice(stored);
            } else {
                block_exactly(NAME, stored, out)?;
            }
        }
        Ok(length)
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, _: &mut CodecState) -> Result<usize, FilterError> {
        let block = raw.len().min(self.block as usize).max(1);
        let blocks = raw.len().div_ceil(block);
        // A block that does not become smaller is stored as it is.
        let out = out.room(12 + 4 * blocks + raw.len() + encoded_bound(block))?;
        out[..8].copy_from_slice(&(raw.len() as u64).to_be_bytes());
        out[8..12].copy_from_slice(&(block as u32).to_be_bytes());
        let mut at = 12;
        for raw in raw.chunks(block) {
            let mut len = encode_block(NAME, raw, &mut out[at + 4..])?;
            if len >= raw.len() {
                len = raw.len();
                out[at + 4..][..len].copy_from_slice(raw);
            }
            out[at..at + 4].copy_from_slice(&(len as u32).to_be_bytes());
            at += 4 + len;
        }
        Ok(at)
    }
}

fn early() -> FilterError {
    FilterError::corrupt(NAME, "the stored bytes are truncated")
}

/// Decodes a bare LZ4 block that must fill `out`. Also used by filters that contain such blocks.
pub(crate) fn block_exactly(filter: &'static str, stored: &[u8], out: &mut [u8]) -> Result<(), FilterError> {
    let found = lz4_flex::block::decompress_into(stored, out)
        .map_err(|error| FilterError::corrupt(filter, format!("LZ4: {error}")))?;
    if found == out.len() { Ok(()) } else { Err(FilterError::Length { filter, expected: out.len(), found }) }
}

/// Encodes a bare LZ4 block to the start of `out`, which has at least [`encoded_bound`] bytes. Also used by filters that
/// contain such blocks.
pub(crate) fn encode_block(filter: &'static str, raw: &[u8], out: &mut [u8]) -> Result<usize, FilterError> {
    lz4_flex::block::compress_into(raw, out)
        .map_err(|error| FilterError::unsupported(filter, format!("LZ4: {error}")))
}

/// The maximum encoded length of a block.
pub(crate) fn encoded_bound(raw_bytes: usize) -> usize {
    lz4_flex::block::get_maximum_output_size(raw_bytes)
}

/// A length is extended by bytes that add 255 each.
pub(crate) fn max_decoded_len(stored_bytes: usize) -> usize {
    stored_bytes.saturating_mul(255)
}
