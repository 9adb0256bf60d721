//! Attributes as JSON text.
//!
//! Floating-point numbers are written with all digits of the double that equals them, so that a reader that knows the type
//! of the variable gets the same bits. NaN and infinities are written as Python's `json` writes them.

use hyperslab::Heap;
use hyperslab_netcdf::Omitted;
use hyperslab_netcdf::{Attribute, Values};
use serde_json::Value;

/// Names and values of attributes. Those without a form in JSON are added to `omitted`.
pub(crate) fn attributes(
    attributes: &[Attribute],
    heap: &mut Heap,
    path: &str,
    omitted: &mut Vec<Omitted>,
) -> Vec<(String, String)> {
    let mut found = Vec::with_capacity(attributes.len());
    for attribute in attributes {
        match value(attribute, heap) {
            Ok(value) => found.push((attribute.name.clone(), value)),
            Err(reason) => {
                omitted.push(Omitted { path: format!("{path}, attribute {:?}", attribute.name), reason });
            }
        }
    }
    found
}

fn value(attribute: &Attribute, heap: &mut Heap) -> Result<String, String> {
    let values = attribute.values(heap).map_err(|error| error.to_string())?;
    Ok(match values {
        Values::Char(text) => quoted(trimmed(&text)),
        Values::String(texts) => list(texts.iter().map(|text| quoted(text))),
        Values::Integer(_, numbers) => list(numbers.iter().map(ToString::to_string)),
        Values::Float(numbers) => list(numbers.iter().map(|&number| float(f64::from(number)))),
        Values::Double(numbers) => list(numbers.iter().map(|&number| float(number))),
        Values::Elements(_) => return Err("its datatype has no form in JSON".into()),
    })
}

fn list(values: impl ExactSizeIterator<Item = String>) -> String {
    let single = values.len() == 1;
    let values: Vec<String> = values.collect();
    if single { values.concat() } else { format!("[{}]", values.join(",")) }
}

fn float(number: f64) -> String {
    match number {
        number if number.is_nan() => "NaN".into(),
        number if number.is_infinite() => if number > 0.0 { "Infinity" } else { "-Infinity" }.into(),
        number => format!("{number:?}"),
    }
}

/// Text as a JSON string; bytes that are not UTF-8 are replaced.
pub(crate) fn quoted(text: &[u8]) -> String {
    Value::from(String::from_utf8_lossy(text)).to_string()
}

fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    &text[..end]
}
