//! The datatypes of netCDF classic: numbers, and characters of one byte. In the file they are big-endian; as netCDF's libraries
//! do, readers get them in the byte order of the machine.

use hyperslab_array::read::convert::Conversion;
use hyperslab_classic::Kind;
use hyperslab_format::message::Datatype;
use hyperslab_format::message::datatype::{ByteOrder, Charset, Class, Float, Integer, StringPadding};

/// The byte order of the machine.
const NATIVE: ByteOrder = if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };

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
    let integer =
        |signed| Class::Integer(Integer { order, signed, bit_offset: 0, precision: 8 * size as u16 });
    let class = match kind {
        Kind::Char => return text(1),
        Kind::Byte | Kind::Short | Kind::Int | Kind::Int64 => integer(true),
        Kind::UByte | Kind::UShort | Kind::UInt | Kind::UInt64 => integer(false),
        // There is a float of 4 and of 8 bytes.
        Kind::Float | Kind::Double => Float::ieee(size, order).map_or(integer(true), Class::Float),
    };
    Datatype { size, class, committed: None }
}

/// Text of so many bytes.
pub(super) fn text(bytes: u32) -> Datatype {
    let class = Class::FixedString { padding: StringPadding::NullPad, charset: Charset::Utf8 };
    Datatype { size: bytes, class, committed: None }
}
