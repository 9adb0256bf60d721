//! Client data of SZ and SZ3.
//!
//! | numbers | meaning |
//! |---|---|
//! | 1 | the number of dimensions of a chunk, without those of one element |
//! | 1 | the type: 0 and 1 floats, 2 to 9 integers of 1 to 8 bytes, those without a sign first |
//! | 2 or as many as dimensions | the sizes, the fastest first; of one dimension, the size in 64 bits, the high ones first |
//! | 9 | asked for: the kind of error bound, and four bounds as doubles, the high bits first |

use super::{ElementKind, Target, inapplicable, long_dimensions};
use crate::FilterError;

const DIMENSIONS_MAX: usize = 5;
const ASKED: usize = 9;

/// Asked for: the last nine numbers, as `hdf5plugin.SZ` and `SZ3` give them. Numbers before them are computed.
pub(super) fn complete(
    filter: &'static str,
    asked: &[u32],
    target: &Target<'_>,
) -> Result<Vec<u32>, FilterError> {
    let Some((_, bounds)) = asked.split_last_chunk::<ASKED>() else {
        let what = "nine numbers are required: a kind of error bound, and four bounds of two numbers";
        return Err(inapplicable(filter, what));
    };
    let size = target.element.size;
    let kind = match &target.element.kind {
        ElementKind::Float(bits) if !bits.big_endian && bits.precision == 8 * size => match size {
            4 => Some(0),
            8 => Some(1),
            _ => None,
        },
        ElementKind::Integer { bits, signed } if !bits.big_endian && bits.precision == 8 * size => {
            let first = [1, 2, 4, 8].iter().position(|bytes| *bytes == size);
            first.map(|power| 2 + 2 * power as u32 + u32::from(*signed))
        }
        _ => None,
    };
    let kind =
        kind.ok_or_else(|| inapplicable(filter, "only little-endian numbers of whole bytes have a type"))?;
    let dims = long_dimensions(target, filter)?;
    if !(1..=DIMENSIONS_MAX).contains(&dims.len()) {
        let what = format!("chunks must have 1 to {DIMENSIONS_MAX} dimensions of more than one element");
        return Err(inapplicable(filter, what));
    }
    let mut values = vec![dims.len() as u32, kind];
    if dims.len() == 1 {
        values.push(0);
    }
    values.extend(dims.iter().rev());
    values.extend(bounds);
    Ok(values)
}

/// The numbers that were asked for.
pub(super) fn asked(stored: &[u32]) -> Vec<u32> {
    stored.last_chunk::<ASKED>().map_or_else(|| stored.into(), |bounds| bounds.to_vec())
}
