//! Client data of BitGroom and Granular BitRound.

use super::{ElementKind, Target, inapplicable};
use crate::FilterError;

const NAME: &str = "rounding to digits";
const DIGITS_MAX: u32 = 15;

/// Asked for: the number of significant decimal digits. The fill value is not rounded.
pub(super) fn complete(asked: &[u32], target: &Target<'_>) -> Result<Vec<u32>, FilterError> {
    let &[digits @ 1..=DIGITS_MAX, ..] = asked else {
        return Err(inapplicable(
            NAME,
            format!("a number of significant digits is required, 1 to {DIGITS_MAX}"),
        ));
    };
    let size = target.element.size;
    match &target.element.kind {
        ElementKind::Float(bits)
            if matches!(size, 4 | 8) && bits.precision == 8 * size && !bits.big_endian => {}
        _ => return Err(inapplicable(NAME, "only little-endian floats of 4 and 8 bytes can be rounded")),
    }
    // Zero, the default, is never rounded.
    let fill = target.fill.filter(|fill| fill.iter().any(|byte| *byte != 0));
    let mut bits = [0; 8];
    bits.iter_mut().zip(fill.unwrap_or_default()).for_each(|(byte, value)| *byte = *value);
    let value = u64::from_le_bytes(bits);
    Ok(vec![digits, size, u32::from(fill.is_some()), value as u32, (value >> 32) as u32])
}
