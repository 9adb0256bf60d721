//! Floating-point numbers: decoding the fields of any layout, and encoding the same value in another layout.
//!
//! As in libhdf5, an exponent of all ones means infinity or NaN in every layout, even in the 8-bit formats that define
//! it differently.

use super::bits::{field, little_endian, ones};
use super::mode::ConversionMode;
use super::native::NativeFloat;
use hyperslab_format::message::datatype::{Float, Normalization};

/// The bytes of a native number, least significant first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeBytes {
    bytes: [u8; 16],
    len: usize,
}

impl NativeBytes {
    /// The significant bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The first `len` of the bytes in memory, of which an x87 number has 16.
    pub fn in_memory(&self, len: usize) -> &[u8] {
        &self.bytes[..len.min(16)]
    }
}

/// The value of a number without its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Magnitude {
    Zero,
    /// `mantissa` × 2^`exponent`; the mantissa is not 0.
    Finite {
        mantissa: u128,
        exponent: i64,
    },
    Infinite,
    /// The fraction bits, left-aligned: the first of them is bit 127.
    NotANumber(u128),
}

/// The value of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Value {
    pub negative: bool,
    pub magnitude: Magnitude,
}

/// The value of a half-precision number.
pub fn half_to_double(half: u16) -> f64 {
    let double =
        native_from(Value::of(&NativeFloat::Half.layout(), &half.to_le_bytes()), NativeFloat::Double);
    f64::from_le_bytes(double.bytes[..8].try_into().expect("8 of 16 bytes"))
}

/// Converts an element of at most 16 bytes to a native type that can represent every value of its datatype. A number
/// that is already native keeps all of its bits; in others, NaN becomes a mantissa of all ones.
pub fn native_float(float: &Float, element: &[u8], native: NativeFloat) -> NativeBytes {
    if native.is(float, element.len() as u32) {
        return NativeBytes { bytes: little_endian(element, float.order).to_le_bytes(), len: native.bytes() };
    }
    native_from(Value::of(float, element), native)
}

fn native_from(value: Value, native: NativeFloat) -> NativeBytes {
    let bits = value.encode(&native.layout(), ConversionMode::Bits);
    NativeBytes { bytes: bits.to_le_bytes(), len: native.bytes() }
}

/// The number of mantissa bits after the binary point.
fn fraction_bits(float: &Float) -> u32 {
    let implied = float.normalization == Normalization::Implied;
    u32::from(float.mantissa_size).saturating_sub(u32::from(!implied))
}

impl Value {
    /// Decodes an element.
    pub fn of(float: &Float, element: &[u8]) -> Self {
        let raw = little_endian(element, float.order);
        let negative = field(raw, float.sign_location.into(), 1) == 1;
        let exponent = field(raw, float.exponent_location.into(), float.exponent_size.into());
        let mantissa = field(raw, float.mantissa_location.into(), float.mantissa_size.into());
        let point = fraction_bits(float);
        let fraction = mantissa & ones(point);
        let magnitude = if exponent == ones(float.exponent_size.into()) {
            match fraction {
                0 => Magnitude::Infinite,
                _ => Magnitude::NotANumber(fraction << (128 - point)),
            }
        } else {
            // A subnormal number has the exponent of the smallest normal number, and no implied bit.
            let implied = float.normalization == Normalization::Implied && exponent > 0;
            let mantissa = if implied { mantissa | 1 << point } else { mantissa };
            let scale = exponent.clamp(1, 1 << 62) as i64 - i64::from(float.exponent_bias);
            match mantissa {
                0 => Magnitude::Zero,
                _ => Magnitude::Finite { mantissa, exponent: scale - i64::from(point) },
            }
        };
        Self { negative, magnitude }
    }

    /// The value of an integer.
    pub fn of_integer(value: i128) -> Self {
        let magnitude = match value.unsigned_abs() {
            0 => Magnitude::Zero,
            mantissa => Magnitude::Finite { mantissa, exponent: 0 },
        };
        Self { negative: value < 0, magnitude }
    }

    /// The value truncated to an integer, or `±i128::MAX` if it is too large; `None` for NaN.
    pub fn truncated(self) -> Option<i128> {
        let magnitude = match self.magnitude {
            Magnitude::Zero => 0,
            Magnitude::Infinite => i128::MAX,
            Magnitude::NotANumber(_) => return None,
            Magnitude::Finite { mantissa, exponent: shift @ 0.. } => {
                if i64::from(mantissa.leading_zeros()) > shift {
                    (mantissa << shift) as i128
                } else {
                    i128::MAX
                }
            }
            Magnitude::Finite { mantissa, exponent } => {
                let shift = u32::try_from(-exponent).unwrap_or(u32::MAX);
                i128::try_from(mantissa.checked_shr(shift).unwrap_or(0)).unwrap_or(i128::MAX)
            }
        };
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The bits of this value in the layout `float`.
    pub fn encode(self, float: &Float, mode: ConversionMode) -> u128 {
        let point = fraction_bits(float);
        let all_ones = ones(float.exponent_size.into());
        let first = 1u128 << point;
        let stored_first = if float.normalization == Normalization::Implied { 0 } else { first };
        let infinite = (all_ones, stored_first);
        let (exponent, mantissa) = match self.magnitude {
            Magnitude::Zero => (0, 0),
            Magnitude::Infinite => infinite,
            Magnitude::NotANumber(bits) => match mode {
                ConversionMode::Bits | ConversionMode::BitsOfInteger => {
                    (all_ones, ones(float.mantissa_size.into()))
                }
                ConversionMode::Processor => (all_ones, stored_first | first >> 1 | bits >> (128 - point)),
            },
            Magnitude::Finite { mantissa, exponent } => {
                let bias = i64::from(float.exponent_bias);
                let magnitude = i64::from(mantissa.ilog2()) + exponent;
                let mut stored = (magnitude + bias).max(0);
                let last = stored.max(1) - bias - i64::from(point);
                let (mut rounded, is_below) = shifted(mantissa, exponent - last, mode);
                // Rounding may carry into the next power of two.
                let carries = rounded > ones(point + 1);
                if carries {
                    rounded >>= 1;
                    stored += 1;
                } else if stored == 0 && rounded >= first {
                    stored = 1;
                }
                let largest = (all_ones as i64).saturating_sub(1);
                let above_largest = stored == largest && rounded == ones(point + 1) && is_below;
                match mode {
                    // Rounding up from the largest number does not exceed it.
                    ConversionMode::Bits if carries && stored > largest && magnitude + bias <= largest => {
                        (largest as u128, ones(point + 1) & !(first ^ stored_first))
                    }
                    ConversionMode::Processor if above_largest => infinite,
                    _ if stored > largest => infinite,
                    _ => (stored as u128, rounded & !(first ^ stored_first)),
                }
            }
        };
        u128::from(self.negative) << float.sign_location
            | exponent << float.exponent_location
            | mantissa << float.mantissa_location
    }
}

/// Shifts left, or right with rounding. The flag is true if the result was rounded down.
fn shifted(value: u128, by: i64, mode: ConversionMode) -> (u128, bool) {
    match by {
        0.. => (value.checked_shl(by as u32).unwrap_or(0), false),
        -127..0 => {
            let (kept, dropped) = (value >> -by, value & ones(-by as u32));
            let half = 1u128 << (-by - 1);
            let up = match mode {
                ConversionMode::Bits => dropped >= half,
                ConversionMode::Processor | ConversionMode::BitsOfInteger => {
                    dropped > half || (dropped == half && kept & 1 == 1)
                }
            };
            (kept + u128::from(up), !up && dropped > 0)
        }
        _ => (0, true),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use hyperslab_format::message::ByteOrder;

    pub fn float(order: ByteOrder, fields: [u8; 5], bias: u32, precision: u16, implied: bool) -> Float {
        Float {
            order,
            bit_offset: 0,
            precision,
            sign_location: fields[0],
            exponent_location: fields[1],
            exponent_size: fields[2],
            mantissa_location: fields[3],
            mantissa_size: fields[4],
            exponent_bias: bias,
            normalization: if implied { Normalization::Implied } else { Normalization::None },
        }
    }

    fn bits(float: &Float, element: &[u8]) -> u128 {
        let native = NativeFloat::of(float, element.len() as u32).unwrap();
        let converted = native_float(float, element, native);
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
    fn every_half_keeps_its_value_in_single_precision_at_odd_bit_offsets() {
        // binary16 shifted by three bits into four bytes.
        let mut moved = float(ByteOrder::Big, [18, 13, 5, 3, 10], 15, 16, true);
        moved.bit_offset = 3;
        for half in 0..=u16::MAX {
            let stored = (u32::from(half) << 3).to_be_bytes();
            let single = f32::from_bits(bits(&moved, &stored) as u32);
            let expected = half_to_double(half) as f32;
            assert_eq!(single.is_nan(), expected.is_nan());
            assert_eq!(single.is_sign_negative(), half >> 15 == 1);
            assert!(single.is_nan() || single == expected, "{half:#x}: {single} is not {expected}");
        }
    }

    #[test]
    fn half_precision_is_that_of_ieee() {
        let cases = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65_504.0),
            (1, 2f64.powi(-24)),
            (0x3555, 0.333_251_953_125),
        ];
        for (half, expected) in cases {
            assert_eq!(half_to_double(half), expected);
        }
        assert_eq!(half_to_double(0xfc00), f64::NEG_INFINITY);
        assert!(half_to_double(0x7c01).is_nan());
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

    #[test]
    fn vax_numbers_have_their_pairs_of_bytes_reversed() {
        // D_floating and G_floating have fields as IEEE numbers have, in other sizes and with another bias.
        let g = float(ByteOrder::Vax, [63, 52, 11, 0, 52], 1025, 64, true);
        let one = (1.0f64.to_bits() + (2 << 52)).to_be_bytes();
        let stored = [one[1], one[0], one[3], one[2], one[5], one[4], one[7], one[6]];
        let value = Value::of(&g, &stored);
        assert_eq!(value, Value::of_integer(1).as_written(&g));
    }

    impl Value {
        /// The same value, with the mantissa that a layout gives it.
        fn as_written(self, float: &Float) -> Self {
            let bits = self.encode(float, ConversionMode::Bits).to_le_bytes();
            Value::of(&Float { order: ByteOrder::Little, ..float.clone() }, &bits)
        }
    }

    fn single(double: f64, mode: ConversionMode) -> u32 {
        let value = Value::of(&NativeFloat::Double.layout(), &double.to_le_bytes());
        value.encode(&NativeFloat::Single.layout(), mode) as u32
    }

    /// The results of libhdf5 2.0.
    #[test]
    fn doubles_become_single_in_either_mode() {
        let largest = f64::from(f32::MAX);
        let cases = [
            (largest, 0x7f7f_ffff, 0x7f7f_ffff),
            (largest * (1.0 + 2f64.powi(-25)), 0x7f80_0000, 0x7f7f_ffff),
            (largest * (1.0 + 2f64.powi(-24)), 0x7f80_0000, 0x7f7f_ffff),
            (largest * (1.0 + 2f64.powi(-23)), 0x7f80_0000, 0x7f80_0000),
            (1.0 + 2f64.powi(-24), 0x3f80_0000, 0x3f80_0001),
            (1.0 + 2f64.powi(-23) + 2f64.powi(-24), 0x3f80_0002, 0x3f80_0002),
            (1.0 + 2f64.powi(-24) + 2f64.powi(-40), 0x3f80_0001, 0x3f80_0001),
            (2f64.powi(-150), 0, 1),
            (2f64.powi(-149) * 0.75, 1, 1),
            (2f64.powi(-149) * 2.5, 2, 3),
            (2f64.powi(-160), 0, 0),
            // libhdf5's bits are 0x400000 in the second mode: it loses a carry.
            (1.175_494_350_822_287_4e-38, 0x80_0000, 0x80_0000),
            (f64::from_bits(0x7ff4_0000_0000_0001), 0x7fe0_0000, 0x7fff_ffff),
            (f64::NEG_INFINITY, 0xff80_0000, 0xff80_0000),
        ];
        for (double, processor, bits) in cases {
            assert_eq!(single(double, ConversionMode::Processor), processor, "{double:e}");
            assert_eq!(single(double, ConversionMode::Bits), bits, "{double:e}");
        }
    }

    #[test]
    fn the_processor_converts_as_rust_does_within_the_range() {
        let mut state = 1u64;
        for _ in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Exponents around those of single precision.
            let exponent = 1023 - 160 + (state >> 40) % 300;
            let double = f64::from_bits(state << 12 >> 12 | exponent << 52 | state << 63);
            if double.abs() <= f64::from(f32::MAX) {
                assert_eq!(
                    single(double, ConversionMode::Processor),
                    (double as f32).to_bits(),
                    "{double:e}"
                );
            }
        }
    }

    #[test]
    fn fractions_are_cut_off() {
        let truncated =
            |double: f64| Value::of(&NativeFloat::Double.layout(), &double.to_le_bytes()).truncated();
        assert_eq!(truncated(-1.5), Some(-1));
        assert_eq!(truncated(0.99), Some(0));
        assert_eq!(truncated(-0.25), Some(0));
        assert_eq!(truncated(2f64.powi(80)), Some(1 << 80));
        assert_eq!(truncated(f64::MAX), Some(i128::MAX));
        assert_eq!(truncated(f64::NEG_INFINITY), Some(-i128::MAX));
        assert_eq!(truncated(f64::MIN_POSITIVE), Some(0));
        assert_eq!(truncated(f64::NAN), None);
    }
}
