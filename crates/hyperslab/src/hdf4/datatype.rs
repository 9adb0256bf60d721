//! Datatypes of HDF4: numbers, characters, and records of these. They are read in the byte order of the machine, as libhdf4 does.

use super::model::Element;
use hyperslab_array::read::convert::Conversion;
use hyperslab_format::message::Datatype;
use hyperslab_format::message::datatype::{ByteOrder, Charset, Class, Float, Integer, Member, StringPadding};
use hyperslab_hdf4::{Field, Kind, NumberType};

/// The byte order of the machine.
const NATIVE: ByteOrder = if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };

/// The datatype that readers see.
pub(super) fn datatype(element: &Element) -> Datatype {
    match element {
        Element::Number(number_type) => number(*number_type, NATIVE),
        Element::Record { fields, bytes } => record(fields, *bytes),
    }
}

/// The datatype of the bytes in the file, if its byte order differs.
pub(super) fn in_file(element: &Element) -> Option<Datatype> {
    match element {
        Element::Number(number_type) => (to_native(*number_type) != Conversion::None)
            .then(|| number(*number_type, stored_order(*number_type))),
        Element::Record { .. } => None,
    }
}

/// The conversion of values to the order of the machine.
pub(super) fn to_native(number_type: NumberType) -> Conversion {
    match usize::from(number_type.bytes) {
        width @ (2 | 4 | 8) if stored_order(number_type) != NATIVE => Conversion::Swap { width },
        _ => Conversion::None,
    }
}

fn stored_order(number_type: NumberType) -> ByteOrder {
    if number_type.is_little_endian { ByteOrder::Little } else { ByteOrder::Big }
}

/// A number in a byte order.
pub(super) fn number(number_type: NumberType, order: ByteOrder) -> Datatype {
    let size = u32::from(number_type.bytes);
    let integer =
        |signed| Class::Integer(Integer { order, signed, bit_offset: 0, precision: 8 * size as u16 });
    let class = match number_type.kind {
        Kind::Char => return text(1),
        Kind::UChar | Kind::UInt => integer(false),
        Kind::Int => integer(true),
        // There is a float of 4 and of 8 bytes.
        Kind::Float => Float::ieee(size, order).map_or(integer(true), Class::Float),
    };
    Datatype { size, class, committed: None }
}

/// Text of `bytes` bytes.
pub(super) fn text(bytes: u32) -> Datatype {
    let class = Class::FixedString { padding: StringPadding::NullPad, charset: Charset::Utf8 };
    Datatype { size: bytes, class, committed: None }
}

fn record(fields: &[Field], bytes: u16) -> Datatype {
    let member = |field: &Field| Member {
        name: field.name.clone(),
        offset: field.offset.into(),
        datatype: of_field(field),
    };
    let class = Class::Compound { members: fields.iter().map(member).collect() };
    Datatype { size: bytes.into(), class, committed: None }
}

fn of_field(field: &Field) -> Datatype {
    let Field { number_type, order, .. } = field;
    if number_type.is_text() {
        return text((*order).into());
    }
    let base = number(*number_type, NATIVE);
    match order {
        1 => base,
        count => Datatype {
            size: base.size * u32::from(*count),
            class: Class::Array { dims: vec![(*count).into()], base: Box::new(base) },
            committed: None,
        },
    }
}
