//! The integers as which values are coded, and how floats become such integers.

/// The integers as which values are coded, with as many bits as the values. In streams that no encoder wrote, sums may
/// exceed the range; they then wrap around.
pub(super) trait Word: Copy + Default + PartialEq {
    const BITS: u32;
    const BYTES: usize = Self::BITS as usize / 8;
    /// The widths of the number of bit planes and of a float's exponent, and the bias of the exponent.
    const COUNT_BITS: u32 = Self::BITS.trailing_zeros();
    const EXPONENT_BITS: u32;
    const EXPONENT_BIAS: i32 = (1 << (Self::EXPONENT_BITS - 1)) - 1;

    /// Converts from base −2, in which low bit planes can be dropped without a bias.
    fn from_negabinary(bits: u64) -> Self;
    /// The reverse.
    fn to_negabinary(self) -> u64;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn doubled(self) -> Self;
    fn halved(self) -> Self;
    /// The bits of the float value · 2^(exponent + 2 − bits).
    fn scaled(self, exponent: i32) -> Self;
    /// The integer of which [`Self::scaled`] makes these bits of a float, towards zero.
    fn quantized(self, exponent: i32) -> Self;
    /// The bits of the float with this rank among all floats, ordered by value; and the rank of the float with these bits.
    fn ranked(self) -> Self;
    /// True if these are the bits of a float that is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// The smallest exponent e such that the float with these bits is less than 2^e, but not less than that of normal
    /// numbers; `None` for zero.
    fn exponent(self) -> Option<i32>;
    /// Reads the value from little-endian bytes.
    fn read(bytes: &[u8]) -> Self;
    /// Writes the value as little-endian bytes.
    fn write(self, out: &mut [u8]);
}

macro_rules! word {
    ($int:ty, $uint:ty, $float:ty, $exponent_bits:expr) => {
        impl Word for $int {
            const BITS: u32 = <$int>::BITS;
            const EXPONENT_BITS: u32 = $exponent_bits;

            #[inline]
            fn from_negabinary(bits: u64) -> Self {
                const MASK: $uint = <$uint>::MAX / 3 * 2;
                ((bits as $uint ^ MASK).wrapping_sub(MASK)) as $int
            }

            #[inline]
            fn to_negabinary(self) -> u64 {
                const MASK: $uint = <$uint>::MAX / 3 * 2;
                ((self as $uint).wrapping_add(MASK) ^ MASK).into()
            }

            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline]
            fn doubled(self) -> Self {
                self.wrapping_shl(1)
            }

            #[inline]
            fn halved(self) -> Self {
                self >> 1
            }

            #[inline]
            fn scaled(self, exponent: i32) -> Self {
                let scale = power_of_two(exponent - (<$int>::BITS as i32 - 2)) as $float;
                (scale * self as $float).to_bits() as $int
            }

            #[inline]
            fn ranked(self) -> Self {
                if self < 0 { self ^ <$int>::MAX } else { self }
            }

            #[inline]
            fn quantized(self, exponent: i32) -> Self {
                // In two steps, because the power alone may be too large. Both are exact.
                let power = <$int>::BITS as i32 - 2 - exponent;
                let value = f64::from(<$float>::from_bits(self as $uint));
                (value * power_of_two(power / 2) * power_of_two(power - power / 2)) as $int
            }

            #[inline]
            fn is_finite(self) -> bool {
                <$float>::from_bits(self as $uint).is_finite()
            }

            #[inline]
            fn exponent(self) -> Option<i32> {
                let magnitude = self & <$int>::MAX;
                let biased = (magnitude >> (<$int>::BITS - 1 - Self::EXPONENT_BITS)) as i32;
                (magnitude != 0).then_some((biased - Self::EXPONENT_BIAS + 1).max(1 - Self::EXPONENT_BIAS))
            }

            #[inline]
            fn read(bytes: &[u8]) -> Self {
                bytes.try_into().map_or(0, <$int>::from_le_bytes)
            }

            #[inline]
            fn write(self, out: &mut [u8]) {
                out.copy_from_slice(&self.to_le_bytes());
            }
        }
    };
}

word!(i32, u32, f32, 8);
word!(i64, u64, f64, 11);

/// 2^exponent, or zero if that is smaller than any number.
fn power_of_two(exponent: i32) -> f64 {
    let half = exponent / 2;
    // In two steps, because the result may be subnormal.
    let power = |exponent: i32| f64::from_bits(((exponent + 1023).clamp(0, 2046) as u64) << 52);
    power(half) * power(exponent - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two() {
        for exponent in -1022..=1023 {
            assert_eq!(power_of_two(exponent), 2f64.powi(exponent), "{exponent}");
        }
        assert_eq!(power_of_two(-1074), f64::from_bits(1));
        assert_eq!(power_of_two(-1080), 0.0);
    }

    #[test]
    fn floats_are_integers_times_a_power() {
        for (value, exponent) in [(1.0f32, 1), (0.75, 0), (-3.0, 2), (f32::MAX, 128)] {
            let bits = value.to_bits() as i32;
            assert_eq!(bits.exponent(), Some(exponent), "{value}");
            assert_eq!(bits.quantized(exponent).scaled(exponent), bits, "{value}");
        }
        assert_eq!(((-0.0f64).to_bits() as i64).exponent(), None);
        assert_eq!((f64::MIN_POSITIVE.to_bits() as i64).exponent(), Some(-1021));
        assert_eq!((f64::from_bits(1).to_bits() as i64).exponent(), Some(-1022));
    }

    #[test]
    fn negabinary() {
        let values = [0b0, 0b1, 0b11, 0b10, 0b110].map(i32::from_negabinary);
        assert_eq!(values, [0, 1, -1, -2, 2]);
        assert_eq!(values.map(Word::to_negabinary), [0b0, 0b1, 0b11, 0b10, 0b110]);
        for value in [i64::MIN, i64::MAX, -1, 77] {
            assert_eq!(i64::from_negabinary(value.to_negabinary()), value);
        }
        assert_eq!(i64::from_negabinary(u64::MAX), -1 - (i64::from_negabinary(0) + 0x5555_5555_5555_5554));
    }
}
