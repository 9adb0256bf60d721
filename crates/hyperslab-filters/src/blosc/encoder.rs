//! Encodes a Blosc buffer. Every block has one part, whatever the codec: the header says so, and all versions of the library
//! read it.

use super::{BIT_SHUFFLED, HEADER_BYTES, ONE_PART, SHUFFLED, blosclz};
use crate::bitshuffle::shuffle_bits;
use crate::scratch::CodecState;
use crate::{FilterError, lz4, shuffle, zstd};

/// The version of the format, and that of each codec's format in it.
const VERSION: u8 = 2;
const CODEC_VERSION: u8 = 1;
/// The largest buffer (`BLOSC_MAX_BUFFERSIZE`).
const BYTES_MAX: usize = i32::MAX as usize - HEADER_BYTES;
/// Larger elements are not shuffled (`BLOSC_MAX_TYPESIZE`).
const ELEMENT_MAX: u32 = 255;
/// The block length by level: a block should fit the cache of the processor that decodes it.
const BLOCK_BYTES: [usize; 10] =
    [8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 128 << 10, 256 << 10, 256 << 10, 512 << 10, 512 << 10];

/// The usual length of a block at a level of 0 to 9.
pub(crate) fn block_bytes(level: u32) -> usize {
    BLOCK_BYTES[(level as usize).min(BLOCK_BYTES.len() - 1)]
}

/// The filter's parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub codec: u32,
    pub element: u32,
    pub level: u32,
    pub shuffle: u32,
}

/// Encodes to the start of `out`, which is as long as `raw`; returns the number of bytes.
pub(super) fn encode(
    filter: &'static str,
    settings: Settings,
    raw: &[u8],
    out: &mut [u8],
    state: &mut CodecState,
) -> Result<usize, FilterError> {
    let incompressible = || FilterError::Incompressible { filter, bytes: raw.len() };
    if raw.len() > BYTES_MAX {
        return Err(FilterError::unsupported(filter, "a chunk of 2 GiB or more"));
    }
    let parts = PartEncoder::new(filter, settings.codec, settings.level)?;
    let format = parts.format();
    let element = if (1..=ELEMENT_MAX).contains(&settings.element) { settings.element as usize } else { 1 };
    // Whole groups of 8 elements, which a bit shuffle needs.
    let group = 8 * element;
    let block = (block_bytes(settings.level) / group).max(1) * group;
    let block = if block < raw.len() { block } else { raw.len().max(1) };
    let shuffled = match settings.shuffle {
        1 if element > 1 => SHUFFLED,
        2 => BIT_SHUFFLED,
        _ => 0,
    };
    let blocks = raw.len().div_ceil(block);
    let mut len = HEADER_BYTES + 4 * blocks;
    // Level 0 is a copy behind the header, which is longer than the raw bytes.
    if len >= out.len() || settings.level == 0 {
        return Err(incompressible());
    }
    let encoder = Encoder { parts, element, shuffled };
    for (number, raw) in raw.chunks(block).enumerate() {
        out[HEADER_BYTES + 4 * number..][..4].copy_from_slice(&(len as u32).to_le_bytes());
        let room = out.get_mut(len..).filter(|room| room.len() > 4).ok_or_else(incompressible)?;
        len += encoder.block(raw, room, state)?.ok_or_else(incompressible)?;
    }
    out[..4].copy_from_slice(&[VERSION, CODEC_VERSION, format << 5 | ONE_PART | shuffled, element as u8]);
    for (at, number) in [(4, raw.len()), (8, block), (12, len)] {
        out[at..at + 4].copy_from_slice(&(number as u32).to_le_bytes());
    }
    Ok(len)
}

struct Encoder {
    parts: PartEncoder,
    element: usize,
    shuffled: u8,
}

impl Encoder {
    /// Shuffles and encodes a block; returns the number of bytes with their length, or `None` if they do not fit.
    fn block(
        &self,
        raw: &[u8],
        out: &mut [u8],
        state: &mut CodecState,
    ) -> Result<Option<usize>, FilterError> {
        let mut rows = std::mem::take(&mut state.rows);
        let encoded = rows.room(raw.len()).and_then(|rows| {
            match self.shuffled {
                SHUFFLED => shuffle::shuffle(raw, self.element, rows),
                BIT_SHUFFLED => self.shuffle_bits(raw, rows, state)?,
                _ => rows.copy_from_slice(raw),
            }
            self.parts.encode(rows, out, state)
        });
        state.rows = rows;
        encoded
    }

    /// Only whole groups of 8 elements are shuffled: a block of another size is left as it is.
    fn shuffle_bits(&self, raw: &[u8], rows: &mut [u8], state: &mut CodecState) -> Result<(), FilterError> {
        let count = raw.len() / self.element;
        let whole = if count.is_multiple_of(8) { count * self.element } else { 0 };
        shuffle_bits(&raw[..whole], self.element, &mut rows[..whole], &mut state.spare)?;
        rows[whole..].copy_from_slice(&raw[whole..]);
        Ok(())
    }
}

/// Encodes the parts of blocks. Also used for Blosc 2.
pub(crate) struct PartEncoder {
    filter: &'static str,
    codec: u32,
    level: u32,
}

impl PartEncoder {
    /// For a codec and level of the filter's parameters.
    pub fn new(filter: &'static str, codec: u32, level: u32) -> Result<Self, FilterError> {
        if codec > 5 {
            return Err(FilterError::unsupported(filter, format!("codec {codec}")));
        }
        if level > 9 {
            return Err(FilterError::parameters(filter, format!("level {level} is not from 0 to 9")));
        }
        Ok(Self { filter, codec, level })
    }

    /// The number of the codec in headers.
    pub fn format(&self) -> u8 {
        match self.codec {
            0 => 0,
            1 | 2 => 1,
            3 => 2,
            4 => 3,
            _ => 4,
        }
    }

    /// True for BloscLZ and LZ4.
    pub fn is_fast(&self) -> bool {
        self.codec < 2
    }

    /// Encodes a part with its length to the start of `out`; returns the number of bytes, or `None` if they do not fit.
    /// A part that does not become smaller is stored as it is.
    pub fn encode(
        &self,
        rows: &[u8],
        out: &mut [u8],
        state: &mut CodecState,
    ) -> Result<Option<usize>, FilterError> {
        let (length, out) = out.split_at_mut(4);
        let encoded = self.compress(rows, out, state)?.filter(|&len| len < rows.len());
        let len = match encoded {
            Some(len) => len,
            None => match out.get_mut(..rows.len()) {
                Some(out) => {
                    out.copy_from_slice(rows);
                    rows.len()
                }
                None => return Ok(None),
            },
        };
        length.copy_from_slice(&(len as u32).to_le_bytes());
        Ok(Some(4 + len))
    }

    fn compress(
        &self,
        rows: &[u8],
        out: &mut [u8],
        state: &mut CodecState,
    ) -> Result<Option<usize>, FilterError> {
        let level = self.level as i32;
        match self.codec {
            0 => Ok(blosclz::encode(rows, out, &mut state.positions)),
            1 | 2 => {
                let room = state.spare.room(lz4::encoded_bound(rows.len()))?;
                let len = lz4::encode_block(self.filter, rows, room)?;
                Ok(copied(&room[..len], out))
            }
            3 => {
                let room = state.spare.room(snap::raw::max_compress_len(rows.len()))?;
                let len = snap::raw::Encoder::new()
                    .compress(rows, room)
                    .map_err(|error| FilterError::unsupported(self.filter, format!("Snappy: {error}")))?;
                Ok(copied(&room[..len], out))
            }
            4 => Ok(state.deflater(level).zlib_compress(rows, out).ok()),
            _ => {
                // As the library translates its levels.
                let level = match level {
                    ..8 => 2 * level - 1,
                    8 => ZSTD_LEVEL_MAX - 2,
                    _ => ZSTD_LEVEL_MAX,
                };
                match zstd::encode_frame(self.filter, rows, out, level, state) {
                    Ok(len) => Ok(Some(len)),
                    Err(FilterError::Incompressible { .. }) => Ok(None),
                    Err(error) => Err(error),
                }
            }
        }
    }
}

/// `ZSTD_maxCLevel()`.
const ZSTD_LEVEL_MAX: i32 = 22;

fn copied(bytes: &[u8], out: &mut [u8]) -> Option<usize> {
    out.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(bytes.len())
}
