//! The element types that a bench writes and reads: scalars, or records of them.

use super::layout::{RecordLayout, of_datatype};
use super::record::{Field, Record};
use super::scalar::{Kind, Scalar};
use hyperslab::Datatype;
use hyperslab_format::message::Class;
use hyperslab_format::message::datatype::{ByteOrder, Member};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    /// A number or a byte string.
    Scalar(Scalar),
    /// Fields of these.
    Record(&'static Record),
}

impl Element {
    /// The element that a dataset has, if it is one that is written here.
    pub fn of(datatype: &Datatype) -> Option<Self> {
        let Class::Compound { members } = &datatype.class else { return scalar(datatype).map(Self::Scalar) };
        let field = |member: &Member| {
            let (scalar, count) = match &member.datatype.class {
                Class::Array { base, dims } if dims.len() == 1 => (scalar(base)?, dims[0]),
                _ => (scalar(&member.datatype)?, 1),
            };
            Some(Field { name: std::str::from_utf8(member.name.as_bytes()).ok()?.to_owned(), scalar, count })
        };
        let fields = members.iter().map(field).collect::<Option<Vec<_>>>()?;
        let stored = of_datatype(datatype)?;
        // Records are written packed or as C structs; a compound whose members lie otherwise cannot be written.
        let records = [false, true].map(|is_padded| Record { fields: fields.clone(), is_padded });
        let record = records.into_iter().find(|record| record.stored() == stored)?;
        record.to_string().parse().ok()
    }

    /// Bytes of one element in the file.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Scalar(scalar) => scalar.bytes.into(),
            Self::Record(record) => record.stored().bytes as u64,
        }
    }

    /// Bytes of one element in memory without the gaps of records.
    pub fn packed_bytes(&self) -> usize {
        match self {
            Self::Scalar(scalar) => scalar.bytes as usize,
            Self::Record(record) => record.packed().bytes,
        }
    }

    /// The element that is nearest to a number, in the machine's byte order; a record has it in no field.
    pub fn bytes_of(&self, number: f64) -> Vec<u8> {
        match self {
            Self::Scalar(scalar) => scalar.bytes_of(number),
            Self::Record(_) => vec![0; self.bytes() as usize],
        }
    }

    /// Where some fields lie in records without gaps; none where it is not a record, or all of them are wanted.
    ///
    /// # Errors
    /// A field that there is not.
    pub fn picked(&self, fields: Option<&[String]>) -> Result<Option<RecordLayout>, String> {
        match (self, fields) {
            (Self::Record(record), Some(fields)) => record.picked(fields).map(Some),
            _ => Ok(None),
        }
    }
}

fn scalar(datatype: &Datatype) -> Option<Scalar> {
    let (kind, order) = match &datatype.class {
        Class::Integer(integer) if u32::from(integer.precision) == 8 * datatype.size => {
            (if integer.signed { Kind::Signed } else { Kind::Unsigned }, integer.order)
        }
        Class::Float(float) if float.is_ieee(datatype.size) => (Kind::Float, float.order),
        Class::FixedString { .. } => (Kind::Text, ByteOrder::Little),
        _ => return None,
    };
    Scalar::new(kind, datatype.size, order == ByteOrder::Big).filter(|_| order != ByteOrder::Vax)
}

impl FromStr for Element {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains('{') {
            Record::parse(text).map(Self::Record)
        } else {
            text.parse().map(Self::Scalar)
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => scalar.fmt(f),
            Self::Record(record) => record.fmt(f),
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
        let swapped = |text: &str| text.parse::<Scalar>().unwrap().is_swapped();
        assert_eq!(swapped(">f4"), cfg!(target_endian = "little"));
        assert!(!swapped("u1") && !swapped("S4") && !swapped(">u1"));
    }

    fn compound(offsets: [u32; 2], size: u32) -> Datatype {
        let integer = |size: u32| {
            let class = Class::Integer(hyperslab_format::message::datatype::Integer {
                order: ByteOrder::Big,
                signed: true,
                bit_offset: 0,
                precision: 8 * size as u16,
            });
            Datatype { size, class, committed: None }
        };
        let member = |name: &str, offset, size| Member {
            name: hyperslab_format::Name::new(name.as_bytes().to_vec()),
            offset,
            datatype: integer(size),
        };
        let members = vec![member("a", offsets[0], 2), member("b", offsets[1], 4)];
        Datatype { size, class: Class::Compound { members }, committed: None }
    }

    #[test]
    fn records_of_files_are_packed_or_structs_or_cannot_be_written() {
        let of = |offsets, size| Element::of(&compound(offsets, size)).map(|element| element.to_string());
        assert_eq!(of([0, 2], 6).as_deref(), Some("{a:>i2,b:>i4}"));
        assert_eq!(of([0, 4], 8).as_deref(), Some("struct{a:>i2,b:>i4}"));
        assert_eq!(of([0, 4], 9), None);
        assert_eq!(of([4, 0], 6), None);
    }
}
