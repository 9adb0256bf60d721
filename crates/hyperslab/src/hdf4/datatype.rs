//! Datatypes of HDF4: numbers, characters, and records of these. They are read in the byte order of the machine, as libhdf4 does.

use super::model::Element;
use crate::plain_types::{NATIVE, float, integer, text};
use hyperslab_array::array::Swaps;
use hyperslab_array::read::convert::Conversion;
use hyperslab_format::message::Datatype;
use hyperslab_format::message::datatype::{ByteOrder, Class, Member};
use hyperslab_hdf4::{Field, Kind, Names, NumberType};

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

/// What brings the fields of records into the order of the machine.
pub(super) fn swaps(fields: &[Field], record_bytes: u16) -> Swaps {
    let place = |field: &Field| {
        let start = usize::from(field.offset);
        (start..start + field.bytes(), to_native(field.number_type))
    };
    Swaps::new(record_bytes.into(), fields.iter().map(place))
}

fn stored_order(number_type: NumberType) -> ByteOrder {
    if number_type.is_little_endian { ByteOrder::Little } else { ByteOrder::Big }
}

/// A number in a byte order.
pub(super) fn number(number_type: NumberType, order: ByteOrder) -> Datatype {
    let size = u32::from(number_type.bytes);
    match number_type.kind {
        Kind::Char => text(1),
        Kind::UChar | Kind::UInt => integer(size, false, order),
        Kind::Int => integer(size, true, order),
        Kind::Float => float(size, order),
    }
}

fn record(fields: &[Field], bytes: u16) -> Datatype {
    // Readers tell fields apart by names that are text.
    let mut names = Names::default();
    let member = |field: &Field| Member {
        name: names.numbered(field.name.to_string().into_bytes()),
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
