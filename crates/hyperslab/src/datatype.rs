//! What a datatype of HDF5 means for reading arrays of it.

use hyperslab_array::read::convert::Conversion;
use hyperslab_format::message::{ByteOrder, Class, Datatype};

/// What brings numbers of this datatype into the machine's own byte order. Datatypes without a byte order stay as they
/// are; `None` where reversing bytes is not enough, as for compounds, whose members may differ.
pub(crate) fn to_native(datatype: &Datatype) -> Option<Conversion> {
    let order = match &datatype.class {
        Class::Integer(integer) => integer.order,
        Class::Float(float) => float.order,
        Class::Bitfield { order, .. } | Class::Time { order, .. } => *order,
        Class::Enum { base, .. } | Class::Array { base, .. } | Class::Complex { base } => {
            return to_native(base);
        }
        Class::Compound { .. } => return None,
        _ => return Some(Conversion::None),
    };
    match (order, datatype.size as usize) {
        (_, 1) | (ByteOrder::Little, _) => Some(Conversion::None),
        (ByteOrder::Big, width @ (2 | 4 | 8 | 16)) => Some(Conversion::Swap { width }),
        _ => None,
    }
}
