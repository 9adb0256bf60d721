//! Vdatas as datasets: one axis of records.

use super::attribute::Attribute;
use super::elements::Elements;
use super::image;
use super::model::{DataSet, Element, Group, Values};
use super::scientific::class;
use super::tables::Tables;
use crate::Result;
use hyperslab_format::Name;
use hyperslab_hdf4::{ChunkTable, Order, Vdata, tag};

/// Classes of Vdatas that are a part of something else.
const INTERNAL: [&[u8]; 6] = [
    class::ATTRIBUTE,
    class::LENGTH_OLD,
    class::LENGTH,
    class::DATA_SET,
    class::SCALE,
    image::ATTRIBUTE_CLASS,
];

/// True for a Vdata that a user wrote.
pub(super) fn is_a_users(vdata: &Vdata) -> bool {
    !INTERNAL.contains(&vdata.class.as_bytes()) && !ChunkTable::is_one(vdata)
}

/// The dataset of a Vdata with this reference: compounds or, with a single field where that is wanted, numbers.
pub(super) fn data_set(
    elements: &Elements,
    tables: &Tables,
    reference: u16,
    vdata: &Vdata,
    is_plain: bool,
) -> Result<DataSet> {
    let key = (tag::VDATA_RECORDS, reference);
    let records = u64::from(vdata.records);
    let (mut element, mut shape) =
        (Element::Record { fields: vdata.fields.clone(), bytes: vdata.record_bytes }, vec![records]);
    if let ([field], true) = (&vdata.fields[..], is_plain) {
        element = Element::Number(field.number_type);
        if field.order > 1 {
            shape.push(field.order.into());
        }
    }
    let values = match vdata.is_by_field && vdata.fields.len() > 1 {
        true => {
            let place = |field: &hyperslab_hdf4::Field| (field.offset.into(), field.bytes());
            let fields = vdata.fields.iter().map(place).collect();
            Values::Reordered(key, Order::ByField { record: vdata.record_bytes.into(), fields })
        }
        false => Values::Of(key),
    };
    let attributes = attributes(elements, tables, reference, vdata);
    let at = elements.at((tag::VDATA, reference));
    Ok(DataSet { element, shape, is_unlimited: false, values, fill: Vec::new(), attributes, at })
}

/// A Vdata without fields, as a group without members.
pub(super) fn without_fields(elements: &Elements, tables: &Tables, reference: u16, vdata: &Vdata) -> Group {
    let attributes = attributes(elements, tables, reference, vdata);
    let at = elements.at((tag::VDATA, reference));
    Group { attributes, at, ..Group::default() }
}

fn attributes(elements: &Elements, tables: &Tables, reference: u16, vdata: &Vdata) -> Vec<Attribute> {
    let mut attributes = tables.annotations(&[(tag::VDATA, reference)]);
    for attribute in &vdata.attributes {
        let Some(of) = tables.vdatas.get(&attribute.vdata.1) else { continue };
        let mut read = Attribute::read(elements, &of.name, of, attribute.vdata.1);
        if let Some(field) = attribute.field.and_then(|number| vdata.fields.get(number as usize)) {
            read.name = Name::new([field.name.as_bytes(), b".", of.name.as_bytes()].concat());
        }
        attributes.push(read);
    }
    if !vdata.class.as_bytes().is_empty() {
        attributes.push(Attribute::text("HDF4_VDATA_CLASS", vdata.class.as_bytes()));
    }
    attributes
}
