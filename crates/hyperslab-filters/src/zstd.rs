//! Filter 32015, "zstd": a sequence of Zstandard frames (RFC 8878). The only parameter is the level.

use crate::FilterError;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Setup, Stage};

const NAME: &str = "zstd";
/// `ZSTD_error_dstSize_tooSmall`, as returned by the library's functions. Its value does not change.
const TOO_SMALL: usize = 0usize.wrapping_sub(70);

/// The level if the parameters do not specify it (`ZSTD_CLEVEL_DEFAULT`).
const LEVEL: i32 = 3;

struct Zstd {
    level: Option<i32>,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    Ok(Box::new(Zstd { level: setup.parameters.first().map(|&level| level as i32) }))
}

impl Stage for Zstd {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> String {
        self.level.map_or_else(|| NAME.to_string(), |level| format!("{NAME} {level}"))
    }

    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        zstd::zstd_safe::get_frame_content_size(stored).ok().flatten()
    }

    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        max_decoded_len(stored_bytes)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        frames(NAME, stored, out, state)
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, state: &mut CodecState) -> Result<usize, FilterError> {
        let out = out.room(encoded_bound(raw.len()))?;
        encode_frame(NAME, raw, out, self.level.unwrap_or(LEVEL), state)
    }
}

/// Encodes one frame, which contains its decoded length, to the start of `out`. Also used by filters that contain
/// frames.
pub(crate) fn encode_frame(
    filter: &'static str,
    raw: &[u8],
    out: &mut [u8],
    level: i32,
    state: &mut CodecState,
) -> Result<usize, FilterError> {
    state.zstd_compressor()?.compress(out, raw, level).map_err(|code| match code {
        TOO_SMALL => FilterError::Incompressible { filter, bytes: raw.len() },
        other => FilterError::unsupported(filter, zstd::zstd_safe::get_error_name(other)),
    })
}

/// Decodes frames to the start of `out`. Also used by filters that contain frames.
pub(crate) fn frames(
    filter: &'static str,
    stored: &[u8],
    out: &mut [u8],
    state: &mut CodecState,
) -> Result<usize, FilterError> {
    let max = out.len();
    state.zstd()?.decompress(out, stored).map_err(|code| match code {
        TOO_SMALL => FilterError::TooLong { filter, max },
        other => {
            FilterError::corrupt(filter, format!("Zstandard: {}", zstd::zstd_safe::get_error_name(other)))
        }
    })
}

/// The maximum encoded length of a frame.
pub(crate) fn encoded_bound(raw_bytes: usize) -> usize {
    zstd::zstd_safe::compress_bound(raw_bytes)
}

/// Four bytes represent a block of at most 128 KiB.
pub(crate) fn max_decoded_len(stored_bytes: usize) -> usize {
    stored_bytes.saturating_mul(1 << 15)
}
