//! Numbers and texts of formats that have no datatypes of their own, as HDF5 has them, and attributes of these.

use crate::{Error, Result};
use hyperslab_format::message::datatype::{ByteOrder, Charset, Class, Float, Integer, StringPadding};
use hyperslab_format::message::{Attribute, Dataspace, Datatype};
use hyperslab_format::{Bytes, Name};

/// The byte order of the machine.
pub(crate) const NATIVE: ByteOrder =
    if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };

/// An integer of `size` bytes.
pub(crate) fn integer(size: u32, signed: bool, order: ByteOrder) -> Datatype {
    let class = Class::Integer(Integer { order, signed, bit_offset: 0, precision: 8 * size as u16 });
    Datatype { size, class, committed: None }
}

/// A float of 4 or 8 bytes.
pub(crate) fn float(size: u32, order: ByteOrder) -> Datatype {
    match Float::ieee(size, order) {
        Some(float) => Datatype { size, class: Class::Float(float), committed: None },
        None => integer(size, true, order),
    }
}

/// Text of `bytes` bytes.
pub(crate) fn text(bytes: u32) -> Datatype {
    let class = Class::FixedString { padding: StringPadding::NullPad, charset: Charset::Utf8 };
    Datatype { size: bytes, class, committed: None }
}

/// An attribute in the form that netCDF-4 gives it: a text is one element, numbers of a `datatype` have one axis. `data` is in
/// the byte order of the machine, and `number` its place among the attributes of the object.
pub(crate) fn attribute(
    name: &Name,
    datatype: Option<Datatype>,
    data: Vec<u8>,
    number: u32,
) -> Result<Attribute> {
    let (datatype, dataspace) = match datatype {
        None if data.is_empty() => (text(1), Dataspace::Null),
        None => {
            let bytes = u32::try_from(data.len());
            (text(bytes.map_err(|_| Error::unsupported("a text of more than 4 GiB"))?), Dataspace::Scalar)
        }
        Some(datatype) => {
            let count = data.len() as u64 / u64::from(datatype.size);
            (datatype, Dataspace::Simple { dims: vec![count], max_dims: vec![Some(count)] })
        }
    };
    Ok(Attribute {
        name: name.clone(),
        charset: Charset::Utf8,
        datatype,
        dataspace,
        data: Bytes::from(data),
        creation_order: Some(number),
    })
}
