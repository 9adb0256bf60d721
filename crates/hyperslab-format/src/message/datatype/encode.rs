//! Encodes a [`Datatype`].
//!
//! As in libhdf5, numbers, strings, opaque and time types are encoded in version 1 whatever the file, and compounds,
//! enumerations and arrays in the version that the file asks for, or the higher one that a part needs.

use super::{ByteOrder, Charset, Class, Datatype, Float, Member, Normalization, Reference, StringPadding};
use crate::limits::DATATYPE_DEPTH_MAX;
use crate::object_header::shared;
use crate::{Encoder, Name};

impl Datatype {
    /// Encodes the message. Compounds, enumerations and arrays are encoded in version `low` (1 to 5) or, if they or one
    /// of their parts do not exist in it, in the version that has them.
    pub fn encode(&self, out: &mut Encoder, low: u8) {
        encode_nested(self, out, low, 0);
    }

    /// Encodes the datatype of a dataset or attribute: only the address, if it is a committed datatype. The message must
    /// then be marked as shared.
    pub fn encode_use(&self, out: &mut Encoder, low: u8) {
        match self.committed {
            Some(address) => shared::encode(out, address),
            None => self.encode(out, low),
        }
    }

    /// The version in which [`Self::encode`] encodes this datatype.
    pub fn version(&self, low: u8) -> u8 {
        match &self.class {
            Class::Float(Float { order: ByteOrder::Vax, .. }) => 3,
            Class::Reference(Reference::Standard { version }) => *version,
            Class::Complex { .. } => 5,
            Class::VlenSequence { base } | Class::VlenString { base, .. } => base.version(low),
            Class::Array { base, .. } => base.version(low).max(low).max(2),
            Class::Enum { base, .. } => base.version(low).max(low),
            Class::Compound { members } => {
                members.iter().map(|member| member.datatype.version(low)).fold(low, u8::max)
            }
            _ => 1,
        }
    }
}

/// The version, class, class bit field and size of a datatype.
struct Head {
    version: u8,
    class: u8,
    bits: u32,
    size: u32,
}

impl Head {
    fn encode(&self, out: &mut Encoder) {
        out.u8(self.version << 4 | self.class);
        out.uint("class bit field", self.bits.into(), 3);
        if self.size == 0 {
            out.refuse("size", "elements of 0 bytes");
        }
        out.u32(self.size);
    }
}

fn encode_nested(datatype: &Datatype, out: &mut Encoder, low: u8, depth: u64) {
    if depth >= DATATYPE_DEPTH_MAX {
        return out.refuse("nesting", format!("more than {DATATYPE_DEPTH_MAX} datatypes inside one another"));
    }
    let version = datatype.version(low);
    let head = |class, bits| Head { version, class, bits, size: datatype.size };
    match &datatype.class {
        Class::Integer(integer) => {
            head(0, order_bits(integer.order) | u32::from(integer.signed) << 3).encode(out);
            out.u16(integer.bit_offset);
            out.u16(integer.precision);
        }
        Class::Float(float) => {
            let order = if float.order == ByteOrder::Vax { 0x41 } else { order_bits(float.order) };
            head(1, order | normalization_bits(float) | u32::from(float.sign_location) << 8).encode(out);
            encode_float(float, out);
        }
        Class::Time { order, precision } => {
            head(2, order_bits(*order)).encode(out);
            out.u16(*precision);
        }
        Class::FixedString { padding, charset } => {
            head(3, padding_bits(*padding) | charset_bits(*charset) << 4).encode(out);
        }
        Class::Bitfield { order, bit_offset, precision } => {
            head(4, order_bits(*order)).encode(out);
            out.u16(*bit_offset);
            out.u16(*precision);
        }
        Class::Opaque { tag } => {
            let tag = tag.as_bytes();
            let padded = tag.len().next_multiple_of(8);
            if padded > 0xf8 {
                out.refuse("tag", format!("a tag of {} bytes", tag.len()));
            }
            head(5, (padded & 0xf8) as u32).encode(out);
            out.bytes(tag);
            out.zeros(padded - tag.len());
        }
        Class::Compound { members } => {
            head(6, member_count(members.len(), out)).encode(out);
            members.iter().for_each(|member| encode_member(member, out, &head(6, 0), low, depth));
        }
        Class::Reference(Reference::Object) => head(7, 0).encode(out),
        Class::Reference(Reference::Region) => head(7, 1).encode(out),
        // The type is that of a reference to an object, whatever the elements refer to; version 1 of the encoding.
        Class::Reference(Reference::Standard { .. }) => head(7, 0x12).encode(out),
        Class::Enum { base, members } => {
            head(8, member_count(members.len(), out)).encode(out);
            encode_nested(base, out, low, depth + 1);
            members.iter().for_each(|(name, _)| encode_name(name, out, version));
            for (_, value) in members {
                if value.len() != base.size as usize {
                    out.refuse("value", format!("{} bytes, but the base has {}", value.len(), base.size));
                }
                out.bytes(value);
            }
        }
        Class::VlenSequence { base } => {
            head(9, 0).encode(out);
            encode_nested(base, out, low, depth + 1);
        }
        Class::VlenString { padding, charset, base } => {
            head(9, 1 | padding_bits(*padding) << 4 | charset_bits(*charset) << 8).encode(out);
            encode_nested(base, out, low, depth + 1);
        }
        Class::Array { dims, base } => {
            head(10, 0).encode(out);
            encode_dims(dims, out, version);
            encode_nested(base, out, low, depth + 1);
        }
        Class::Complex { base } => {
            // Homogeneous parts in rectangular form, the only kind that exists.
            head(11, 0x01).encode(out);
            encode_nested(base, out, low, depth + 1);
        }
    }
}

fn encode_float(float: &Float, out: &mut Encoder) {
    out.u16(float.bit_offset);
    out.u16(float.precision);
    out.u8(float.exponent_location);
    out.u8(float.exponent_size);
    out.u8(float.mantissa_location);
    out.u8(float.mantissa_size);
    out.u32(float.exponent_bias);
}

fn encode_member(member: &Member, out: &mut Encoder, compound: &Head, low: u8, depth: u64) {
    encode_name(&member.name, out, compound.version);
    let offset_bytes = if compound.version < 3 { 4 } else { 1 + (compound.size.max(1).ilog2() / 8) as usize };
    out.uint("byte offset of member", member.offset.into(), offset_bytes);
    if compound.version == 1 {
        // No dimensions of its own: a member that is an array needs version 2.
        out.zeros(28);
    }
    encode_nested(&member.datatype, out, low, depth + 1);
}

fn encode_dims(dims: &[u32], out: &mut Encoder, version: u8) {
    out.count("dimensionality", dims.len(), 1);
    if version < 3 {
        out.zeros(3);
    }
    dims.iter().for_each(|&dim| out.u32(dim));
    if version < 3 {
        (0..dims.len() as u32).for_each(|axis| out.u32(axis));
    }
}

fn encode_name(name: &Name, out: &mut Encoder, version: u8) {
    let start = out.position();
    out.nul_terminated("name", name.as_bytes());
    if version < 3 {
        out.align_since(start, 8);
    }
}

fn member_count(count: usize, out: &mut Encoder) -> u32 {
    if count > 0xffff {
        out.refuse("number of members", format!("{count} members, but at most 65535 are possible"));
    }
    (count & 0xffff) as u32
}

fn order_bits(order: ByteOrder) -> u32 {
    if order == ByteOrder::Little { 0 } else { 1 }
}

fn normalization_bits(float: &Float) -> u32 {
    let number = match float.normalization {
        Normalization::None => 0,
        Normalization::AlwaysSet => 1,
        Normalization::Implied => 2,
    };
    number << 4
}

fn padding_bits(padding: StringPadding) -> u32 {
    match padding {
        StringPadding::NullTerminate => 0,
        StringPadding::NullPad => 1,
        StringPadding::SpacePad => 2,
    }
}

fn charset_bits(charset: Charset) -> u32 {
    match charset {
        Charset::Ascii => 0,
        Charset::Utf8 => 1,
    }
}
