//! Times that count from another date than those of the first file, in its units: `[0, 60]` in `minutes since 2001-02-26` is
//! `[1440, 1500]` in `minutes since 2001-02-25`.
//!
//! Such files are usual (a day each, counted from its midnight), and an array of an index has one unit. Times that the units
//! or the type of the first file cannot express are an error.

mod units;

use crate::data_type::DataType;
use crate::model::Array;
use crate::values::Values;
use std::collections::HashSet;
use units::TimeUnits;

/// Attributes that are taken from the first file.
const TAKEN: &[&str] = &["units", "calendar", "_FillValue", "missing_value"];
/// Differences of times up to this many nanoseconds are no differences.
const TOLERANCE: f64 = 1_000.0;

/// Converts the times along a dimension among arrays of a file, with their bounds, which have their units. Returns the paths of
/// what was converted. What cannot be compared is left alone.
///
/// # Errors
/// The path, and what cannot be converted.
pub(crate) fn convert(
    arrays: &mut [Array],
    first: &[&Array],
    dimension: &str,
) -> Result<HashSet<String>, (String, String)> {
    let mut converted = HashSet::new();
    for at in 0..arrays.len() {
        let array = &arrays[at];
        let Some(known) = first.iter().find(|known| known.path == array.path) else { continue };
        let (Some(from), Some(to)) = (units(array), units(known)) else { continue };
        if !array.dimensions.iter().any(|name| name == dimension) || from.calendar != to.calendar {
            continue;
        }
        let bounds = text(array, "bounds").map(|name| match array.path.rsplit_once('/') {
            Some((group, _)) => format!("{group}/{name}"),
            None => name,
        });
        let paths: Vec<String> = [Some(array.path.clone()), bounds].into_iter().flatten().collect();
        let pairs: Vec<(usize, &Array)> = paths
            .iter()
            .filter_map(|path| {
                let own = arrays.iter().position(|array| array.path == *path)?;
                Some((own, *first.iter().find(|known| known.path == *path)?))
            })
            .collect();
        if pairs.iter().all(|&(own, known)| is_same(&arrays[own], known)) {
            continue;
        }
        for (own, known) in pairs {
            let array = &mut arrays[own];
            if !converted.insert(array.path.clone()) {
                continue;
            }
            let values = values(array, known, from, to).map_err(|what| (array.path.clone(), what))?;
            array.values = Values::Known(values.into());
            array.data_type = known.data_type.clone();
            array.attributes.retain(|(name, _)| !TAKEN.contains(&name.as_str()));
            let taken = known.attributes.iter().filter(|(name, _)| TAKEN.contains(&name.as_str()));
            array.attributes.extend(taken.cloned());
        }
    }
    Ok(converted)
}

fn is_same(array: &Array, known: &Array) -> bool {
    array.data_type == known.data_type
        && TAKEN.iter().all(|name| array.attribute(name) == known.attribute(name))
}

/// The units of times that are stored as they are.
fn units(array: &Array) -> Option<TimeUnits> {
    let units = text(array, "units").filter(|_| !is_packed(array))?;
    TimeUnits::parse(&units, text(array, "calendar").as_deref())
}

fn is_packed(array: &Array) -> bool {
    ["scale_factor", "add_offset", "_Unsigned"].iter().any(|name| array.attribute(name).is_some())
}

fn text(array: &Array, name: &str) -> Option<String> {
    serde_json::from_str(array.attribute(name)?).ok()
}

/// A stored number.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Number {
    Integer(i128),
    Float(f64),
}

/// A type of numbers, as NumPy writes it: `<f8`.
#[derive(Clone, Copy)]
struct NumberType {
    is_big_endian: bool,
    kind: char,
    size: usize,
}

impl NumberType {
    fn of(data_type: &DataType) -> Option<Self> {
        let DataType::Simple(name) = data_type else { return None };
        let mut signs = name.chars();
        let (order, kind) = (signs.next()?, signs.next()?);
        let size = signs.as_str().parse().ok()?;
        let is_known = matches!((kind, size), ('i' | 'u', 1 | 2 | 4 | 8) | ('f', 4 | 8));
        is_known.then_some(Self { is_big_endian: order == '>', kind, size })
    }

    fn read(self, element: &[u8]) -> Number {
        let mut bytes = [0; 8];
        for (at, byte) in element.iter().enumerate() {
            bytes[if self.is_big_endian { self.size - 1 - at } else { at }] = *byte;
        }
        let bits = u64::from_le_bytes(bytes);
        let unused = 64 - 8 * self.size as u32;
        match (self.kind, self.size) {
            ('f', 4) => Number::Float(f64::from(f32::from_bits(bits as u32))),
            ('f', _) => Number::Float(f64::from_bits(bits)),
            ('u', _) => Number::Integer(i128::from(bits)),
            _ => Number::Integer(i128::from((bits << unused) as i64 >> unused)),
        }
    }

    /// `None` if the type has no such number. Floats are rounded.
    fn write(self, number: Number, out: &mut Vec<u8>) -> Option<()> {
        let bits = match (self.kind, self.size, number) {
            ('f', 4, Number::Float(number)) => u64::from((number as f32).to_bits()),
            ('f', 8, Number::Float(number)) => number.to_bits(),
            ('u', size, Number::Integer(number)) => {
                u64::try_from(number).ok().filter(|&bits| bits <= u64::MAX >> (64 - 8 * size))?
            }
            ('i', size, Number::Integer(number)) => {
                let most = i128::from(i64::MAX >> (64 - 8 * size));
                (-most - 1..=most).contains(&number).then_some(number as u64)?
            }
            _ => return None,
        };
        let bytes = &bits.to_le_bytes()[..self.size];
        match self.is_big_endian {
            true => out.extend(bytes.iter().rev()),
            false => out.extend(bytes),
        }
        Some(())
    }
}

/// The values of an array as those of the first file.
fn values(array: &Array, known: &Array, from: TimeUnits, to: TimeUnits) -> Result<Vec<u8>, String> {
    let (Some(own), Some(wanted)) = (NumberType::of(&array.data_type), NumberType::of(&known.data_type))
    else {
        return Err("it has the units of a time, but is not of numbers".into());
    };
    if is_packed(array) || is_packed(known) {
        return Err("its units differ, and it is packed".into());
    }
    let Values::Known(stored) = &array.values else {
        return Err(
            "its units differ from those of the first file, and it is too large to be converted".into()
        );
    };
    let marks: Vec<Number> =
        ["_FillValue", "missing_value"].iter().filter_map(|name| mark(array, name)).collect();
    let known_mark = mark(known, "_FillValue").or_else(|| mark(known, "missing_value"));
    let mut converted = Vec::with_capacity(stored.len() / own.size * wanted.size);
    for element in stored.chunks_exact(own.size) {
        let number = own.read(element);
        let is_nan = matches!(number, Number::Float(number) if number.is_nan());
        let new = match known_mark {
            _ if is_nan && wanted.kind == 'f' => Some(number),
            _ if is_nan || marks.contains(&number) => known_mark,
            _ => converted_number(number, from, to, wanted),
        };
        let shown = || match number {
            Number::Integer(number) => number.to_string(),
            Number::Float(number) => number.to_string(),
        };
        let written = new.and_then(|new| wanted.write(new, &mut converted));
        written.ok_or_else(|| {
            let there = (text(known, "units").unwrap_or_default(), known.data_type.json());
            format!(
                "the time {} cannot be expressed as in the first file ({:?}, {})",
                shown(),
                there.0,
                there.1
            )
        })?;
    }
    Ok(converted)
}

/// A number that marks missing values.
fn mark(array: &Array, attribute: &str) -> Option<Number> {
    let text = array.attribute(attribute)?;
    text.parse().map(Number::Integer).or_else(|_| text.parse().map(Number::Float)).ok().map(|number| {
        match (number, NumberType::of(&array.data_type)) {
            (Number::Integer(integer), Some(NumberType { kind: 'f', .. })) => Number::Float(integer as f64),
            (number, _) => number,
        }
    })
}

fn converted_number(number: Number, from: TimeUnits, to: TimeUnits, wanted: NumberType) -> Option<Number> {
    let shift = from.origin - to.origin;
    // A float is as exact as its last bit.
    let (nanoseconds, tolerance) = match number {
        Number::Integer(number) => (number.checked_mul(from.nanoseconds)?.checked_add(shift)?, 0.0),
        Number::Float(number) => {
            const NANOSECONDS_MAX: f64 = 1e30;
            let product = number * from.nanoseconds as f64;
            let known = (product.abs() < NANOSECONDS_MAX).then_some(product.round() as i128)?;
            (known + shift, product.abs() * f64::EPSILON)
        }
    };
    let (whole, rest) = (nanoseconds.div_euclid(to.nanoseconds), nanoseconds.rem_euclid(to.nanoseconds));
    if wanted.kind != 'f' {
        let (nearest, distance) = match 2 * rest < to.nanoseconds {
            true => (whole, rest),
            false => (whole + 1, to.nanoseconds - rest),
        };
        return (distance as f64 <= tolerance).then_some(Number::Integer(nearest));
    }
    let exact = whole as f64 + rest as f64 / to.nanoseconds as f64;
    let stored = if wanted.size == 4 { f64::from(exact as f32) } else { exact };
    let is_close = (stored - exact).abs() * to.nanoseconds as f64 <= tolerance + TOLERANCE;
    is_close.then_some(Number::Float(stored))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number_type(name: &str) -> NumberType {
        NumberType::of(&DataType::Simple(name.into())).unwrap()
    }

    #[test]
    fn numbers_are_converted_exactly_or_not_at_all() {
        let units = |text| TimeUnits::parse(text, None).unwrap();
        let (minutes, days) = (units("minutes since 2001-02-26"), units("days since 2001-02-25"));
        let convert = |number, name| converted_number(number, minutes, days, number_type(name));
        assert_eq!(convert(Number::Integer(1440), "<i4"), Some(Number::Integer(2)));
        assert_eq!(convert(Number::Integer(60), "<i4"), None, "an hour is not a whole day");
        assert_eq!(convert(Number::Integer(720), "<f8"), Some(Number::Float(1.5)));
        assert_eq!(convert(Number::Float(-720.0), "<f4"), Some(Number::Float(0.5)));
        assert_eq!(convert(Number::Integer(1), "<f4"), None, "a float of 4 bytes has 16 ms of a day");
        assert_eq!(convert(Number::Float(9.97e36), "<f8"), None);
        let tenths =
            converted_number(Number::Float(0.1), days, units("seconds since 2001-02-25"), number_type("<i8"));
        assert_eq!(tenths, Some(Number::Integer(8640)));
    }

    #[test]
    fn numbers_are_read_and_written_in_either_order() {
        for name in ["<i1", ">i2", "<i4", ">i8", "|u1", ">u2", "<u8"] {
            let own = number_type(name);
            let most = if own.kind == 'u' {
                u64::MAX >> (64 - 8 * own.size)
            } else {
                i64::MAX as u64 >> (64 - 8 * own.size)
            };
            let mut numbers = vec![0, 1, i128::from(most)];
            if own.kind == 'i' {
                numbers.extend([-1, -i128::from(most) - 1]);
            }
            for number in numbers.into_iter().map(Number::Integer) {
                let mut bytes = Vec::new();
                own.write(number, &mut bytes).unwrap();
                assert_eq!((bytes.len(), own.read(&bytes)), (own.size, number), "{name}");
            }
            assert!(own.write(Number::Integer(i128::from(most) + 1), &mut Vec::new()).is_none(), "{name}");
        }
        for name in ["<f4", ">f8"] {
            let mut bytes = Vec::new();
            number_type(name).write(Number::Float(-1.5), &mut bytes).unwrap();
            assert_eq!(number_type(name).read(&bytes), Number::Float(-1.5));
        }
    }
}
