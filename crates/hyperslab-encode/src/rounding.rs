//! How far values are from what they were, after a filter that rounds.

use hyperslab::Datatype;
use hyperslab::datatypes::{Class, Float, Integer};
use hyperslab::number::{NativeFloat, integer_value, native_float};

/// Compares elements as numbers.
#[derive(Debug, Clone)]
pub struct Rounding {
    size: usize,
    number: Number,
}

#[derive(Debug, Clone)]
enum Number {
    Float(Float),
    Integer(Integer),
}

impl Rounding {
    /// For numbers of at most 8 bytes; `None` for other datatypes.
    pub fn of(datatype: &Datatype) -> Option<Self> {
        let number = match &datatype.class {
            Class::Float(float) if NativeFloat::of(float, datatype.size).is_some() => {
                Number::Float(float.clone())
            }
            Class::Integer(integer) => Number::Integer(integer.clone()),
            _ => return None,
        };
        (1..=8).contains(&datatype.size).then_some(Self { size: datatype.size as usize, number })
    }

    /// The largest difference between elements. Infinite if only one of both is NaN or infinite.
    pub fn error_max(&self, before: &[u8], after: &[u8]) -> f64 {
        let pairs = before.chunks_exact(self.size).zip(after.chunks_exact(self.size));
        pairs.filter(|(a, b)| a != b).map(|(a, b)| self.difference(a, b)).fold(0.0, f64::max)
    }

    fn difference(&self, a: &[u8], b: &[u8]) -> f64 {
        match &self.number {
            Number::Integer(integer) => {
                (integer_value(integer, a) - integer_value(integer, b)).unsigned_abs() as f64
            }
            Number::Float(float) => {
                let value = |element| {
                    let native = native_float(float, element, NativeFloat::Double);
                    f64::from_le_bytes(native.as_slice().try_into().unwrap_or_default())
                };
                let (a, b) = (value(a), value(b));
                if a == b || (a.is_nan() && b.is_nan()) {
                    0.0
                } else if a.is_finite() && b.is_finite() {
                    (a - b).abs()
                } else {
                    f64::INFINITY
                }
            }
        }
    }
}
