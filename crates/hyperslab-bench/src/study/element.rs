//! The element types that a bench writes and reads, written as NumPy writes them; records as `{a:<f4,b:<i2}`.

use super::record::Record;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A type of numbers, of byte strings, or of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Element {
    /// What its bits mean.
    pub kind: Kind,
    /// Bytes of one element in the file.
    pub bytes: u32,
    /// Byte order in the file; in memory it is always the machine's own.
    pub is_big_endian: bool,
}

/// What the bits of an element mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `i`
    Signed,
    /// `u`
    Unsigned,
    /// `f`
    Float,
    /// `S`: a string of fixed length.
    Text,
    /// Fields of these.
    Record(&'static Record),
}

/// Longest string that is written.
const TEXT_BYTES_MAX: u32 = 1 << 16;

impl FromStr for Element {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains('{') {
            let record = Record::parse(text)?;
            let bytes = u32::try_from(record.stored().bytes)
                .map_err(|_| format!("{text:?} is larger than any record"))?;
            return Ok(Self { kind: Kind::Record(record), bytes, is_big_endian: false });
        }
        let fail = || {
            format!(
                "there is no element type {text:?}; write a byte order (<, >), a kind (i, u, f, S) and bytes: <f4, >i2, u1, S16; or \
                 records of them: {{a:<f4,b:<i2,c:<f4[3],d:S1}}"
            )
        };
        let (is_big_endian, rest) = match text.strip_prefix('>') {
            Some(rest) => (true, rest),
            None => (
                cfg!(target_endian = "big") && !text.starts_with('<'),
                text.trim_start_matches(['<', '|', '=']),
            ),
        };
        let mut letters = rest.chars();
        let kind = match letters.next() {
            Some('i') => Kind::Signed,
            Some('u') => Kind::Unsigned,
            Some('f') => Kind::Float,
            Some('S') => Kind::Text,
            _ => return Err(fail()),
        };
        let bytes: u32 = letters.as_str().parse().map_err(|_| fail())?;
        let known = match kind {
            Kind::Signed | Kind::Unsigned => matches!(bytes, 1 | 2 | 4 | 8),
            Kind::Float => matches!(bytes, 4 | 8),
            Kind::Text => (1..=TEXT_BYTES_MAX).contains(&bytes),
            Kind::Record(_) => false,
        };
        let has_order = bytes > 1 && kind != Kind::Text;
        known.then_some(Self { kind, bytes, is_big_endian: is_big_endian && has_order }).ok_or_else(fail)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match (self.kind, self.bytes, self.is_big_endian) {
            (Kind::Text, ..) | (_, 1, _) => "|",
            (.., true) => ">",
            (.., false) => "<",
        };
        let kind = match self.kind {
            Kind::Signed => 'i',
            Kind::Unsigned => 'u',
            Kind::Float => 'f',
            Kind::Text => 'S',
            Kind::Record(record) => return record.fmt(f),
        };
        write!(f, "{order}{kind}{}", self.bytes)
    }
}

impl Element {
    /// True where the bytes of an element in the file are not those in memory.
    pub fn is_swapped(&self) -> bool {
        let is_number = !matches!(self.kind, Kind::Text | Kind::Record(_));
        self.is_big_endian != cfg!(target_endian = "big") && self.bytes > 1 && is_number
    }

    /// Bytes that belong together when the order of bytes changes: those of a number, one of a text.
    pub fn unit(&self) -> usize {
        match self.kind {
            Kind::Signed | Kind::Unsigned | Kind::Float => self.bytes as usize,
            Kind::Text | Kind::Record(_) => 1,
        }
    }

    /// The element that is nearest to a number, in the machine's byte order. A string has it as text, a record in no
    /// field.
    pub fn bytes_of(&self, number: f64) -> Vec<u8> {
        let size = self.bytes as usize;
        // Conversions saturate, and so does an integer that is cut off below.
        let integer = |low: i128, high: i128| (number as i128).clamp(low, high);
        let (bits, width) = match self.kind {
            Kind::Float if size == 4 => return (number as f32).to_ne_bytes().to_vec(),
            Kind::Float => return number.to_ne_bytes().to_vec(),
            Kind::Text => {
                let mut text = number.to_string().into_bytes();
                text.resize(size, 0);
                return text;
            }
            Kind::Record(_) => return vec![0; size],
            Kind::Signed => (integer(-(1 << (8 * size - 1)), (1 << (8 * size - 1)) - 1), size),
            Kind::Unsigned => (integer(0, (1 << (8 * size)) - 1), size),
        };
        let bytes = bits.to_ne_bytes();
        if cfg!(target_endian = "big") {
            bytes[bytes.len() - width..].to_vec()
        } else {
            bytes[..width].to_vec()
        }
    }
}

impl Serialize for Element {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_written_as_numpy_does() {
        for (text, written) in [
            (">f4", ">f4"),
            ("<i2", "<i2"),
            ("u1", "|u1"),
            ("f8", "<f8"),
            (">u1", "|u1"),
            ("S16", "|S16"),
            ("{a:u1,b:>f4[2]}", "{a:|u1,b:>f4[2]}"),
        ] {
            assert_eq!(text.parse::<Element>().unwrap().to_string(), written);
        }
        for text in ["", "f", "f2", "i3", "x4", "S0", "S99999999", "f-4"] {
            assert!(text.parse::<Element>().unwrap_err().contains("no element type"), "{text}");
        }
    }

    #[test]
    fn numbers_become_elements() {
        let bytes = |text: &str, number| text.parse::<Element>().unwrap().bytes_of(number);
        assert_eq!(bytes(">i2", -3.7), (-3i16).to_ne_bytes());
        assert_eq!(bytes("u1", 300.0), [255]);
        assert_eq!(bytes("<i8", 1e30), i64::MAX.to_ne_bytes());
        assert_eq!(bytes("<u8", -1.0), 0u64.to_ne_bytes());
        assert_eq!(bytes("<f4", 1.5), 1.5f32.to_ne_bytes());
        assert_eq!(bytes("S4", 12.0), *b"12\0\0");
    }

    #[test]
    fn only_foreign_numbers_of_several_bytes_are_swapped() {
        let swapped = |text: &str| text.parse::<Element>().unwrap().is_swapped();
        assert_eq!(swapped(">f4"), cfg!(target_endian = "little"));
        assert!(!swapped("u1") && !swapped("S4") && !swapped(">u1"));
    }
}
