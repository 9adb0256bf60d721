//! Run-length encoding (coder 1): a control byte, and what it says.
//!
//! ```text
//! n from 128   the next byte, n - 125 times
//! n below 128  the next n + 1 bytes, as they are
//! ```

use crate::FilterError;
use crate::scratch::CodecState;
use crate::stage::Stage;

const NAME: &str = "HDF4 RLE";
/// A control byte with this bit stands before a byte that is repeated.
const IS_RUN: u8 = 0x80;
/// The shortest run.
const RUN_MIN: usize = 3;
/// The longest run.
const RUN_MAX: usize = RUN_MIN + 127;

pub(super) struct Rle;

impl Stage for Rle {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Two bytes are at most one run.
    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        stored_bytes.saturating_mul(RUN_MAX)
    }

    /// What follows the last byte of the output is not looked at: the library that writes it pads.
    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let (mut from, mut to) = (0, 0);
        while to < out.len() {
            let Some(&control) = stored.get(from) else { return Ok(to) };
            from += 1;
            let left = out.len() - to;
            if control & IS_RUN != 0 {
                let byte = *stored.get(from).ok_or_else(cut)?;
                from += 1;
                let run = (usize::from(control & !IS_RUN) + RUN_MIN).min(left);
                out[to..to + run].fill(byte);
                to += run;
            } else {
                let count = (usize::from(control) + 1).min(left);
                let bytes = stored.get(from..from + count).ok_or_else(cut)?;
                out[to..to + count].copy_from_slice(bytes);
                from += count;
                to += count;
            }
        }
        Ok(to)
    }
}

fn cut() -> FilterError {
    FilterError::corrupt(NAME, "the stored bytes end inside of a run")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(stored: &[u8], len: usize) -> Result<Vec<u8>, FilterError> {
        let mut out = vec![0; len];
        let found = Rle.decode(stored, &mut out, &mut CodecState::default())?;
        out.truncate(found);
        Ok(out)
    }

    #[test]
    fn runs_and_literals() {
        assert_eq!(decode(&[0x80, 7, 1, 1, 2, 0xFF, 9], 135).unwrap().len(), 135);
        assert_eq!(decode(&[0x81, 7, 1, 1, 2], 6).unwrap(), [7, 7, 7, 7, 1, 2]);
        assert_eq!(decode(&[0x81, 7], 9).unwrap(), [7, 7, 7, 7]);
    }

    #[test]
    fn cut_bytes_are_an_error() {
        decode(&[0x81], 6).unwrap_err();
        decode(&[3, 1, 2], 6).unwrap_err();
    }
}
