//! The datatypes of netCDF classic: numbers, and characters of one byte. In the file they are big-endian; as netCDF's libraries
//! do, readers get them in the byte order of the machine.

use crate::plain_types::{NATIVE, float, integer, text};
use hyperslab_array::read::convert::Conversion;
use hyperslab_classic::Kind;
use hyperslab_format::message::Datatype;
use hyperslab_format::message::datatype::ByteOrder;

/// The datatype that readers see of values of this type.
pub(super) fn datatype(kind: Kind) -> Datatype {
    in_order(kind, NATIVE)
}

/// The datatype of values of this type in the file.
pub(super) fn stored(kind: Kind) -> Datatype {
    in_order(kind, ByteOrder::Big)
}

/// The conversion of values from the file to the order of the machine.
pub(super) fn to_native(kind: Kind) -> Conversion {
    match kind.bytes() as usize {
        width @ (2 | 4 | 8) if NATIVE != ByteOrder::Big => Conversion::Swap { width },
        _ => Conversion::None,
    }
}

fn in_order(kind: Kind, order: ByteOrder) -> Datatype {
    let size = kind.bytes() as u32;
    match kind {
        Kind::Char => text(1),
        Kind::Byte | Kind::Short | Kind::Int | Kind::Int64 => integer(size, true, order),
        Kind::UByte | Kind::UShort | Kind::UInt | Kind::UInt64 => integer(size, false, order),
        Kind::Float | Kind::Double => float(size, order),
    }
}
