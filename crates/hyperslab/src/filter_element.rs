//! Datatypes as filters see them.

use hyperslab_filters::{BitLayout, Element, ElementKind};
use hyperslab_format::message::Datatype;
use hyperslab_format::message::datatype::{ByteOrder, Class};

/// The datatype, as far as the client data of filters depends on it.
pub fn filter_element(datatype: &Datatype) -> Element {
    Element { size: datatype.size, kind: kind(&datatype.class) }
}

fn kind(class: &Class) -> ElementKind {
    match class {
        Class::Integer(integer) => match bits(integer.order, integer.precision, integer.bit_offset) {
            Some(bits) => ElementKind::Integer { bits, signed: integer.signed },
            None => ElementKind::Other(None),
        },
        Class::Float(float) => bits(float.order, float.precision, float.bit_offset)
            .map_or(ElementKind::Other(None), ElementKind::Float),
        &Class::Bitfield { order, bit_offset, precision } => {
            ElementKind::Other(bits(order, precision, bit_offset))
        }
        &Class::Time { order, precision } => ElementKind::Other(bits(order, precision, 0)),
        Class::Enum { base, .. } => match kind(&base.class) {
            ElementKind::Integer { bits, .. } => ElementKind::Other(Some(bits)),
            _ => ElementKind::Other(None),
        },
        Class::Compound { members } => ElementKind::Compound(
            members.iter().map(|member| (member.offset, filter_element(&member.datatype))).collect(),
        ),
        Class::Array { base, .. } => ElementKind::Array(Box::new(filter_element(base))),
        Class::VlenSequence { .. } | Class::VlenString { .. } => ElementKind::VariableLength,
        Class::FixedString { .. } | Class::Opaque { .. } | Class::Reference(_) | Class::Complex { .. } => {
            ElementKind::Other(None)
        }
    }
}

fn bits(order: ByteOrder, precision: u16, offset: u16) -> Option<BitLayout> {
    let big_endian = match order {
        ByteOrder::Little => false,
        ByteOrder::Big => true,
        ByteOrder::Vax => return None,
    };
    Some(BitLayout { big_endian, precision: precision.into(), offset: offset.into() })
}
