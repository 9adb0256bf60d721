//! A datatype as JSON: the answers of libhdf5's `H5T` functions about it.
//!
//! The library returns datatypes as they are in memory, where variable-length and reference members have other sizes
//! than in the file. The members of a compound that contains them are moved accordingly, and are sorted by offset.

use crate::element::{integer_value, is_native_integer};
use crate::json::{Json, Object};
use hyperslab_format::message::datatype::{Charset, Member, Normalization, Reference, StringPadding};
use hyperslab_format::message::{ByteOrder, Class, Datatype};

/// Size of C's `hvl_t`, in bytes.
const SEQUENCE_BYTES: u64 = 16;
/// Size of a C pointer, in bytes.
const POINTER_BYTES: u64 = 8;

/// The size of an element in memory, in bytes.
pub fn size(datatype: &Datatype) -> u64 {
    if !is_relocated(datatype) {
        return datatype.size.into();
    }
    match &datatype.class {
        Class::VlenSequence { .. } => SEQUENCE_BYTES,
        Class::VlenString { .. } => POINTER_BYTES,
        Class::Reference(Reference::Object) => 8,
        Class::Reference(Reference::Region) => 12,
        Class::Reference(Reference::Standard { .. }) => 64,
        Class::Array { dims, base } => {
            dims.iter().fold(size(base), |bytes, dim| bytes.saturating_mul((*dim).into()))
        }
        Class::Compound { members } => {
            let change =
                |member: &Member| -> i64 { size(&member.datatype) as i64 - i64::from(member.datatype.size) };
            (i64::from(datatype.size) + members.iter().map(change).sum::<i64>()).max(0) as u64
        }
        _ => datatype.size.into(),
    }
}

fn is_relocated(datatype: &Datatype) -> bool {
    datatype.is_variable() || datatype.contains_reference()
}

/// The description of a datatype.
pub fn describe(datatype: &Datatype) -> Json {
    let mut members = Object::from([("size", size(datatype).into())]);
    if datatype.committed.is_some() {
        members.insert("committed", true.into());
    }
    let class = match &datatype.class {
        Class::Integer(integer) => {
            members.extend([
                ("order", order(integer.order).into()),
                ("signed", integer.signed.into()),
                ("prec", integer.precision.into()),
                ("off", integer.bit_offset.into()),
            ]);
            "int"
        }
        Class::Float(float) => {
            let fields = [
                float.sign_location,
                float.exponent_location,
                float.exponent_size,
                float.mantissa_location,
                float.mantissa_size,
            ];
            let normalization = match float.normalization {
                Normalization::Implied => 0,
                Normalization::AlwaysSet => 1,
                Normalization::None => 2,
            };
            members.extend([
                ("order", order(float.order).into()),
                ("prec", float.precision.into()),
                ("off", float.bit_offset.into()),
                ("fields", Json::list(fields)),
                ("ebias", float.exponent_bias.into()),
                ("norm", normalization.into()),
            ]);
            "float"
        }
        Class::Time { .. } => "time",
        Class::FixedString { padding, charset } => {
            members.extend(text(false, *padding, *charset));
            "string"
        }
        Class::VlenString { padding, charset, .. } => {
            members.extend(text(true, *padding, *charset));
            members.insert("size", Json::Null);
            "string"
        }
        Class::Bitfield { order, bit_offset, precision } => {
            if is_native_integer(datatype.size) {
                let is_whole = *bit_offset == 0 && u64::from(*precision) == 8 * u64::from(datatype.size);
                let order = match order {
                    _ if !is_whole => "custom",
                    ByteOrder::Big if datatype.size > 1 => "BE",
                    _ => "LE",
                };
                members.insert("order", order.into());
            }
            "bitfield"
        }
        Class::Opaque { tag } => {
            members.insert("tag", tag.into());
            "opaque"
        }
        Class::Compound { members: parts } => {
            members.insert("members", compound(datatype, parts));
            "compound"
        }
        Class::Reference(reference) => {
            let kind = match reference {
                Reference::Object => "object",
                Reference::Region => "region",
                Reference::Standard { .. } => "other",
            };
            members.insert("ref", kind.into());
            "reference"
        }
        Class::Enum { base, members: names } => {
            let value = |bytes: &[u8]| match &base.class {
                Class::Integer(integer) if is_native_integer(base.size) => {
                    // Clipped to the range of C's `long long`, as in libhdf5.
                    Json::from(integer_value(integer, bytes).min(i64::MAX.into()))
                }
                _ => "error".into(),
            };
            let names = names.iter().map(|(name, bytes)| Json::List(vec![name.into(), value(bytes)]));
            members.insert("members", Json::List(names.collect()));
            members.insert("base", describe(base));
            "enum"
        }
        Class::VlenSequence { base } => {
            members.insert("base", describe(base));
            members.insert("size", Json::Null);
            "vlen"
        }
        Class::Array { dims, base } => {
            members.insert("dims", Json::list(dims.iter().copied()));
            members.insert("base", describe(base));
            "array"
        }
        Class::Complex { base } => {
            members.insert("base", describe(base));
            "complex"
        }
    };
    members.insert("c", class.into());
    members.into()
}

fn order(order: ByteOrder) -> &'static str {
    match order {
        ByteOrder::Little => "LE",
        ByteOrder::Big => "BE",
        ByteOrder::Vax => "VAX",
    }
}

fn text(is_variable: bool, padding: StringPadding, charset: Charset) -> [(&'static str, Json); 3] {
    let padding = match padding {
        StringPadding::NullTerminate => "nullterm",
        StringPadding::NullPad => "nullpad",
        StringPadding::SpacePad => "spacepad",
    };
    let charset = match charset {
        Charset::Ascii => "ascii",
        Charset::Utf8 => "utf8",
    };
    [("vlen", is_variable.into()), ("pad", padding.into()), ("cset", charset.into())]
}

/// The members of a compound, in the order in which the library puts them in memory.
pub fn members_in_memory<'d>(datatype: &Datatype, members: &'d [Member]) -> Vec<&'d Member> {
    let mut members: Vec<&Member> = members.iter().collect();
    if is_relocated(datatype) {
        members.sort_by_key(|member| member.offset);
    }
    members
}

fn compound(datatype: &Datatype, members: &[Member]) -> Json {
    let mut moved = 0;
    let described = members_in_memory(datatype, members).into_iter().map(|member| {
        let offset = i64::from(member.offset) + moved;
        moved += size(&member.datatype) as i64 - i64::from(member.datatype.size);
        Json::List(vec![(&member.name).into(), offset.into(), describe(&member.datatype)])
    });
    Json::List(described.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datatype(size: u32, class: Class) -> Datatype {
        Datatype { size, class, committed: None }
    }

    fn text(json: &Json) -> String {
        let mut out = String::new();
        json.write(&mut out);
        out
    }

    #[test]
    fn variable_parts_have_other_sizes_in_memory() {
        let string = || datatype(16, Class::text(StringPadding::NullTerminate, Charset::Utf8));
        let opaque = datatype(2, Class::Opaque { tag: "t".into() });
        let member = |name: &str, offset, datatype| Member { name: name.into(), offset, datatype };
        let members = vec![member("b", 16, opaque), member("a", 0, string())];
        let compound = datatype(18, Class::Compound { members });
        assert_eq!((compound.size, size(&compound)), (18, 10));
        let a = r#"["a",0,{"c":"string","cset":"utf8","pad":"nullterm","size":null,"vlen":true}]"#;
        let b = r#"["b",8,{"c":"opaque","size":2,"tag":"t"}]"#;
        assert_eq!(
            text(&describe(&compound)),
            format!(r#"{{"c":"compound","members":[{a},{b}],"size":10}}"#)
        );
        let array = datatype(54, Class::Array { dims: vec![3], base: Box::new(compound) });
        assert_eq!(size(&array), 30);
    }
}
