//! Client data of FCIDECOMP (JPEG-LS): bytes of a sample, components, rows, columns, bits of a sample, components again, and
//! zeros for the default parameters of JPEG-LS.

use super::{ElementKind, Target, inapplicable};
use crate::FilterError;

const NAME: &str = "fcidecomp";
const NUMBERS: usize = 13;
const COMPONENTS: std::ops::RangeInclusive<u64> = 1..=4;

/// Nothing is asked for: images of one component, or of up to four that come first.
pub(super) fn complete(target: &Target<'_>) -> Result<Vec<u32>, FilterError> {
    let size = target.element.size;
    let is_sample = match &target.element.kind {
        ElementKind::Integer { bits, .. } => bits.precision == 8 * size && (size == 1 || !bits.big_endian),
        _ => false,
    };
    if !is_sample || !matches!(size, 1 | 2) {
        return Err(inapplicable(NAME, "only little-endian integers of 1 or 2 bytes can be encoded"));
    }
    let (components, rows, columns) = match *target.chunk {
        [rows, columns] => (1, rows, columns),
        [components, rows, columns] if COMPONENTS.contains(&components) => (components, rows, columns),
        _ => {
            let what = "chunks must be images: rows and columns, after up to 4 components";
            return Err(inapplicable(NAME, what));
        }
    };
    let dimension = |dim: u64| u32::try_from(dim).map_err(|_| inapplicable(NAME, "an image is too large"));
    let components = components as u32;
    let known = [size, components, dimension(rows)?, dimension(columns)?, 8 * size, components];
    Ok(known.into_iter().chain(std::iter::repeat(0)).take(NUMBERS).collect())
}
