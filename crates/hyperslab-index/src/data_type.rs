//! HDF5's datatypes as dtypes of Zarr 2, which are NumPy's.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use hyperslab::Datatype;
use hyperslab::datatypes::{ByteOrder, Class, Float, Integer, Member, StringPadding};
use hyperslab::number::{NativeFloat, integer_value, is_native_integer, is_whole, native_float};
use serde_json::{Value, json};

/// The type of the elements of an array. The bytes of an element are those of the file.
#[derive(Debug, Clone, PartialEq)]
pub enum DataType {
    /// A number, text of a fixed size, or opaque bytes, as NumPy writes it: `<f4`.
    Simple(String),
    /// Named fields without gaps. zarr-python opens no group with an array that has fields of several elements, or fields
    /// in a field.
    Fields(Vec<(String, DataType)>),
    /// Text of variable length.
    Text,
}

impl DataType {
    /// The type of elements whose bytes NumPy reads as HDF5 does; `None` if there is none.
    pub(crate) fn of(datatype: &Datatype) -> Option<Self> {
        let size = datatype.size;
        let simple = match &datatype.class {
            Class::Integer(integer) => integer_type(integer, size, if integer.signed { 'i' } else { 'u' })?,
            &Class::Bitfield { order, bit_offset, precision } => {
                integer_type(&Integer { order, signed: false, bit_offset, precision }, size, 'u')?
            }
            Class::Float(float) => float_type(float, size, 'f', size)?,
            // A single byte has no room for a terminator.
            Class::FixedString { padding: StringPadding::NullTerminate, .. } if size == 1 => "|S1".into(),
            Class::FixedString { padding: StringPadding::NullPad, .. } => format!("|S{size}"),
            Class::Opaque { .. } => format!("|V{size}"),
            Class::Enum { base, members } => match is_bool(base, members) {
                true => "|b1".into(),
                false => return Self::of(base),
            },
            Class::Compound { members } => return compound(members, size),
            Class::Complex { base } => match &base.class {
                Class::Float(float) => float_type(float, base.size, 'c', 2 * base.size)?,
                _ => return None,
            },
            _ => return None,
        };
        Some(DataType::Simple(simple))
    }

    /// As Zarr 2 writes it.
    pub fn json(&self) -> Value {
        match self {
            DataType::Simple(name) => json!(name),
            DataType::Text => json!("|O"),
            DataType::Fields(fields) => {
                fields.iter().map(|(name, data_type)| json!([name, data_type.json()])).collect()
            }
        }
    }
}

fn mark(order: ByteOrder, size: u32) -> Option<char> {
    match order {
        ByteOrder::Vax => None,
        _ if size == 1 => Some('|'),
        ByteOrder::Little => Some('<'),
        ByteOrder::Big => Some('>'),
    }
}

fn integer_type(integer: &Integer, size: u32, letter: char) -> Option<String> {
    (is_native_integer(size) && is_whole(integer, size))
        .then(|| mark(integer.order, size))
        .flatten()
        .map(|mark| format!("{mark}{letter}{size}"))
}

fn float_type(float: &Float, size: u32, letter: char, whole: u32) -> Option<String> {
    let native = NativeFloat::of(float, size)?;
    // Extended precision differs from machine to machine.
    (native != NativeFloat::Extended && native.is(float, size))
        .then(|| mark(float.order, size))
        .flatten()
        .map(|mark| format!("{mark}{letter}{whole}"))
}

/// True for the enumeration that h5py writes for booleans.
fn is_bool(base: &Datatype, members: &[(hyperslab::Name, hyperslab::Bytes)]) -> bool {
    let is = |name: &[u8], value: u8| members.iter().any(|(n, v)| n.as_bytes() == name && v[..] == [value]);
    base.size == 1 && members.len() == 2 && is(b"FALSE", 0) && is(b"TRUE", 1)
}

fn compound(members: &[Member], size: u32) -> Option<DataType> {
    if let [r, i] = members
        && (r.name.as_bytes(), i.name.as_bytes()) == (b"r", b"i")
        && r.datatype == i.datatype
        && (r.offset, i.offset, size) == (0, r.datatype.size, 2 * r.datatype.size)
        && let Class::Float(float) = &r.datatype.class
        && r.datatype.size > 2
    {
        return float_type(float, r.datatype.size, 'c', size).map(DataType::Simple);
    }
    let mut fields = Vec::with_capacity(members.len());
    let mut end = 0;
    for member in members {
        if member.offset != end {
            return None;
        }
        end = end.checked_add(member.datatype.size)?;
        let data_type = DataType::of(&member.datatype)?;
        if matches!(data_type, DataType::Fields(_)) {
            return None;
        }
        fields.push((member.name.as_str()?.to_owned(), data_type));
    }
    (end == size).then_some(DataType::Fields(fields))
}

/// The value of an element as JSON text, as Zarr 2 writes fill values. `None` for elements that have no such form.
pub(crate) fn fill_json(datatype: &Datatype, element: &[u8]) -> Option<String> {
    match &datatype.class {
        Class::Integer(integer) => Some(integer_value(integer, element).to_string()),
        Class::Float(float) => {
            let double = native_float(float, element, NativeFloat::Double);
            let number = f64::from_le_bytes(double.in_memory(8).try_into().ok()?);
            Some(match number {
                number if number.is_nan() => "\"NaN\"".into(),
                number if number.is_infinite() && number > 0.0 => "\"Infinity\"".into(),
                number if number.is_infinite() => "\"-Infinity\"".into(),
                number => format!("{number:?}"),
            })
        }
        Class::Enum { base, members } if is_bool(base, members) => Some((element.first()? != &0).to_string()),
        Class::Enum { base, .. } => fill_json(base, element),
        Class::FixedString { .. } | Class::Opaque { .. } => {
            DataType::of(datatype).map(|_| format!("\"{}\"", BASE64.encode(element)))
        }
        Class::Complex { base } => complex_json(base, element),
        Class::Compound { members } => match (DataType::of(datatype)?, &members[..]) {
            (DataType::Simple(_), [part, _]) => complex_json(&part.datatype, element),
            _ => None,
        },
        _ => None,
    }
}

/// A complex number of two parts of this type.
fn complex_json(part: &Datatype, element: &[u8]) -> Option<String> {
    let (re, im) = element.split_at_checked(part.size as usize)?;
    Some(format!("[{},{}]", fill_json(part, re)?, fill_json(part, im)?))
}
