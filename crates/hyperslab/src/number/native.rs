//! The native floating-point types to which floats of a file are converted, chosen as h5py chooses them.
//!
//! h5py reads a number as the NumPy type of the same size. If no NumPy type of that size can represent every value (for
//! 8-bit floats, bfloat16, VAX exponents), the smallest type that can is used. Numbers for which NumPy has no type
//! (3-byte integers, quadruple precision, VAX byte order) keep the representation of the file.

use hyperslab_format::message::ByteOrder;
use hyperslab_format::message::datatype::{Float, Normalization};

/// A floating-point type of NumPy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NativeFloat {
    /// IEEE 754 binary16.
    Half,
    /// IEEE 754 binary32.
    Single,
    /// IEEE 754 binary64.
    Double,
    /// x87 extended precision: 80 bits in 16 bytes, the first bit of the mantissa stored.
    Extended,
}

impl NativeFloat {
    const ALL: [Self; 4] = [Self::Half, Self::Single, Self::Double, Self::Extended];

    /// The smallest type that can represent every value of `float`, or `None`. `size` is the size of an element in
    /// bytes.
    pub fn of(float: &Float, size: u32) -> Option<Self> {
        if float.order == ByteOrder::Vax {
            return None;
        }
        let bias = i64::from(float.exponent_bias);
        let highest = (1i64 << float.exponent_size.min(62)) - bias - 1;
        Self::ALL.into_iter().find(|native| {
            let (exponent_bits, mantissa_bits) = native.bits();
            let highest_native = 1i64 << (exponent_bits - 1);
            size <= native.memory_bytes()
                && u32::from(float.mantissa_size) <= mantissa_bits
                && highest <= highest_native
                && 1 - bias >= 2 - highest_native
        })
    }

    /// The type to which the parts of a complex number are converted. Only the size decides: a part that the type
    /// cannot represent exactly is rounded.
    pub fn of_complex_part(float: &Float, size: u32) -> Option<Self> {
        if float.order == ByteOrder::Vax {
            return None;
        }
        // NumPy has no complex numbers of half precision.
        [Self::Single, Self::Double, Self::Extended].into_iter().find(|native| native.memory_bytes() == size)
    }

    /// The type that equals `float` apart from the byte order.
    pub(super) fn same_as(float: &Float, size: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|native| native.is(float, size))
    }

    /// The bytes of a value in memory.
    pub fn memory_bytes(self) -> u32 {
        match self {
            Self::Half => 2,
            Self::Single => 4,
            Self::Double => 8,
            Self::Extended => 16,
        }
    }

    /// The significant bytes of a value: 10 of the 16 bytes of an x87 number, otherwise all.
    pub fn bytes(self) -> usize {
        if self == Self::Extended { 10 } else { self.memory_bytes() as usize }
    }

    /// The numbers of exponent bits and of stored mantissa bits.
    fn bits(self) -> (u32, u32) {
        match self {
            Self::Half => (5, 10),
            Self::Single => (8, 23),
            Self::Double => (11, 52),
            Self::Extended => (15, 64),
        }
    }

    /// The layout, as a datatype describes it.
    pub(super) fn layout(self) -> Float {
        let (exponent_bits, mantissa_bits) = self.bits();
        let normalization = if self == Self::Extended { Normalization::None } else { Normalization::Implied };
        Float {
            order: ByteOrder::Little,
            bit_offset: 0,
            precision: 1 + exponent_bits as u16 + mantissa_bits as u16,
            sign_location: (exponent_bits + mantissa_bits) as u8,
            exponent_location: mantissa_bits as u8,
            exponent_size: exponent_bits as u8,
            mantissa_location: 0,
            mantissa_size: mantissa_bits as u8,
            exponent_bias: (1 << (exponent_bits - 1)) - 1,
            normalization,
        }
    }

    /// The name of the type in NumPy, in this byte order.
    pub fn numpy_name(self, order: ByteOrder) -> String {
        let bytes = self.memory_bytes();
        if order == ByteOrder::Big { format!(">f{bytes}") } else { format!("float{}", 8 * bytes) }
    }

    /// True if `float` is this type, in either byte order.
    pub fn is(self, float: &Float, size: u32) -> bool {
        let order = float.order;
        size == self.memory_bytes() && order != ByteOrder::Vax && *float == Float { order, ..self.layout() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::float::tests::float;
    use super::*;

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
    fn the_layouts_are_those_of_ieee() {
        for native in [NativeFloat::Half, NativeFloat::Single, NativeFloat::Double] {
            assert!(native.layout().is_ieee(native.memory_bytes()));
        }
        let x87 = float(ByteOrder::Big, [79, 64, 15, 0, 64], 16_383, 80, false);
        assert!(NativeFloat::Extended.is(&x87, 16) && !NativeFloat::Extended.is(&x87, 12));
    }
}
