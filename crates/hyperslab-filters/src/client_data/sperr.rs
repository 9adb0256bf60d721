//! Client data of SPERR.
//!
//! | number | meaning |
//! |---|---|
//! | 1 | dimensions in bits 0 to 3, bit 4 for singles, how missing values are marked in bits 6 to 9, the version in bit 10 |
//! | 1 | asked for: the kind of bound and its value |
//! | 2 or 3 | the sizes of a chunk, without those of one element |

use super::{ElementKind, Target, inapplicable, long_dimensions};
use crate::FilterError;

const NAME: &str = "sperr";
const SINGLE: u32 = 1 << 4;
const MISSING_BIT: u32 = 6;
const MISSING_MAX: u32 = 15;
const VERSION: u32 = 1 << 10;

/// Asked for: the bound, and how missing values are marked, as `hdf5plugin.Sperr` gives them.
pub(super) fn complete(asked: &[u32], target: &Target<'_>) -> Result<Vec<u32>, FilterError> {
    let (bound, missing) = match *asked {
        [bound] => (bound, 0),
        [bound, missing] if missing <= MISSING_MAX => (bound, missing),
        _ => {
            let what = "the bound is required, and a number for how missing values are marked";
            return Err(inapplicable(NAME, what));
        }
    };
    let size = target.element.size;
    match &target.element.kind {
        ElementKind::Float(bits)
            if matches!(size, 4 | 8) && bits.precision == 8 * size && !bits.big_endian => {}
        _ => return Err(inapplicable(NAME, "only little-endian floats of 4 and 8 bytes can be encoded")),
    }
    let dims = long_dimensions(target, NAME)?;
    if !matches!(dims.len(), 2 | 3) {
        return Err(inapplicable(NAME, "chunks must have 2 or 3 dimensions of more than one element"));
    }
    let single = if size == 4 { SINGLE } else { 0 };
    let first = VERSION | missing << MISSING_BIT | single | dims.len() as u32;
    Ok([first, bound].into_iter().chain(dims).collect())
}

/// The numbers that were asked for.
pub(super) fn asked(stored: &[u32]) -> Vec<u32> {
    match *stored {
        [first, bound, ..] => vec![bound, first >> MISSING_BIT & MISSING_MAX],
        _ => stored.into(),
    }
}
