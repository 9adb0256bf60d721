//! Scientific data sets before Vgroups were used for them: a list of elements for each (tags 720 and 700).
//!
//! Names are those that libhdf4 makes: `Data-Set-2` by the reference of the list, `fakeDim0` by the number of the dimension. A
//! dimension with a scale is a data set of its name.

use super::attribute::Attribute;
use super::elements::{Element as Bytes, Elements};
use super::model::{DataSet, Dimension, Element, Values};
use super::scientific::{Scientific, Sds, fill};
use super::tables::Tables;
use crate::Result;
use crate::format_error::OrError;
use hyperslab_format::Name;
use hyperslab_hdf4::{DataDimensions, Descriptor, Kind, NumberType, members, tag};
use std::collections::HashSet;

/// Bytes of a calibration in 64-bit floats; those in 32-bit floats have fewer.
const CALIBRATION_64_BYTES: usize = 36;
const FLOAT64: NumberType = NumberType { kind: Kind::Float, bytes: 8, is_little_endian: false };
const INT32: NumberType = NumberType { kind: Kind::Int, bytes: 4, is_little_endian: false };
const INT16: NumberType = NumberType { kind: Kind::Int, bytes: 2, is_little_endian: false };

/// Reads the data sets of a file without Vgroups of them.
pub(super) fn read(elements: &Elements, tables: &Tables) -> Scientific {
    let mut found = Scientific::default();
    let mut linked = HashSet::new();
    for kind in [tag::DATA_GROUP, tag::DATA_GROUP_OLD] {
        for descriptor in elements.descriptors.of(kind) {
            if kind == tag::DATA_GROUP_OLD && linked.contains(&descriptor.reference) {
                continue;
            }
            let added = add(elements, tables, descriptor, &mut linked, &mut found);
            if let Err(error) = added {
                found.problems.push(error.at_object(format!("/Data-Set-{}", descriptor.reference)));
            }
        }
    }
    found
}

/// The parts of a data set, as its list has them.
#[derive(Default)]
struct Parts {
    dimensions: Option<DataDimensions>,
    number_type: Option<NumberType>,
    scale_types: Vec<NumberType>,
    data: Option<(u16, u16)>,
    scales: Option<(u16, u16)>,
    labels: Vec<Vec<u8>>,
    units: Vec<Vec<u8>>,
    formats: Vec<Vec<u8>>,
    attributes: Vec<Attribute>,
    fill: Option<Vec<u8>>,
}

fn add(
    elements: &Elements,
    tables: &Tables,
    descriptor: &Descriptor,
    linked: &mut HashSet<u16>,
    found: &mut Scientific,
) -> Result<()> {
    let key = (tag::base(descriptor.tag), descriptor.reference);
    let Some(list) = elements.get(key)? else { return Ok(()) };
    let parts = parts(elements, &list, linked)?;
    let Some(dimensions) = &parts.dimensions else { return Ok(()) };
    let number_type = parts.number_type.unwrap_or(NumberType::FLOAT32);
    let at = descriptor.offset.into();
    let shape: Vec<u64> = dimensions.shape.iter().map(|len| u64::from(*len)).collect();
    let mut axes = Vec::new();
    let scales = parts.scales.map(|key| elements.get(key)).transpose()?.flatten();
    // A flag for each dimension, then the values of those that have a scale.
    let mut scale_at = shape.len() as u64;
    for (axis, len) in shape.iter().enumerate() {
        let number = found.dimensions.len();
        let name = Name::from(&*format!("fakeDim{number}"));
        found.dimensions.push(Dimension { name: name.clone(), len: *len, is_unlimited: false });
        axes.push(number);
        let has_scale =
            scales.as_ref().is_some_and(|scales| scales.bytes.get(axis).is_some_and(|flag| *flag != 0));
        let scale_type = parts.scale_types.get(axis).copied().unwrap_or(NumberType::FLOAT32);
        if !has_scale {
            continue;
        }
        let values = parts.scales.map_or(Values::Nowhere, |key| Values::Within(key, scale_at));
        scale_at += len * u64::from(scale_type.bytes);
        found.data_sets.push(Sds {
            name,
            dataset: DataSet {
                element: Element::Number(scale_type),
                shape: vec![*len],
                is_unlimited: false,
                values,
                fill: scale_type.default_fill(),
                attributes: texts(&parts, axis + 1),
                at,
            },
            dimensions: vec![number],
            keys: Vec::new(),
            reference: descriptor.reference,
        });
    }
    let keys: Vec<_> = [Some(key), parts.data].into_iter().flatten().collect();
    let attributes = [parts.attributes.clone(), tables.annotations(&keys), texts(&parts, 0)].concat();
    found.data_sets.push(Sds {
        name: Name::from(&*format!("Data-Set-{}", descriptor.reference)),
        dataset: DataSet {
            element: Element::Number(number_type),
            shape,
            is_unlimited: false,
            values: parts.data.map_or(Values::Nowhere, Values::Of),
            fill: parts.fill.clone().unwrap_or_else(|| fill(&attributes, number_type)),
            attributes,
            at,
        },
        dimensions: axes,
        keys,
        reference: descriptor.reference,
    });
    Ok(())
}

fn parts(elements: &Elements, list: &Bytes, linked: &mut HashSet<u16>) -> Result<Parts> {
    let mut parts = Parts::default();
    let list = members(&list.bytes, list.at).or_error()?;
    // The type of the values is needed before what is stored in it.
    if let Some(key) = list.iter().find(|(tag, _)| *tag == tag::DATA_DIMENSIONS) {
        let record = elements.need(*key)?;
        let dimensions = DataDimensions::parse(&record.bytes, record.at).or_error()?;
        parts.number_type = Some(elements.number_type(dimensions.number_type)?);
        let scale_types = dimensions.scale_types.iter().map(|key| elements.number_type(*key));
        parts.scale_types = scale_types.collect::<Result<_>>()?;
        parts.dimensions = Some(dimensions);
    }
    let number_type = parts.number_type.unwrap_or(NumberType::FLOAT32);
    for key in list {
        let bytes =
            || Ok::<_, crate::Error>(elements.get(key)?.map(|element| element.bytes).unwrap_or_default());
        match key.0 {
            tag::DATA => parts.data = Some(key),
            tag::DATA_SCALES => parts.scales = Some(key),
            tag::DATA_LABELS => parts.labels = strings(&bytes()?),
            tag::DATA_UNITS => parts.units = strings(&bytes()?),
            tag::DATA_FORMATS => parts.formats = strings(&bytes()?),
            tag::DATA_COORDINATES => {
                let text = strings(&bytes()?).into_iter().next().unwrap_or_default();
                if !text.is_empty() {
                    parts.attributes.push(Attribute::text("coordsys", &text));
                }
            }
            tag::CALIBRATION => parts.attributes.extend(calibration(&bytes()?)),
            tag::DATA_RANGE => {
                let bytes = bytes()?;
                let width = usize::from(number_type.bytes);
                let both = bytes.get(..width).zip(bytes.get(width..2 * width));
                if let Some((max, min)) = both {
                    parts.attributes.push(Attribute::numbers("valid_max", number_type, max));
                    parts.attributes.push(Attribute::numbers("valid_min", number_type, min));
                }
            }
            tag::FILL_VALUE => {
                parts.fill =
                    Some(bytes()?.to_vec()).filter(|fill| fill.len() == usize::from(number_type.bytes));
            }
            tag::DATA_LINK => {
                let pairs = elements.need(key)?;
                let pairs = members(&pairs.bytes, pairs.at).or_error()?;
                linked.extend(pairs.get(1).map(|(_, reference)| *reference));
            }
            _ => {}
        }
    }
    Ok(parts)
}

/// The texts of a data set (0) or of a dimension (from 1) as attributes.
fn texts(parts: &Parts, index: usize) -> Vec<Attribute> {
    let words = [("long_name", &parts.labels), ("units", &parts.units), ("format", &parts.formats)];
    let text = |(name, texts): (&str, &Vec<Vec<u8>>)| {
        let text = texts.get(index).filter(|text| !text.is_empty())?;
        Some(Attribute::text(name, text))
    };
    words.into_iter().filter_map(text).collect()
}

/// The texts of an element, each of which ends with a NUL.
fn strings(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect()
}

/// A calibration: factor, its error, offset, its error, and the type of calibrated values.
fn calibration(bytes: &[u8]) -> Vec<Attribute> {
    let (number_type, code_type) = match bytes.len() {
        CALIBRATION_64_BYTES => (FLOAT64, INT32),
        _ => (NumberType::FLOAT32, INT16),
    };
    let width = usize::from(number_type.bytes);
    let names = ["scale_factor", "scale_factor_err", "add_offset", "add_offset_err"];
    let numbers = names.iter().enumerate().filter_map(|(at, name)| {
        let value = bytes.get(at * width..(at + 1) * width)?;
        Some(Attribute::numbers(*name, number_type, value))
    });
    let code = bytes.get(4 * width..4 * width + usize::from(code_type.bytes));
    let code = code.map(|code| Attribute::numbers("calibrated_nt", code_type, code));
    numbers.chain(code).collect()
}
