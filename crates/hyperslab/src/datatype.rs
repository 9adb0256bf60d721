//! The byte order of HDF5 datatypes, as a conversion to the machine's own byte order.

use hyperslab_array::array::ElementSpec;
use hyperslab_array::read::convert::Conversion;
use hyperslab_format::message::{ByteOrder, Class, Datatype};

/// Elements that are stored as this datatype says.
pub(crate) fn element(datatype: &Datatype) -> ElementSpec {
    let bytes = datatype.size as usize;
    ElementSpec { bytes, to_native: to_native(datatype), to_datatype: Conversion::None }
}

/// The conversion of elements of this datatype to the machine's own byte order. Datatypes without a byte order are not
/// converted. `None` if reversing the bytes of each element is not enough, as for compounds.
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
