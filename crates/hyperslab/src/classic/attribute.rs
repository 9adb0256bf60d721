//! Attributes as HDF5 has them, in the form that netCDF-4 gives them: a text is one element, numbers have one axis.

use super::datatype::{datatype, text, to_native};
use crate::known_attributes::AttributeEntry;
use crate::{Error, Result};
use hyperslab_classic::{Attribute as Classic, Kind};
use hyperslab_format::Bytes;
use hyperslab_format::message::datatype::Charset;
use hyperslab_format::message::{Attribute, Dataspace};

/// All attributes of an object.
pub(super) fn entries(attributes: &[Classic]) -> Vec<AttributeEntry> {
    let numbered = attributes.iter().zip(0u32..);
    let entry = |(attribute, number): (&Classic, u32)| AttributeEntry {
        name: Some(attribute.name.clone()),
        attribute: convert(attribute, number),
    };
    numbered.map(entry).collect()
}

fn convert(attribute: &Classic, number: u32) -> Result<Attribute> {
    let Classic { name, kind, values } = attribute;
    let (datatype, dataspace) = match kind {
        Kind::Char if values.is_empty() => (text(1), Dataspace::Null),
        Kind::Char => {
            let bytes =
                u32::try_from(values.len()).map_err(|_| Error::unsupported("a text of more than 4 GiB"))?;
            (text(bytes), Dataspace::Scalar)
        }
        _ => {
            let count = attribute.count();
            (datatype(*kind), Dataspace::Simple { dims: vec![count], max_dims: vec![Some(count)] })
        }
    };
    let mut data = values.clone();
    to_native(*kind).in_place(&mut data);
    Ok(Attribute {
        name: name.clone(),
        charset: Charset::Utf8,
        datatype,
        dataspace,
        data: Bytes::from(data),
        creation_order: Some(number),
    })
}
