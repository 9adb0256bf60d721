//! Client data of scaleoffset.

use super::{ElementKind, Target, inapplicable};
use crate::FilterError;

const NAME: &str = "scaleoffset";
const VALUES: usize = 20;
/// The kind of scaling that `H5Pset_scaleoffset` takes for decimal digits, and for integers.
const DECIMAL: u32 = 0;
const INTEGER: u32 = 2;

/// Asked for: the kind of scaling, and the number of decimal digits or of bits (0: as many as needed).
pub(super) fn complete(asked: &[u32], target: &Target<'_>) -> Result<Vec<u32>, FilterError> {
    let &[scaling, factor, ..] = asked else {
        return Err(inapplicable(NAME, "a kind of scaling and a number of digits or bits are required"));
    };
    let size = target.element.size;
    let (class, bits, signed) = match &target.element.kind {
        ElementKind::Integer { bits, signed } if matches!(size, 1 | 2 | 4 | 8) => (0, bits, *signed),
        ElementKind::Float(bits) if matches!(size, 4 | 8) => (1, bits, false),
        _ => {
            return Err(inapplicable(
                NAME,
                format!("only numbers of common sizes are possible, not {size} bytes"),
            ));
        }
    };
    if (class == 0) != (scaling == INTEGER) || (class == 1) != (scaling == DECIMAL) {
        return Err(inapplicable(NAME, format!("scaling {scaling} is not for this class of numbers")));
    }
    let mut values = vec![
        scaling,
        factor,
        target.elements(NAME)?,
        class,
        size,
        u32::from(signed),
        u32::from(bits.big_endian),
        u32::from(target.fill.is_some()),
    ];
    if let Some(fill) = target.fill {
        let mut bytes = [0; 8];
        let size = size as usize;
        let fill = fill.get(..size).ok_or_else(|| inapplicable(NAME, "the fill value is too short"))?;
        bytes[..size].copy_from_slice(fill);
        if bits.big_endian {
            bytes[..size].reverse();
        }
        let value = u64::from_le_bytes(bytes);
        values.extend([value as u32, (value >> 32) as u32]);
    }
    values.resize(VALUES, 0);
    Ok(values)
}
