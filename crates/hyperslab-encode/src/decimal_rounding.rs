//! Rounding of floats to decimal places before they are encoded. Rounded values end in zero bits, which compress well, and no
//! reader needs a filter for them: the file does not say that they were rounded.
//!
//! As netCDF4-python's `least_significant_digit` does it, values become multiples of 2⁻ᵇ, where b = ⌈log₂ 10ᵈ⌉ for d decimal
//! places: the largest power of two that is not above 10⁻ᵈ. So no value changes by more than half of 10⁻ᵈ. Ties go to the even
//! multiple. Infinite values and NaN stay as they are, and so do values that stand for missing ones.

use hyperslab::datatypes::{ByteOrder, Class};
use hyperslab::storage::Fill;
use hyperslab::{Dataset, Datatype};
use hyperslab_storage::change::DECIMAL_PLACES_MAX;

/// From 2⁵² on, doubles have no fraction.
const INTEGERS_FROM: f64 = (1u64 << 52) as f64;

/// How a float of 4 or 8 bytes is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    is_single: bool,
    is_big_endian: bool,
}

impl Layout {
    /// `None` for what is not an IEEE float of 4 or 8 bytes.
    fn of(datatype: &Datatype) -> Option<Self> {
        let Class::Float(float) = &datatype.class else { return None };
        let is_known = matches!(datatype.size, 4 | 8) && float.is_ieee(datatype.size);
        let is_big_endian = float.order == ByteOrder::Big;
        is_known.then_some(Self { is_single: datatype.size == 4, is_big_endian })
    }

    /// Between the order of the file and little-endian, either way.
    fn swapped<const N: usize>(self, mut bytes: [u8; N]) -> [u8; N] {
        if self.is_big_endian {
            bytes.reverse();
        }
        bytes
    }

    /// The element nearest to a value.
    fn bytes(self, value: f64) -> Vec<u8> {
        if self.is_single {
            self.swapped((value as f32).to_le_bytes()).to_vec()
        } else {
            self.swapped(value.to_le_bytes()).to_vec()
        }
    }
}

/// The numbers in the elements of an attribute: floats, or integers of at most 8 bytes. None of any other datatype.
fn numbers(datatype: &Datatype, data: &[u8]) -> Vec<f64> {
    let size = datatype.size as usize;
    if let Some(layout) = Layout::of(datatype) {
        let value = |bytes: &[u8]| match *bytes {
            [a, b, c, d] => f32::from_le_bytes(layout.swapped([a, b, c, d])).into(),
            [a, b, c, d, e, f, g, h] => f64::from_le_bytes(layout.swapped([a, b, c, d, e, f, g, h])),
            _ => f64::NAN,
        };
        return data.chunks_exact(size).map(value).collect();
    }
    let Class::Integer(integer) = &datatype.class else { return Vec::new() };
    if !(1..=8).contains(&size) {
        return Vec::new();
    }
    let value = |bytes: &[u8]| {
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(bytes);
        if integer.order == ByteOrder::Big {
            wide[..size].reverse();
        }
        // Sign bits are those above the size.
        let unused = 64 - 8 * size as u32;
        let shifted = u64::from_le_bytes(wide) << unused;
        if integer.signed { ((shifted as i64) >> unused) as f64 } else { (shifted >> unused) as f64 }
    };
    data.chunks_exact(size).map(value).collect()
}

/// Rounds the elements of one dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecimalRounding {
    digits: i32,
    layout: Layout,
    /// Elements that stay as they are: fill values and missing values.
    kept: Vec<Vec<u8>>,
}

impl DecimalRounding {
    fn of(datatype: &Datatype, digits: i32, kept: Vec<Vec<u8>>) -> Option<Self> {
        let layout = Layout::of(datatype)?;
        (digits.abs() <= DECIMAL_PLACES_MAX).then_some(Self { digits, layout, kept })
    }

    /// Rounding of the elements of a dataset to `digits` decimal places, before the decimal point if that is less than 0. What its
    /// fill value and its attributes `_FillValue` and `missing_value` say stands for missing values stays as it is. `None` for
    /// elements that are not IEEE floats of 4 or 8 bytes.
    pub fn of_dataset(dataset: &Dataset, digits: i32) -> Option<Self> {
        let datatype = dataset.datatype();
        let mut kept: Vec<Vec<u8>> = Vec::new();
        if let Fill::User(value) = &dataset.fill_value().value {
            kept.push(value.to_vec());
        }
        for name in ["_FillValue", "missing_value"] {
            let Ok(Some(attribute)) = dataset.attributes().find(name) else { continue };
            // Often of another datatype than the elements: what it is as one of them.
            if let Some(own) = Layout::of(datatype) {
                kept.extend(
                    numbers(&attribute.datatype, &attribute.data).into_iter().map(|one| own.bytes(one)),
                );
            }
        }
        Self::of(datatype, digits, kept)
    }

    /// What is done, in the words of `--filter`.
    pub fn text(&self) -> String {
        format!("round={}", self.digits)
    }

    /// Rounds elements, and returns the largest change of one.
    pub fn apply(&self, elements: &mut [u8]) -> f64 {
        let scale = self.scale();
        let finite_max = if self.layout.is_single { f32::MAX.into() } else { f64::MAX };
        let mut largest = 0.0f64;
        let mut round = |value: f64| {
            let scaled = value * scale;
            // Larger ones, and what is not a number, have no fraction that could be rounded.
            let rounded = if scaled.abs() < INTEGERS_FROM { scaled.round_ties_even() / scale } else { value };
            if rounded.abs() <= finite_max {
                largest = largest.max((rounded - value).abs());
                rounded
            } else {
                value
            }
        };
        if self.layout.is_single {
            self.each(elements, |bytes: [u8; 4]| {
                let value = f32::from_le_bytes(self.layout.swapped(bytes));
                // Exact: a multiple of the scale that a float of 24 bits is nearest to has no more bits.
                self.layout.swapped((round(value.into()) as f32).to_le_bytes())
            });
        } else {
            self.each(elements, |bytes: [u8; 8]| {
                let value = f64::from_le_bytes(self.layout.swapped(bytes));
                self.layout.swapped(round(value).to_le_bytes())
            });
        }
        largest
    }

    fn each<const N: usize>(&self, elements: &mut [u8], mut rounded: impl FnMut([u8; N]) -> [u8; N]) {
        for element in elements.as_chunks_mut::<N>().0 {
            if !self.kept.iter().any(|kept| **kept == *element) {
                *element = rounded(*element);
            }
        }
    }

    /// 2ᵇ
    fn scale(&self) -> f64 {
        let bits = (f64::from(self.digits) * std::f64::consts::LOG2_10).ceil();
        // A power of two within the range of normal numbers, as there are at most 300 digits.
        f64::from_bits(((bits as i64 + 1023) as u64) << 52)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab::datatypes::Float;
    use proptest::prelude::*;

    fn datatype(size: u32, order: ByteOrder) -> Datatype {
        let float = Float::ieee(size, order).unwrap();
        Datatype { size, class: Class::Float(float), committed: None }
    }

    fn singles(digits: i32, values: &[f32], kept: &[f32]) -> (Vec<f32>, f64) {
        let kept = kept.iter().map(|value| value.to_be_bytes().to_vec()).collect();
        let rounding = DecimalRounding::of(&datatype(4, ByteOrder::Big), digits, kept).unwrap();
        let mut bytes: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
        let error = rounding.apply(&mut bytes);
        let values = bytes.chunks_exact(4).map(|bytes| f32::from_be_bytes(bytes.try_into().unwrap()));
        (values.collect(), error)
    }

    #[test]
    fn values_become_multiples_of_a_power_of_two() {
        // Two decimal places need 7 bits: 1/128.
        let (rounded, error) = singles(2, &[273.153, -0.004, 1e20, f32::INFINITY], &[]);
        assert_eq!(rounded, [273.15625, -0.0078125, 1e20, f32::INFINITY]);
        assert!((error - (0.0078125 - 0.004)).abs() < 1e-9, "{error}");
        // A place before the decimal point: multiples of 8.
        assert_eq!(singles(-1, &[12.0, 13.0, 20.0, -3.0], &[]).0, [16.0, 16.0, 16.0, -0.0]);
        assert!(singles(1, &[f32::NAN], &[]).0[0].is_nan());
        // It would become infinite.
        assert_eq!(singles(-38, &[f32::MAX], &[]), (vec![f32::MAX], 0.0));
    }

    #[test]
    fn missing_values_stay() {
        assert_eq!(singles(0, &[-999.9, -998.9], &[-999.9]).0, [-999.9, -999.0]);
    }

    #[test]
    fn only_ieee_floats_are_rounded() {
        let double = datatype(8, ByteOrder::Little);
        assert!(DecimalRounding::of(&double, 2, Vec::new()).is_some());
        assert_eq!(DecimalRounding::of(&double, 301, Vec::new()), None);
        let mut odd = double;
        if let Class::Float(float) = &mut odd.class {
            float.exponent_bias += 1;
        }
        assert_eq!(DecimalRounding::of(&odd, 2, Vec::new()), None);
        assert_eq!(DecimalRounding::of(&datatype(2, ByteOrder::Little), 2, Vec::new()), None);
    }

    proptest! {
        #[test]
        fn no_value_changes_by_more_than_half_a_place(
            value in any::<f64>(), digits in -20i32..20, again in any::<f32>(),
        ) {
            let rounding = DecimalRounding::of(&datatype(8, ByteOrder::Little), digits, Vec::new()).unwrap();
            let mut bytes = value.to_le_bytes();
            let error = rounding.apply(&mut bytes);
            let rounded = f64::from_le_bytes(bytes);
            prop_assert!(error <= 0.5 * 10f64.powi(-digits) && (rounded - value).abs() <= error || value.is_nan());
            prop_assert_eq!(rounding.apply(&mut bytes), 0.0);
            let (single, error) = singles(digits, &[again], &[]);
            let change = (f64::from(single[0]) - f64::from(again)).abs();
            prop_assert!(change <= error && error <= 0.5 * 10f64.powi(-digits) || !again.is_finite());
        }
    }
}
