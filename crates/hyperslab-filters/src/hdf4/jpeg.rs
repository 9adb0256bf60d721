//! JPEG (coder 7, and the compressions 13 to 16 of images): pixels of one component, or of three that become red, green and blue.
//!
//! Decoded by libjpeg's own code, because JPEG leaves roundings open: other decoders differ from libhdf4 by up to three.

use crate::FilterError;
use crate::scratch::CodecState;
use crate::stage::Stage;
use mozjpeg::{ColorSpace, Decompress};
use mozjpeg_sys::{jpeg_common_struct, jpeg_error_mgr, jpeg_std_error};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

const NAME: &str = "HDF4 JPEG";
/// A block of 64 values has at least a bit for its mean and one for its end; of three components, two may have a sixteenth of the
/// blocks.
const DECODED_BYTES_MAX: usize = 2048;
/// What begins a scan. Among coded values, a byte of ones is followed by zeros.
const SCAN: [u8; 2] = [0xFF, 0xDA];
/// Progressive images have about ten scans; each costs as much time as the whole image.
const SCANS_MAX: usize = 100;
/// What ends a stream. Where HDF4 keeps the tables by themselves, it leaves it out.
const END: [u8; 2] = [0xFF, 0xD9];

pub(super) struct Jpeg;

impl Stage for Jpeg {
    fn name(&self) -> &'static str {
        NAME
    }

    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        stored_bytes.saturating_mul(DECODED_BYTES_MAX)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        if stored.windows(2).filter(|pair| **pair == SCAN).count() > SCANS_MAX {
            return Err(FilterError::corrupt(NAME, format!("more than {SCANS_MAX} scans")));
        }
        let ended;
        let stream = match stored.ends_with(&END) {
            true => stored,
            false => {
                ended = [stored, &END].concat();
                &ended
            }
        };
        // An error of libjpeg ends its functions by unwinding.
        let decoded = catch_unwind(AssertUnwindSafe(|| decode(stream, out)));
        let what = match decoded {
            Ok(Ok(())) => return Ok(out.len()),
            Ok(Err(what)) => what,
            Err(thrown) => match thrown.downcast::<String>() {
                Ok(what) => *what,
                Err(other) => resume_unwind(other),
            },
        };
        Err(FilterError::corrupt(NAME, what))
    }
}

fn decode(stream: &[u8], out: &mut [u8]) -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    let image = Decompress::builder().with_err(errors()).from_mem(stream).map_err(text)?;
    let (width, height) = image.size();
    let components = match image.color_space() {
        ColorSpace::JCS_GRAYSCALE => 1,
        ColorSpace::JCS_YCbCr | ColorSpace::JCS_RGB => 3,
        _ => return Err("an image that is neither grey nor of three components".into()),
    };
    if width.checked_mul(height).and_then(|pixels| pixels.checked_mul(components)) != Some(out.len()) {
        return Err(format!(
            "an image of {width} x {height} x {components} where {} bytes are expected",
            out.len()
        ));
    }
    let mut pixels = match components {
        1 => image.grayscale(),
        _ => image.rgb(),
    }
    .map_err(text)?;
    pixels.read_scanlines_into(out).map_err(text)?;
    pixels.finish().map_err(text)
}

/// What libjpeg does about errors. What it only warns of, such as missing bytes that it would make grey, is an error, too.
fn errors() -> jpeg_error_mgr {
    // SAFETY: plain data, which libjpeg fills.
    let mut errors = unsafe { std::mem::zeroed() };
    // SAFETY: it fills what it is given.
    unsafe { jpeg_std_error(&mut errors) };
    errors.error_exit = Some(unwind);
    errors.emit_message = Some(unwind_for_warnings);
    errors
}

extern "C-unwind" fn unwind(common: &mut jpeg_common_struct) {
    // SAFETY: libjpeg calls it with what it was given.
    let code = unsafe { common.err.as_ref() }.map_or(0, |errors| errors.msg_code);
    // Without the hook of panics, which would print.
    resume_unwind(Box::new(format!("damaged (message {code} of libjpeg)")));
}

extern "C-unwind" fn unwind_for_warnings(common: &mut jpeg_common_struct, level: i32) {
    if level < 0 {
        unwind(common);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight pixels in a row, from black to white; libjpeg at quality 100.
    const GREY: &[u8] = include_bytes!("grey.jpg");

    fn decoded(stored: &[u8], bytes: usize) -> Result<Vec<u8>, FilterError> {
        let mut out = vec![0; bytes];
        Jpeg.decode(stored, &mut out, &mut CodecState::default())?;
        Ok(out)
    }

    #[test]
    fn pixels_are_libjpegs() {
        assert_eq!(decoded(GREY, 8).unwrap(), [0, 36, 73, 109, 146, 182, 219, 255]);
        // Without its end.
        assert_eq!(decoded(&GREY[..GREY.len() - 2], 8).unwrap().len(), 8);
    }

    #[test]
    fn cut_and_changed_streams_are_errors_or_pixels() {
        decoded(GREY, 9).unwrap_err();
        for end in 0..GREY.len() - 4 {
            decoded(&GREY[..end], 8).unwrap_err();
        }
        for place in 0..GREY.len() {
            for value in [0, 0x7F, 0xFF] {
                let mut changed = GREY.to_vec();
                changed[place] = value;
                let _ = decoded(&changed, 8);
            }
        }
        decoded(&SCAN.repeat(SCANS_MAX + 1), 8).unwrap_err();
    }
}
