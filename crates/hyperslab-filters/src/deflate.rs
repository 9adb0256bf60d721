//! Filter 1, "deflate": one zlib stream (RFC 1950) for the whole chunk.
//!
//! ```text
//! | 2 bytes header | deflate blocks … | adler32 of the decoded bytes, big-endian | ignored bytes |
//! ```
//!
//! The parameter is the level, 0 to 9. There are two encoders, libdeflate and a fast one of our own (`encoder.rs`). As in zlib's
//! inflate, which libhdf5 calls, bytes after the stream are ignored, and a wrong adler32 or a preset dictionary is an error.

mod bits;
mod block;
mod encoder;
mod huffman;
mod matches;
mod sample;
mod symbols;

pub(crate) use encoder::Encoder;

use crate::FilterError;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Setup, Stage};
use hyperslab_storage::GzipEncoder;
use libdeflater::{CompressionError, DecompressionError};

const NAME: &str = "deflate";

/// What encodes. Every zlib reads what either writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeflateEncoder {
    /// libdeflate, at the filter's level.
    #[default]
    Small,
    /// Several times as fast as libdeflate's fastest levels, and of about the size of zlib's level 4, whatever the filter's level.
    Fast,
}

impl From<DeflateEncoder> for GzipEncoder {
    fn from(encoder: DeflateEncoder) -> Self {
        match encoder {
            DeflateEncoder::Small => Self::Small,
            DeflateEncoder::Fast => Self::Fast,
        }
    }
}

struct Deflate {
    level: u32,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    match setup.parameters {
        &[level] if level <= 9 => Ok(Box::new(Deflate { level })),
        other => {
            Err(FilterError::parameters(NAME, format!("expected one level from 0 to 9, found {other:?}")))
        }
    }
}

impl Stage for Deflate {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> String {
        format!("gzip {}", self.level)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        inflate(NAME, stored, out, state)
    }

    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        max_decoded_len(stored_bytes)
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, state: &mut CodecState) -> Result<usize, FilterError> {
        // Level 0 stores, which takes no encoder.
        if state.deflate_encoder == DeflateEncoder::Fast && self.level > 0 {
            let out = out.room(Encoder::room(raw.len()))?;
            return Ok(state.fast_deflater().encode(raw, out));
        }
        let deflater = state.deflater(effort(self.level));
        let out = out.room(deflater.zlib_compress_bound(raw.len()))?;
        deflater.zlib_compress(raw, out).map_err(|CompressionError::InsufficientSpace| FilterError::TooLong {
            filter: NAME,
            max: out.len(),
        })
    }
}

/// The level of libdeflate at which chunks are about as small as those of zlib at `level`. libdeflate's level 1 makes
/// shuffled integers up to 8 % larger than zlib's; its level 2 does not, and is still several times faster.
fn effort(level: u32) -> i32 {
    match level {
        1 => 2,
        other => other as i32,
    }
}

/// Decodes a zlib stream. Also used by filters that contain one.
pub(crate) fn inflate(
    filter: &'static str,
    stored: &[u8],
    out: &mut [u8],
    state: &mut CodecState,
) -> Result<usize, FilterError> {
    state.inflater().zlib_decompress(stored, out).map_err(|error| match error {
        DecompressionError::BadData => {
            FilterError::corrupt(filter, "not a complete zlib stream, or its adler32 is wrong")
        }
        DecompressionError::InsufficientSpace => FilterError::TooLong { filter, max: out.len() },
    })
}

/// At best deflate encodes 258 bytes in two one-bit codes.
pub(crate) fn max_decoded_len(stored_bytes: usize) -> usize {
    stored_bytes.saturating_mul(1032)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::encoded;

    fn stage() -> Box<dyn Stage> {
        make(Setup { id: 1, parameters: &[6] }).unwrap()
    }

    #[test]
    fn levels_above_nine_and_missing_levels_are_refused() {
        for parameters in [&[][..], &[10], &[1, 2]] {
            assert!(make(Setup { id: 1, parameters }).is_err(), "{parameters:?}");
        }
    }

    /// The sizes of zlib 1.2.13 for the same bytes, by level.
    const ZLIB_SIZES: [usize; 9] = [48164, 46466, 45726, 48383, 48367, 48353, 48349, 48329, 48322];

    /// A random walk of integers, shuffled. zlib's levels 2 and 3 are left out: for such bytes they are better than all of
    /// its higher levels, which is not so in general.
    #[test]
    fn chunks_are_at_most_two_percent_larger_than_those_of_zlib() {
        let (mut state, mut value) = (1u32, 0i32);
        let mut walk = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            value += ((state >> 24) % 7) as i32 - 3;
            value.to_le_bytes()
        };
        let raw: Vec<u8> = (0..1 << 16).flat_map(|_| walk()).collect();
        let mut shuffled = vec![0; raw.len()];
        crate::shuffle::shuffle(&raw, 4, &mut shuffled);
        let mut state = CodecState::default();
        for (level, zlib) in (1..).zip(ZLIB_SIZES).filter(|&(level, _)| !matches!(level, 2 | 3)) {
            let stage = make(Setup { id: 1, parameters: &[level] }).unwrap();
            let len = encoded(&*stage, &shuffled, &mut state).unwrap().len();
            assert!(len * 100 <= zlib * 102, "level {level}: {len} bytes, zlib's {zlib}");
        }
    }

    #[test]
    fn bytes_after_the_stream_are_ignored() {
        let mut state = CodecState::default();
        let raw: Vec<u8> = (0..5000u32).map(|i| (i / 7) as u8).collect();
        let mut stored = encoded(&*stage(), &raw, &mut state).unwrap();
        stored.extend_from_slice(b"left over from an earlier, longer stream");
        let mut out = vec![0; raw.len()];
        assert_eq!(stage().decode(&stored, &mut out, &mut state).unwrap(), raw.len());
        assert_eq!(out, raw);
    }

    #[test]
    fn a_wrong_adler32_is_an_error() {
        let mut state = CodecState::default();
        let mut stored = encoded(&*stage(), b"some bytes", &mut state).unwrap();
        *stored.last_mut().unwrap() ^= 1;
        let error = stage().decode(&stored, &mut [0; 10], &mut state).unwrap_err();
        assert!(matches!(error, FilterError::Corrupt { filter: NAME, .. }), "{error}");
    }

    #[test]
    fn every_truncation_is_an_error() {
        let mut state = CodecState::default();
        let raw: Vec<u8> = (0..300u32).map(|i| (i * i) as u8).collect();
        let stored = encoded(&*stage(), &raw, &mut state).unwrap();
        for len in 0..stored.len() {
            assert!(stage().decode(&stored[..len], &mut vec![0; 300], &mut state).is_err(), "{len}");
        }
    }

    #[test]
    fn the_best_case_holds() {
        let mut state = CodecState::default();
        let raw = vec![0; 10 << 20];
        let best = encoded(&*make(Setup { id: 1, parameters: &[9] }).unwrap(), &raw, &mut state).unwrap();
        assert!(max_decoded_len(best.len()) >= raw.len());
    }
}
