//! Integers of any width: decoding with sign extension, and encoding with clipping to the range of the target.

use super::bits::{field, little_endian, ones, write_bits};
use hyperslab_format::message::ByteOrder;
use hyperslab_format::message::datatype::Integer;

/// True if NumPy has integers of this many bytes.
pub fn is_native_integer(size: u32) -> bool {
    matches!(size, 1 | 2 | 4 | 8)
}

/// True if an integer uses all of its bits.
pub fn is_whole(integer: &Integer, size: u32) -> bool {
    integer.bit_offset == 0 && u64::from(integer.precision) == 8 * u64::from(size)
}

/// The value of an integer of at most 64 significant bits.
pub fn integer_value(integer: &Integer, element: &[u8]) -> i128 {
    let bits = significant_bits(element, integer.order, integer.bit_offset, integer.precision);
    let unused = 64 - u32::from(integer.precision.clamp(1, 64));
    if integer.signed { i128::from((bits << unused) as i64 >> unused) } else { i128::from(bits) }
}

/// The significant bits of a number, at most 64 of them, right-aligned.
pub fn significant_bits(element: &[u8], order: ByteOrder, bit_offset: u16, precision: u16) -> u64 {
    field(little_endian(element, order), bit_offset.into(), u32::from(precision).min(64)) as u64
}

/// The smallest and the largest value of an integer of this many bits.
pub(super) fn range(signed: bool, precision: u32) -> (i128, i128) {
    let half = 1i128 << precision.clamp(1, 64);
    if signed { (-half / 2, half / 2 - 1) } else { (0, half - 1) }
}

/// Writes a value, clipped to the range of the type, as an integer that uses all of its bits.
pub(super) fn write_clipped(value: i128, integer: &Integer, element: &mut [u8]) {
    let (lowest, highest) = range(integer.signed, integer.precision.into());
    let bits = value.clamp(lowest, highest) as u128 & ones(integer.precision.into());
    write_bits(bits, integer.order, element);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(order: ByteOrder, signed: bool, bit_offset: u16, precision: u16) -> Integer {
        Integer { order, signed, bit_offset, precision }
    }

    #[test]
    fn integers_are_extracted_with_their_sign() {
        let nibble = integer(ByteOrder::Little, true, 4, 4);
        assert_eq!(integer_value(&nibble, &[0xf5]), -1);
        assert_eq!(integer_value(&Integer { signed: false, ..nibble }, &[0xf5]), 15);
        assert_eq!(integer_value(&integer(ByteOrder::Big, true, 0, 16), &[0xff, 0xfe]), -2);
        let wide = integer(ByteOrder::Little, false, 0, 64);
        assert_eq!(integer_value(&wide, &[0xff; 8]), i128::from(u64::MAX));
    }

    #[test]
    fn values_are_clipped() {
        let mut two = [0; 2];
        let cases = [(true, 40_000, [0x7f, 0xff]), (true, -40_000, [0x80, 0]), (false, -1, [0, 0])];
        for (signed, value, expected) in cases {
            write_clipped(value, &integer(ByteOrder::Big, signed, 0, 16), &mut two);
            assert_eq!(two, expected);
        }
        let mut eight = [0; 8];
        write_clipped(i128::MAX, &integer(ByteOrder::Little, false, 0, 64), &mut eight);
        assert_eq!(eight, [0xff; 8]);
        write_clipped(i128::MIN, &integer(ByteOrder::Little, true, 0, 64), &mut eight);
        assert_eq!(eight, i64::MIN.to_le_bytes());
    }
}
