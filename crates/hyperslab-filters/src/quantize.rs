//! Filters 32022 and 32023, "BitGroom" and "Granular BitRound": round floats to a number of significant decimal digits, so
//! that they compress better. Nothing needs to be decoded.
//!
//! Parameters: digits (1 to 15), bytes of a value (4 or 8), 1 if there is a fill value, and its bits, the low ones first.
//!
//! *BitGroom* keeps ⌈digits · log₂ 10⌉ + 1 bits of each significand. It clears the others of values at even places, and sets
//! those of values at odd places, so that means are kept. *Granular BitRound* keeps as many bits as the digits of each value
//! need, and rounds to the nearest (R. Kouznetsov, doi:10.5194/gmd-14-377-2021; E. Hartnett and C. Zender, 2022). Both as the
//! filters of the Community Codec Repository and netCDF-C do it, except that infinite values, NaN and subnormal numbers stay
//! as they are, and so do values that would become infinite.

use crate::FilterError;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Growth, Setup, Stage};
use hyperslab_storage::filter::number::BIT_GROOM;
use std::ops::Range;
use std::sync::LazyLock;

const DIGITS_MAX: u32 = 15;
/// The explicit bits of the significand of a float.
const SINGLE_BITS: u32 = 23;
const DOUBLE_BITS: u32 = 52;

struct Quantize {
    name: &'static str,
    grooms: bool,
    parameters: Box<[u32]>,
}

/// How values are rounded.
#[derive(Debug, Clone, Copy)]
struct Rounding {
    grooms: bool,
    digits: u32,
    /// The bits of the fill value, which stays as it is.
    fill: Option<u64>,
    is_single: bool,
}

/// The first parameter is the number of significant digits that were kept.
pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    let grooms = setup.id == BIT_GROOM;
    let name = if grooms { "bitgroom" } else { "granular bitround" };
    Ok(Box::new(Quantize { name, grooms, parameters: setup.parameters.into() }))
}

impl Stage for Quantize {
    fn name(&self) -> &'static str {
        self.name
    }

    fn describe(&self) -> String {
        self.parameters
            .first()
            .map_or_else(|| self.name.to_string(), |digits| format!("{} {digits}", self.name))
    }

    fn growth(&self) -> Growth {
        Growth::Same
    }

    fn view(&self, stored: &[u8]) -> Result<Option<Range<usize>>, FilterError> {
        Ok(Some(0..stored.len()))
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, _: &mut CodecState) -> Result<usize, FilterError> {
        let &[digits @ 1..=DIGITS_MAX, size @ (4 | 8), ref rest @ ..] = &*self.parameters else {
            let what =
                format!("1 to {DIGITS_MAX} digits, and values of 4 or 8 bytes, not {:?}", self.parameters);
            return Err(FilterError::parameters(self.name, what));
        };
        let fill = match *rest {
            [has_fill, low, high, ..] if has_fill != 0 => Some(u64::from(low) | u64::from(high) << 32),
            _ => None,
        };
        let rounding = Rounding { grooms: self.grooms, digits, fill, is_single: size == 4 };
        let out = out.room(raw.len())?;
        out.copy_from_slice(raw);
        for (place, value) in out.chunks_exact_mut(size as usize).enumerate() {
            let mut bits = [0; 8];
            bits[..value.len()].copy_from_slice(value);
            let rounded = rounding.rounded(u64::from_le_bytes(bits), place % 2 == 1);
            value.copy_from_slice(&rounded.to_le_bytes()[..value.len()]);
        }
        Ok(raw.len())
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let out = out.get_mut(..stored.len()).ok_or(FilterError::TooLong { filter: self.name, max })?;
        out.copy_from_slice(stored);
        Ok(stored.len())
    }
}

impl Rounding {
    /// The bits of the rounded value, of the bits of a value at an even or odd place.
    fn rounded(&self, bits: u64, is_odd: bool) -> u64 {
        let value = self.value(bits);
        let is_normal =
            if self.is_single { f32::from_bits(bits as u32).is_normal() } else { value.is_normal() };
        if !is_normal || self.fill.is_some_and(|fill| self.value(fill) == value) {
            return bits;
        }
        let explicit = if self.is_single { SINGLE_BITS } else { DOUBLE_BITS };
        let kept = if self.grooms { self.groomed_bits() } else { self.rounded_bits(value) };
        let dropped = explicit.saturating_sub(kept);
        let low = (1 << dropped) - 1;
        if self.grooms {
            return if is_odd { bits | low } else { bits & !low };
        }
        // Half a unit, whose carry goes into the exponent, as it should.
        let rounded = (bits + low.div_ceil(2)) & !low;
        if dropped > 0 && self.value(rounded).is_finite() { rounded } else { bits }
    }

    fn value(&self, bits: u64) -> f64 {
        if self.is_single { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) }
    }

    /// The explicit bits of a significand that BitGroom keeps.
    fn groomed_bits(&self) -> u32 {
        (f64::from(self.digits) * std::f64::consts::LOG2_10).ceil() as u32 + 1
    }

    /// The explicit bits of its significand that Granular BitRound keeps of a number.
    fn rounded_bits(&self, value: f64) -> u32 {
        // The power of two that the decimal digits need.
        let digits = integer_digits(value.abs()) - self.digits as i32;
        let unit = (f64::from(digits) * std::f64::consts::LOG2_10).floor() as i32;
        exponent(value).abs_diff(unit).saturating_sub(1)
    }
}

/// ⌊log₁₀ value⌋ + 1, by comparisons alone: logarithms differ between systems.
fn integer_digits(value: f64) -> i32 {
    const SMALLEST: i32 = -308;
    static POWERS: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let power = |exponent| format!("1e{exponent}").parse().unwrap_or(f64::INFINITY);
        (SMALLEST..=-SMALLEST).map(power).collect()
    });
    POWERS.partition_point(|power| *power <= value) as i32 + SMALLEST
}

/// The smallest e such that the magnitude of a normal number is less than 2^e.
fn exponent(value: f64) -> i32 {
    let bits = value.to_bits() & (u64::MAX >> 1);
    let is_power = bits & ((1 << DOUBLE_BITS) - 1) == 0;
    // The bias is 1023. A power of two is less than the next one.
    (bits >> DOUBLE_BITS) as i32 - 1022 + i32::from(is_power)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRANULAR: u16 = 32023;

    fn encoded(id: u16, parameters: &[u32], values: &[f32]) -> Vec<f32> {
        let stage = make(Setup { id, parameters }).unwrap();
        let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let stored = crate::stage::encoded(&*stage, &raw, &mut CodecState::default()).unwrap();
        stored.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    }

    #[test]
    fn nothing_is_decoded() {
        let stage = make(Setup { id: GRANULAR, parameters: &[3, 4, 0, 0, 0] }).unwrap();
        assert_eq!(stage.describe(), "granular bitround 3");
        assert_eq!(stage.view(&[1, 2, 3]).unwrap(), Some(0..3));
        assert!(stage.decode(&[1, 2, 3], &mut [0; 2], &mut CodecState::default()).is_err());
    }

    #[test]
    fn digits_of_integer_parts() {
        for (value, digits) in
            [(1.0, 1), (9.99, 1), (10.0, 2), (0.1, 0), (0.0999, -1), (1e300, 301), (1e-308, -307)]
        {
            assert_eq!(integer_digits(value), digits, "{value}");
        }
        assert_eq!([0.75, 1.0, -1.5, 2.0].map(exponent), [0, 2, 1, 3]);
    }

    #[test]
    fn values_keep_their_digits() {
        let values = [std::f32::consts::PI, -2.718_281_7, 1e-20, 6.022_14e23, 273.15, 0.1];
        for id in [BIT_GROOM, GRANULAR] {
            for digits in 1..=6 {
                let rounded = encoded(id, &[digits, 4, 0, 0, 0], &values);
                for (value, rounded) in values.iter().zip(&rounded) {
                    let unit = 10f64.powi(f64::from(value.abs()).log10().floor() as i32 + 1 - digits as i32);
                    let error = (f64::from(*value) - f64::from(*rounded)).abs();
                    assert!(error <= unit / 2.0, "{id} {digits} {value} {rounded}");
                }
            }
        }
        assert_ne!(encoded(GRANULAR, &[3, 4], &values), values);
    }

    #[test]
    fn some_values_stay_as_they_are() {
        let values = [0.0, -0.0, f32::NAN, f32::INFINITY, -f32::INFINITY, 1e-40, f32::MAX, 9.969_21e36];
        let fill = 9.969_21e36f32.to_bits();
        for id in [BIT_GROOM, GRANULAR] {
            let found = encoded(id, &[1, 4, 1, fill, 0], &values);
            let same = |i: usize| found[i].to_bits() == values[i].to_bits();
            assert!([0, 1, 2, 3, 4, 5, 7].into_iter().all(same) && found[6].is_finite(), "{id} {found:?}");
        }
    }

    #[test]
    fn parameters_that_cannot_be() {
        for parameters in [&[][..], &[3], &[0, 4], &[16, 4], &[3, 2]] {
            let stage = make(Setup { id: BIT_GROOM, parameters }).unwrap();
            let failed = crate::stage::encoded(&*stage, &[0; 8], &mut CodecState::default());
            assert!(matches!(failed, Err(FilterError::Parameters { .. })), "{parameters:?}");
        }
    }
}
