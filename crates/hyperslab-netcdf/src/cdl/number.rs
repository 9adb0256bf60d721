//! Numbers in CDL: with the suffix of their type, floats with 7 significant digits, doubles with 15.

use crate::attribute::{as_double, as_float};
use crate::types::AtomicType;
use hyperslab_format::message::Datatype;

/// An integer with the suffix of its type.
pub(super) fn integer(kind: AtomicType, value: i128) -> String {
    let suffix = match kind {
        AtomicType::Byte => "b",
        AtomicType::UByte => "UB",
        AtomicType::Short => "s",
        AtomicType::UShort => "US",
        AtomicType::UInt => "U",
        AtomicType::Int64 => "LL",
        AtomicType::UInt64 => "ULL",
        _ => "",
    };
    format!("{value}{suffix}")
}

/// A 32-bit float.
pub(super) fn float(value: f32) -> String {
    format!("{}f", general(f64::from(value), 7))
}

/// A 64-bit float.
pub(super) fn double(value: f64) -> String {
    general(value, 15)
}

/// A floating-point number inside of a compound or a sequence: neither suffix nor decimal point.
pub(super) fn of_element(datatype: &Datatype, element: &[u8]) -> String {
    let text = match AtomicType::of(datatype) {
        Some(AtomicType::Float) => general(f64::from(as_float(datatype, element)), 7),
        _ => general(as_double(datatype, element), 15),
    };
    match text.split_once(".e") {
        Some((mantissa, exponent)) => format!("{mantissa}e{exponent}"),
        None => text.trim_end_matches('.').to_owned(),
    }
}

/// As C's `%.*g`, with a decimal point in any case.
fn general(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..digits as i32).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        return with_point(trimmed(&format!("{value:.decimals$}")));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", with_point(trimmed(mantissa)), exponent.abs())
}

/// Without zeros after the last significant decimal.
fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

fn with_point(number: &str) -> String {
    if number.contains('.') { number.to_owned() } else { format!("{number}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_in_ncdump() {
        assert_eq!(float(9.969_21e36), "9.96921e+36f");
        assert_eq!(float(1.5), "1.5f");
        assert_eq!(float(-1e-12), "-1.e-12f");
        assert_eq!(float(f32::NAN), "NaNf");
        assert_eq!(float(f32::INFINITY), "Infinityf");
        assert_eq!([1.0, 0.1, 1e100, 0.0, 123_456.0].map(double), ["1.", "0.1", "1.e+100", "0.", "123456."]);
        assert_eq!(double(1e15), "1.e+15");
        assert_eq!(double(0.000_1), "0.0001");
        assert_eq!(double(0.000_01), "1.e-05");
        assert_eq!(integer(AtomicType::UInt64, 10), "10ULL");
        assert_eq!(integer(AtomicType::Int, -7), "-7");
    }
}
