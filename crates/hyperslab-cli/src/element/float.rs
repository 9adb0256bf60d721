//! Floating-point numbers of any layout as one of the native ones.
//!
//! The native type is chosen to hold every value exactly ([`super::native`]), so there is one right answer. As in
//! libhdf5, an exponent of all ones is an infinity or not a number in every layout (also in those 8-bit floats which
//! define it otherwise), and what is not a number gets a mantissa of all ones.

use super::native::NativeFloat;
use hyperslab::format::message::ByteOrder;
use hyperslab::format::message::datatype::{Float, Normalization};

/// The bytes of a native number, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NativeBytes {
    bytes: [u8; 16],
    len: usize,
}

impl NativeBytes {
    /// The bytes, least significant first.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The value of a half-precision number.
pub(crate) fn half_to_double(half: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(half >> 10 & 31), f64::from(half & 1023));
    let magnitude = match exponent {
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => mantissa * 2f64.powi(-24),
        _ => (mantissa + 1024.0) * 2f64.powi(exponent - 25),
    };
    if half >> 15 == 1 { -magnitude } else { magnitude }
}

/// What the fields of a number say.
enum Value {
    Zero,
    /// `mantissa` × 2^`exponent`; the mantissa is not 0.
    Finite {
        mantissa: u128,
        exponent: i64,
    },
    Infinite,
    NotANumber,
}

/// An element of at most 16 bytes as `native`.
pub(crate) fn convert(float: &Float, element: &[u8], native: NativeFloat) -> NativeBytes {
    let raw = little_endian(element, float.order);
    if native.is(float, element.len() as u32) {
        return NativeBytes { bytes: raw.to_le_bytes(), len: native.bytes() };
    }
    let sign = field(raw, float.sign_location, 1);
    let (exponent_bits, mantissa_bits) = native.bits();
    let (exponent, mantissa) = assemble(value(float, raw), native);
    let stored = mantissa | exponent << mantissa_bits | sign << (mantissa_bits + exponent_bits);
    NativeBytes { bytes: stored.to_le_bytes(), len: native.bytes() }
}

fn little_endian(element: &[u8], order: ByteOrder) -> u128 {
    let mut padded = [0u8; 16];
    let len = element.len().min(16);
    padded[..len].copy_from_slice(&element[..len]);
    if order == ByteOrder::Big {
        padded[..len].reverse();
    }
    u128::from_le_bytes(padded)
}

fn field(raw: u128, start: u8, len: u8) -> u128 {
    let shifted = raw.checked_shr(start.into()).unwrap_or(0);
    if len >= 128 { shifted } else { shifted & ((1 << len) - 1) }
}

fn value(float: &Float, raw: u128) -> Value {
    let exponent = field(raw, float.exponent_location, float.exponent_size);
    let mantissa = field(raw, float.mantissa_location, float.mantissa_size);
    let implied = float.normalization == Normalization::Implied;
    let top = 1u128 << (float.mantissa_size - 1).min(127);
    if exponent == (1 << float.exponent_size.min(127)) - 1 {
        let is_infinite = mantissa == 0 || (!implied && mantissa & !top == 0);
        return if is_infinite { Value::Infinite } else { Value::NotANumber };
    }
    // A number below the normal ones has the exponent of the smallest of them, and nothing implied.
    let scale = (exponent.max(1) as i64) - i64::from(float.exponent_bias);
    let (mantissa, point) = match (implied, exponent) {
        (true, 1..) => (mantissa | top << 1, float.mantissa_size),
        (true, 0) => (mantissa, float.mantissa_size),
        (false, _) => (mantissa, float.mantissa_size - 1),
    };
    if mantissa == 0 { Value::Zero } else { Value::Finite { mantissa, exponent: scale - i64::from(point) } }
}

/// The exponent and mantissa fields of the native type.
fn assemble(value: Value, native: NativeFloat) -> (u128, u128) {
    let (exponent_bits, mantissa_bits) = native.bits();
    let is_explicit = native == NativeFloat::Extended;
    // Bits behind the first one.
    let fraction_bits = i64::from(mantissa_bits) - i64::from(is_explicit);
    let all_ones = (1u128 << exponent_bits) - 1;
    let first = 1u128 << fraction_bits;
    let kept_first = if is_explicit { first } else { 0 };
    let bias = (1i64 << (exponent_bits - 1)) - 1;
    match value {
        Value::Zero => (0, 0),
        Value::Infinite => (all_ones, kept_first),
        Value::NotANumber => (all_ones, (1u128 << mantissa_bits) - 1),
        Value::Finite { mantissa, exponent } => {
            let magnitude = i64::from(mantissa.ilog2()) + exponent;
            let stored = (magnitude + bias).max(0);
            let unit = stored.max(1) - bias - fraction_bits;
            let mut fraction = shift(mantissa, exponent - unit);
            let mut stored = stored as u128;
            // Rounding may carry into the next power of two.
            if fraction >> (fraction_bits + 1) != 0 {
                fraction >>= 1;
                stored += 1;
            }
            if stored >= all_ones {
                return (all_ones, kept_first);
            }
            (stored, if is_explicit { fraction } else { fraction & (first - 1) })
        }
    }
}

/// Shifts left, or right with rounding half up.
fn shift(value: u128, by: i64) -> u128 {
    match by {
        0.. => value.checked_shl(by as u32).unwrap_or(0),
        -127..0 => (value >> -by) + ((value >> (-by - 1)) & 1),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::native::tests::float;
    use super::*;

    fn bits(float: &Float, element: &[u8]) -> u128 {
        let native = NativeFloat::of(float, element.len() as u32).unwrap();
        let converted = convert(float, element, native);
        let mut padded = [0; 16];
        padded[..converted.as_slice().len()].copy_from_slice(converted.as_slice());
        u128::from_le_bytes(padded)
    }

    #[test]
    fn eight_bit_floats_become_half_precision() {
        let e4m3 = float(ByteOrder::Little, [7, 3, 4, 0, 3], 7, 8, true);
        let cases: [(u8, u128); 7] = [
            (0x38, 0x3c00), // 1
            (0xb8, 0xbc00), // -1
            (0x00, 0x0000),
            (0x80, 0x8000),
            (0x01, 0x1800), // 2^-9, the smallest
            (0x78, 0x7c00), // exponent of all ones
            (0x79, 0x7fff),
        ];
        for (stored, half) in cases {
            assert_eq!(bits(&e4m3, &[stored]), half, "{stored:#x}");
        }
        // 7 x 2^-9 = 1.75 x 2^-7
        assert_eq!(bits(&e4m3, &[0x07]), 0x2300);
    }

    #[test]
    fn every_half_survives_single_precision_in_odd_places() {
        // binary16 shifted by three bits into four bytes.
        let mut shifted = float(ByteOrder::Big, [18, 13, 5, 3, 10], 15, 16, true);
        shifted.bit_offset = 3;
        for half in 0..=u16::MAX {
            let stored = (u32::from(half) << 3).to_be_bytes();
            let single = f32::from_bits(bits(&shifted, &stored) as u32);
            let expected = half_to_double(half) as f32;
            assert_eq!(single.is_nan(), expected.is_nan());
            assert_eq!(single.is_sign_negative(), half >> 15 == 1);
            assert!(single.is_nan() || single == expected, "{half:#x}: {single} is not {expected}");
        }
    }

    #[test]
    fn twelve_bytes_hold_the_same_extended_precision() {
        let twelve = float(ByteOrder::Little, [79, 64, 15, 0, 64], 16_383, 80, false);
        let one = [0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f, 0xaa, 0xaa];
        assert_eq!(bits(&twelve, &one), 0x3fff << 64 | 1 << 63);
        let infinite = [0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0xff, 0, 0];
        assert_eq!(bits(&twelve, &infinite), 0xffff << 64 | 1 << 63);
    }

    #[test]
    fn a_native_number_is_copied_with_all_its_bits() {
        let single = float(ByteOrder::Big, [31, 23, 8, 0, 23], 127, 32, true);
        assert_eq!(bits(&single, &0x7fa0_0001u32.to_be_bytes()), 0x7fa0_0001);
    }
}
