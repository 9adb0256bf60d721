//! The native number types that numbers of the file are converted to, chosen as h5py chooses them.
//!
//! h5py reads a number as the NumPy type of the same size. A floating-point number that no NumPy type of its size can
//! hold exactly (8-bit floats, bfloat16, VAX exponents) becomes the smallest that can. What NumPy has no type for at
//! all (3-byte integers, quadruple precision, VAX byte order) is left in the file's own representation.

use hyperslab::format::message::ByteOrder;
use hyperslab::format::message::datatype::{Float, Integer, Normalization};

/// A floating-point type that NumPy has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NativeFloat {
    /// IEEE 754 binary16.
    Half,
    /// IEEE 754 binary32.
    Single,
    /// IEEE 754 binary64.
    Double,
    /// x87 extended precision: 80 bits in 16 bytes, the first bit of the mantissa stored.
    Extended,
}

/// What a native type can hold.
struct Reach {
    bytes: u32,
    mantissa_bits: u8,
    exponent_max: i64,
    exponent_min: i64,
}

impl NativeFloat {
    const ALL: [Self; 4] = [Self::Half, Self::Single, Self::Double, Self::Extended];

    fn reach(self) -> Reach {
        let (bytes, mantissa_bits, exponent_max) = match self {
            Self::Half => (2, 10, 16),
            Self::Single => (4, 23, 128),
            Self::Double => (8, 52, 1024),
            Self::Extended => (16, 64, 16_384),
        };
        Reach { bytes, mantissa_bits, exponent_max, exponent_min: 2 - exponent_max }
    }

    /// The smallest type that holds every value of `float`, or `None` where there is none.
    pub fn of(float: &Float, size: u32) -> Option<Self> {
        if float.order == ByteOrder::Vax {
            return None;
        }
        let bias = i64::from(float.exponent_bias);
        let highest = (1i64 << float.exponent_size.min(62)) - bias - 1;
        Self::ALL.into_iter().find(|native| {
            let reach = native.reach();
            size <= reach.bytes
                && float.mantissa_size <= reach.mantissa_bits
                && highest <= reach.exponent_max
                && 1 - bias >= reach.exponent_min
        })
    }

    /// The type that each part of a complex number becomes. Here only the size decides: a part that the type cannot
    /// hold exactly is rounded.
    pub fn of_complex_part(float: &Float, size: u32) -> Option<Self> {
        if float.order == ByteOrder::Vax {
            return None;
        }
        // NumPy has no complex numbers of half precision.
        [Self::Single, Self::Double, Self::Extended].into_iter().find(|native| native.memory_bytes() == size)
    }

    /// Bytes of a value in memory.
    pub fn memory_bytes(self) -> u32 {
        self.reach().bytes
    }

    /// Bytes of a value that mean something: 10 of the 16 of an x87 number.
    pub fn bytes(self) -> usize {
        if self == Self::Extended { 10 } else { self.reach().bytes as usize }
    }

    /// Its bits of exponent and mantissa (with the stored first bit, where it is stored).
    pub fn bits(self) -> (u32, u32) {
        match self {
            Self::Half => (5, 10),
            Self::Single => (8, 23),
            Self::Double => (11, 52),
            Self::Extended => (15, 64),
        }
    }

    /// NumPy's name of the type in this byte order.
    pub fn numpy_name(self, order: ByteOrder) -> String {
        let bytes = self.memory_bytes();
        if order == ByteOrder::Big { format!(">f{bytes}") } else { format!("float{}", 8 * bytes) }
    }

    /// True where `float` is this type already, but for the order of its bytes.
    pub fn is(self, float: &Float, size: u32) -> bool {
        if self != Self::Extended {
            return size == self.memory_bytes() && float.is_ieee(size);
        }
        size == 16
            && (float.bit_offset, float.precision) == (0, 80)
            && (float.sign_location, float.exponent_location, float.exponent_size) == (79, 64, 15)
            && (float.mantissa_location, float.mantissa_size) == (0, 64)
            && float.exponent_bias == 16_383
            && float.normalization == Normalization::None
    }
}

/// True where NumPy has integers of this many bytes.
pub(crate) fn is_native_integer(size: u32) -> bool {
    matches!(size, 1 | 2 | 4 | 8)
}

/// True where an integer fills its bytes.
pub(crate) fn is_whole(integer: &Integer, size: u32) -> bool {
    integer.bit_offset == 0 && u64::from(integer.precision) == 8 * u64::from(size)
}

/// The value of an integer of at most 8 bytes.
pub(crate) fn integer_value(integer: &Integer, bytes: &[u8]) -> i128 {
    let bits = significant_bits(bytes, integer.order, integer.bit_offset, integer.precision);
    let unused = 64 - u32::from(integer.precision.clamp(1, 64));
    if integer.signed { i128::from((bits << unused) as i64 >> unused) } else { i128::from(bits) }
}

/// The bits of a number of at most 8 bytes, right-aligned.
pub(crate) fn significant_bits(bytes: &[u8], order: ByteOrder, bit_offset: u16, precision: u16) -> u64 {
    let mut padded = [0u8; 8];
    let len = bytes.len().min(8);
    padded[..len].copy_from_slice(&bytes[..len]);
    if order == ByteOrder::Big {
        padded[..len].reverse();
    }
    let all = u64::from_le_bytes(padded).checked_shr(bit_offset.into()).unwrap_or(0);
    if precision >= 64 { all } else { all & ((1 << precision) - 1) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

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

    #[test]
    fn chooses_as_h5py_does() {
        let little = ByteOrder::Little;
        let cases = [
            (1, [7, 3, 4, 0, 3], 7, Some(NativeFloat::Half)),
            (2, [15, 7, 8, 0, 7], 127, Some(NativeFloat::Single)),
            (2, [15, 10, 5, 0, 10], 15, Some(NativeFloat::Half)),
            (8, [63, 24, 8, 0, 24], 127, Some(NativeFloat::Double)),
            (8, [63, 52, 11, 0, 52], 1025, Some(NativeFloat::Extended)),
            (12, [79, 64, 15, 0, 64], 16_383, Some(NativeFloat::Extended)),
            (16, [127, 112, 15, 0, 112], 16_383, None),
        ];
        for (size, fields, bias, native) in cases {
            let float = float(little, fields, bias, 8 * size as u16, true);
            assert_eq!(NativeFloat::of(&float, size), native, "{fields:?}");
        }
        assert_eq!(NativeFloat::of(&float(ByteOrder::Vax, [63, 52, 11, 0, 52], 1025, 64, true), 8), None);
        assert_eq!(NativeFloat::Single.numpy_name(ByteOrder::Big), ">f4");
        assert_eq!(NativeFloat::Extended.numpy_name(little), "float128");
    }

    #[test]
    fn integers_are_cut_out_and_extended_with_their_sign() {
        let integer = |order, signed, bit_offset, precision| Integer { order, signed, bit_offset, precision };
        let nibble = integer(ByteOrder::Little, true, 4, 4);
        assert_eq!(integer_value(&nibble, &[0xf5]), -1);
        assert_eq!(integer_value(&Integer { signed: false, ..nibble }, &[0xf5]), 15);
        assert_eq!(integer_value(&integer(ByteOrder::Big, true, 0, 16), &[0xff, 0xfe]), -2);
        let wide = integer(ByteOrder::Little, false, 0, 64);
        assert_eq!(integer_value(&wide, &[0xff; 8]), i128::from(u64::MAX));
    }
}
