//! JSON as written by Python's `json.dumps(value, sort_keys=True, separators=(',', ':'))`: ASCII only, sorted keys.
//!
//! Names in a file are bytes. Bytes that are not UTF-8 become one lone surrogate each (`\udc80` to `\udcff`), as in
//! Python's `surrogateescape`, so that no name is lost and different names stay different.

use std::collections::BTreeMap;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A floating point number; NaN and infinity are written as `null`.
    Float(f64),
    /// Text, usually UTF-8.
    Text(Vec<u8>),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(Object),
    /// A value that was written as JSON already.
    Serialized(String),
}

/// The members of an object, sorted.
pub type Object = BTreeMap<&'static str, Json>;

impl Json {
    /// A list of these items.
    pub fn list<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }

    /// Text that every JSON reader accepts: bytes that are not UTF-8 become replacement characters.
    pub fn lossy(bytes: &[u8]) -> Self {
        String::from_utf8_lossy(bytes).into_owned().into()
    }

    /// Appends the JSON text of the value.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => out.push_str(&value.to_string()),
            Self::Float(value) if value.is_finite() => out.push_str(&format!("{value:?}")),
            Self::Float(_) => out.push_str("null"),
            Self::Text(bytes) => write_text(bytes, out),
            Self::List(items) => {
                let mut separator = '[';
                for item in items {
                    out.push(separator);
                    item.write(out);
                    separator = ',';
                }
                out.push_str(if items.is_empty() { "[]" } else { "]" });
            }
            Self::Object(members) => write_object(members, out),
            Self::Serialized(text) => out.push_str(text),
        }
    }
}

/// Appends the JSON text of an object.
pub fn write_object(members: &Object, out: &mut String) {
    let mut separator = '{';
    for (key, value) in members {
        out.push(separator);
        write_text(key.as_bytes(), out);
        out.push(':');
        value.write(out);
        separator = ',';
    }
    out.push_str(if members.is_empty() { "{}" } else { "}" });
}

/// Appends a quoted and escaped string.
pub fn write_text(bytes: &[u8], out: &mut String) {
    out.push('"');
    for part in bytes.utf8_chunks() {
        part.valid().chars().for_each(|c| write_char(c, out));
        part.invalid().iter().for_each(|&byte| write_unit(0xdc00 + u16::from(byte), out));
    }
    out.push('"');
}

fn write_char(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        ' '..='~' => out.push(c),
        _ => c.encode_utf16(&mut [0; 2]).iter().for_each(|&unit| write_unit(unit, out)),
    }
}

fn write_unit(unit: u16, out: &mut String) {
    out.push_str("\\u");
    push_hex(&unit.to_be_bytes(), out);
}

/// Appends bytes as lower-case hexadecimal digits.
pub fn push_hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)].into());
        out.push(DIGITS[usize::from(byte & 15)].into());
    }
}

macro_rules! from_integers {
    ($($type:ty),*) => {$(
        impl From<$type> for Json {
            fn from(value: $type) -> Self {
                Self::Int(value as i128)
            }
        }
    )*};
}

from_integers!(u8, u16, u32, u64, usize, i32, i64, i128);

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.as_bytes().to_vec())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text.into_bytes())
    }
}

impl From<&hyperslab_format::Name> for Json {
    fn from(name: &hyperslab_format::Name) -> Self {
        Self::Text(name.as_bytes().to_vec())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Object> for Json {
    fn from(members: Object) -> Self {
        Self::Object(members)
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &Json) -> String {
        let mut out = String::new();
        json.write(&mut out);
        out
    }

    #[test]
    fn escapes_as_python_does() {
        let cases: [(&[u8], &str); 6] = [
            (b"a \"b\" \\ /", r#""a \"b\" \\ /""#),
            (b"\n\r\t\x08\x0c\x00\x1f\x7f", r#""\n\r\t\b\f\u0000\u001f\u007f""#),
            ("grün".as_bytes(), r#""gr\u00fcn""#),
            ("\u{1f30d}".as_bytes(), r#""\ud83c\udf0d""#),
            (b"a\xe9b\xff", r#""a\udce9b\udcff""#),
            (b"\xe2\x82.", r#""\udce2\udc82.""#),
        ];
        for (bytes, expected) in cases {
            assert_eq!(text(&Json::Text(bytes.to_vec())), expected);
        }
    }

    #[test]
    fn keys_are_sorted_and_nothing_is_padded() {
        let object = Object::from([
            ("b", Json::list([1u8, 2])),
            ("a", Json::Null),
            ("c", Json::Object(Object::new())),
            ("d", Json::List(Vec::new())),
            ("e", Json::Float(1.5)),
            ("f", Json::Float(f64::NAN)),
        ]);
        assert_eq!(text(&object.into()), r#"{"a":null,"b":[1,2],"c":{},"d":[],"e":1.5,"f":null}"#);
    }
}
