//! Types and values in DAP4's words.

use crate::data_type::fill_json;
use hyperslab::Datatype;
use hyperslab::datatypes::{ByteOrder, Class};
use hyperslab::number::{NativeFloat, is_native_integer, is_whole};
use hyperslab_netcdf::{AtomicType, Values};

/// The type in DAP4, and the byte order of a number.
pub(super) fn dap_type(datatype: &Datatype) -> Option<(&'static str, Option<&'static str>)> {
    let order = |order| match order {
        ByteOrder::Little => Some("LE"),
        ByteOrder::Big => Some("BE"),
        ByteOrder::Vax => None,
    };
    match &datatype.class {
        Class::Integer(integer) => {
            if !is_native_integer(datatype.size) || !is_whole(integer, datatype.size) {
                return None;
            }
            let name = match (datatype.size, integer.signed) {
                (1, true) => "Int8",
                (1, false) => "UInt8",
                (2, true) => "Int16",
                (2, false) => "UInt16",
                (4, true) => "Int32",
                (4, false) => "UInt32",
                (_, true) => "Int64",
                (_, false) => "UInt64",
            };
            Some((name, Some(order(integer.order)?)))
        }
        Class::Float(float) => {
            let name = match NativeFloat::of(float, datatype.size)? {
                NativeFloat::Single if NativeFloat::Single.is(float, datatype.size) => "Float32",
                NativeFloat::Double if NativeFloat::Double.is(float, datatype.size) => "Float64",
                _ => return None,
            };
            Some((name, Some(order(float.order)?)))
        }
        // Without its name, an enumeration is the integers that it is stored as.
        Class::Enum { base, .. } => dap_type(base),
        Class::FixedString { .. } | Class::VlenString { .. } => Some(("String", None)),
        _ => None,
    }
}

/// The type of an attribute in DAP4, and its values as text. An enumeration is the integers that it is stored as.
pub(super) fn texts(values: Values, datatype: &Datatype) -> Result<(&'static str, Vec<String>), String> {
    let lossy = |text: &[u8]| String::from_utf8_lossy(text).trim_end_matches('\0').to_owned();
    Ok(match values {
        Values::Char(text) => ("String", vec![lossy(&text)]),
        Values::String(texts) => ("String", texts.iter().map(|text| lossy(text)).collect()),
        Values::Integer(atomic, numbers) => {
            let name = match atomic {
                AtomicType::Byte => "Int8",
                AtomicType::UByte => "UInt8",
                AtomicType::Short => "Int16",
                AtomicType::UShort => "UInt16",
                AtomicType::Int => "Int32",
                AtomicType::UInt => "UInt32",
                AtomicType::UInt64 => "UInt64",
                _ => "Int64",
            };
            (name, numbers.iter().map(ToString::to_string).collect())
        }
        Values::Float(numbers) => {
            ("Float32", numbers.iter().map(|number| float(&format!("{number:?}"))).collect())
        }
        Values::Double(numbers) => {
            ("Float64", numbers.iter().map(|number| float(&format!("{number:?}"))).collect())
        }
        Values::Elements(elements) => {
            let base = match &datatype.class {
                Class::Enum { base, .. } => Some(base),
                _ => None,
            };
            let written = base.and_then(|base| {
                let numbers = elements.iter().map(|element| fill_json(base, element));
                Some((dap_type(base)?.0, numbers.collect::<Option<_>>()?))
            });
            written.ok_or("its datatype has no form in DMR++")?
        }
    })
}

/// A floating-point number as C++ prints it, but with all of its digits. `shortest` has the fewest digits that identify it.
pub(super) fn float(shortest: &str) -> String {
    let text = shortest.strip_suffix(".0").unwrap_or(shortest).to_lowercase();
    // The exponent of C has a sign and at least two digits.
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) =
                exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
            let digits = digits.strip_suffix(".0").unwrap_or(digits);
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

pub(super) fn joined(numbers: &[u64], between: &str) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

/// Text as the value of an attribute or an element. Characters that XML does not have are replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' | '\r' => escaped.push_str(&format!("&#{};", u32::from(character))),
            character if character.is_control() => escaped.push('\u{fffd}'),
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_c() {
        let cases =
            [(-1.0, "-1"), (0.5, "0.5"), (9.969_21e36, "9.96921e+36"), (1e-7, "1e-07"), (f64::NAN, "nan")];
        for (number, text) in cases {
            assert_eq!(float(&format!("{number:?}")), text);
        }
    }

    #[test]
    fn text_keeps_its_characters() {
        assert_eq!(escaped("a<b> \"c\" & d\n\u{1}"), "a&lt;b&gt; &quot;c&quot; &amp; d&#10;\u{fffd}");
    }
}
