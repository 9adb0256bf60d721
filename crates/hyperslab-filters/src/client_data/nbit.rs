//! Client data of nbit: the datatype, written as numbers.

use super::{BitLayout, Element, ElementKind, Target, inapplicable};
use crate::FilterError;

const NAME: &str = "nbit";
const ATOMIC: u32 = 1;
const ARRAY: u32 = 2;
const COMPOUND: u32 = 3;
const NO_OP: u32 = 4;
/// `H5Z_NBIT_MAX_NPARMS`.
const VALUES_MAX: usize = 4096;

pub(super) fn complete(target: &Target<'_>) -> Result<Vec<u32>, FilterError> {
    let mut values = vec![0, 0, target.elements(NAME)?];
    let mut has_padding = false;
    // A type without numbers is not described at all.
    if !matches!(target.element.kind, ElementKind::VariableLength | ElementKind::Other(_)) {
        describe(target.element, &mut values, &mut has_padding)?;
    }
    if values.len() > VALUES_MAX {
        return Err(inapplicable(NAME, format!("the datatype needs more than {VALUES_MAX} numbers")));
    }
    values[0] = values.len() as u32;
    values[1] = u32::from(!has_padding);
    Ok(values)
}

fn describe(element: &Element, values: &mut Vec<u32>, has_padding: &mut bool) -> Result<(), FilterError> {
    match &element.kind {
        ElementKind::Integer { bits, .. } | ElementKind::Float(bits) => {
            let BitLayout { big_endian, precision, offset } = *bits;
            values.extend([ATOMIC, element.size, u32::from(big_endian), precision, offset]);
            *has_padding |= offset != 0 || precision != 8 * element.size;
        }
        ElementKind::Array(base) => {
            values.extend([ARRAY, element.size]);
            if base.kind == ElementKind::VariableLength {
                return Err(inapplicable(NAME, "an array of variable-length elements"));
            }
            describe(base, values, has_padding)?;
        }
        ElementKind::Compound(members) => {
            values.extend([COMPOUND, element.size, members.len() as u32]);
            let ends = members.iter().skip(1).map(|(offset, _)| *offset).chain([element.size]);
            for ((offset, member), end) in members.iter().zip(ends) {
                values.push(*offset);
                if member.kind == ElementKind::VariableLength {
                    // Its size is taken to reach to the next member.
                    let size = end.checked_sub(*offset);
                    let size = size.ok_or_else(|| inapplicable(NAME, "members that are not in order"))?;
                    values.extend([NO_OP, size]);
                } else {
                    describe(member, values, has_padding)?;
                }
            }
        }
        ElementKind::VariableLength | ElementKind::Other(_) => values.extend([NO_OP, element.size]),
    }
    Ok(())
}
