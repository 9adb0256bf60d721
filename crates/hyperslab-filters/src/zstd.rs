//! Filter 32015, "zstd": Zstandard frames (RFC 8878), one after the other. The only parameter is the level.

use crate::FilterError;
use crate::scratch::Tools;
use crate::stage::{Setup, Stage};

const NAME: &str = "zstd";
/// `ZSTD_error_dstSize_tooSmall`, as the library's functions return it. Its values do not change.
const TOO_SMALL: usize = 0usize.wrapping_sub(70);

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

    fn most(&self, stored_bytes: usize) -> usize {
        most(stored_bytes)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], tools: &mut Tools) -> Result<usize, FilterError> {
        frames(NAME, stored, out, tools)
    }
}

/// Decodes frames to the front of `out`; also for filters that hold them.
pub(crate) fn frames(
    filter: &'static str,
    stored: &[u8],
    out: &mut [u8],
    tools: &mut Tools,
) -> Result<usize, FilterError> {
    let max = out.len();
    tools.zstd()?.decompress(out, stored).map_err(|code| match code {
        TOO_SMALL => FilterError::TooLong { filter, max },
        other => {
            FilterError::corrupt(filter, format!("Zstandard: {}", zstd::zstd_safe::get_error_name(other)))
        }
    })
}

/// Four bytes stand for a block of at most 128 KiB.
pub(crate) fn most(stored_bytes: usize) -> usize {
    stored_bytes.saturating_mul(1 << 15)
}
