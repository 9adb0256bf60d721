//! A datatype as one short line for listings: `int32`, `{x: float64, y: float64}`, `[3,3] of uint8`.

use super::{ByteOrder, Charset, Class, Datatype, Float, Integer, Reference};
use crate::Name;
use std::fmt::{self, Display, Formatter};

impl Display for Datatype {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let bits = 8 * u64::from(self.size);
        match &self.class {
            Class::Integer(integer) => write_integer(f, integer, bits),
            Class::Float(float) => write_float(f, float, self.size),
            Class::Time { order, .. } => write!(f, "{}time{bits}", prefix(*order, self.size)),
            Class::FixedString { charset, .. } => write!(f, "string[{}]{}", self.size, suffix(*charset)),
            Class::Bitfield { order, bit_offset, precision } => {
                write!(f, "{}bitfield{bits}", prefix(*order, self.size))?;
                write_significant(f, *bit_offset, *precision, bits)
            }
            Class::Opaque { tag } if tag.as_bytes().is_empty() => write!(f, "opaque[{}]", self.size),
            Class::Opaque { tag } => write!(f, "opaque[{}] {tag:?}", self.size),
            Class::Compound { members } => {
                f.write_str("{")?;
                for (number, member) in members.iter().enumerate() {
                    let comma = if number > 0 { ", " } else { "" };
                    write!(f, "{comma}{}: {}", member.name, member.datatype)?;
                }
                f.write_str("}")
            }
            Class::Reference(Reference::Object) => f.write_str("object reference"),
            Class::Reference(Reference::Region) => f.write_str("region reference"),
            Class::Reference(Reference::Standard { .. }) => f.write_str("reference"),
            Class::Enum { base, members } => write_enumeration(f, base, members),
            Class::VlenSequence { base } => write!(f, "sequence of {base}"),
            Class::VlenString { charset, .. } => write!(f, "string{}", suffix(*charset)),
            Class::Array { dims, base } => {
                f.write_str("[")?;
                for (number, dim) in dims.iter().enumerate() {
                    let comma = if number > 0 { "," } else { "" };
                    write!(f, "{comma}{dim}")?;
                }
                write!(f, "] of {base}")
            }
            Class::Complex { base } => write!(f, "complex of {base}"),
        }
    }
}

fn write_integer(f: &mut Formatter<'_>, integer: &Integer, bits: u64) -> fmt::Result {
    let sign = if integer.signed { "" } else { "u" };
    write!(f, "{}{sign}int{bits}", prefix(integer.order, (bits / 8) as u32))?;
    write_significant(f, integer.bit_offset, integer.precision, bits)
}

fn write_significant(f: &mut Formatter<'_>, bit_offset: u16, precision: u16, bits: u64) -> fmt::Result {
    if u64::from(precision) == bits {
        return Ok(());
    }
    write!(f, " ({precision} bits from bit {bit_offset})")
}

fn write_float(f: &mut Formatter<'_>, float: &Float, size: u32) -> fmt::Result {
    write!(f, "{}", prefix(float.order, size))?;
    if float.is_ieee(size) {
        return write!(f, "float{}", 8 * size);
    }
    let Float { exponent_size, mantissa_size, .. } = float;
    let bits = 8 * u64::from(size);
    write!(f, "float{bits} (exponent {exponent_size} bits, mantissa {mantissa_size} bits)")
}

fn write_enumeration(
    f: &mut Formatter<'_>,
    base: &Datatype,
    members: &[(Name, bytes::Bytes)],
) -> fmt::Result {
    write!(f, "enum {base} {{")?;
    for (number, (name, _)) in members.iter().enumerate() {
        let comma = if number > 0 { ", " } else { "" };
        write!(f, "{comma}{name}")?;
    }
    f.write_str("}")
}

fn prefix(order: ByteOrder, size: u32) -> &'static str {
    match order {
        _ if size == 1 => "",
        ByteOrder::Little => "",
        ByteOrder::Big => "big-endian ",
        ByteOrder::Vax => "VAX ",
    }
}

fn suffix(charset: Charset) -> &'static str {
    match charset {
        Charset::Ascii => "",
        Charset::Utf8 => " utf-8",
    }
}
