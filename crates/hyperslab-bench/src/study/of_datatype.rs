//! The type of a dataset in a file, as an element that can be written, and how its records lie there.

use super::element::{Element, Kind};
use super::record::{Field, FieldPlace, Layout, Record};
use hyperslab::Datatype;
use hyperslab_format::message::Class;
use hyperslab_format::message::datatype::ByteOrder;

impl Element {
    /// The element that a dataset has, if it is one that is written here.
    pub fn of(datatype: &Datatype) -> Option<Self> {
        let Class::Compound { members } = &datatype.class else { return scalar(datatype) };
        let field = |member: &hyperslab_format::message::datatype::Member| {
            let (element, count) = match &member.datatype.class {
                Class::Array { base, dims } if dims.len() == 1 => (scalar(base)?, dims[0]),
                _ => (scalar(&member.datatype)?, 1),
            };
            Some(Field { name: std::str::from_utf8(member.name.as_bytes()).ok()?.to_owned(), element, count })
        };
        let fields = members.iter().map(field).collect::<Option<Vec<_>>>()?;
        let stored = layout(datatype)?;
        // Records are written packed or as C structs; a compound whose members lie otherwise cannot be written.
        [false, true].into_iter().find_map(|is_padded| {
            let record = Record { fields: fields.clone(), is_padded };
            (record.stored() == stored).then(|| record.to_string().parse().ok()).flatten()
        })
    }
}

fn scalar(datatype: &Datatype) -> Option<Element> {
    let bytes = datatype.size;
    let (kind, order) = match &datatype.class {
        Class::Integer(integer) if u32::from(integer.precision) == 8 * bytes => {
            (if integer.signed { Kind::Signed } else { Kind::Unsigned }, integer.order)
        }
        Class::Float(float) if float.is_ieee(bytes) => (Kind::Float, float.order),
        Class::FixedString { .. } => (Kind::Text, ByteOrder::Little),
        _ => return None,
    };
    let element = Element { kind, bytes, is_big_endian: order == ByteOrder::Big && bytes > 1 };
    // As it would be read from text: sizes that are not known are refused there.
    element.to_string().parse().ok().filter(|known| *known == element && order != ByteOrder::Vax)
}

/// Where the fields of records lie in a file, if they are numbers and text.
pub fn layout(datatype: &Datatype) -> Option<Layout> {
    let Class::Compound { members } = &datatype.class else { return None };
    let places = members
        .iter()
        .map(|member| Some(FieldPlace { offset: member.offset as usize, ..place(&member.datatype)? }))
        .collect::<Option<Vec<_>>>()?;
    Some(Layout { places, bytes: datatype.size as usize, in_columns: false })
}

fn place(datatype: &Datatype) -> Option<FieldPlace> {
    let bytes = datatype.size as usize;
    let number = |order: ByteOrder| Some(FieldPlace::number(bytes, order == ByteOrder::Big));
    match &datatype.class {
        Class::Integer(integer) => number(integer.order),
        Class::Float(float) => number(float.order),
        Class::FixedString { .. } => Some(FieldPlace::text(bytes)),
        Class::Array { base, .. } => Some(FieldPlace { bytes, ..place(base)? }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_format::message::datatype::Member;

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
