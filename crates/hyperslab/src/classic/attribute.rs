//! Attributes as HDF5 has them, in the form that netCDF-4 gives them: a text is one element, numbers have one axis.

use super::datatype::{datatype, to_native};
use crate::known_attributes::AttributeEntry;
use crate::{Result, plain_types};
use hyperslab_classic::{Attribute as Classic, Kind};
use hyperslab_format::message::Attribute;

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
    let mut data = values.clone();
    to_native(*kind).in_place(&mut data);
    plain_types::attribute(name, (*kind != Kind::Char).then(|| datatype(*kind)), data, number)
}
