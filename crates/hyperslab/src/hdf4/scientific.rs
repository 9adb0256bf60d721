//! Scientific data sets as the SD interface stores them: Vgroups of the classes of netCDF.
//!
//! ```text
//! Vgroup CDF0.0 ─┬─ Vgroup Dim0.0 or UDim0.0: a dimension ── Vdata DimVal0.1: its length
//!                ├─ Vgroup Var0.0: a data set, with its dimensions, its values (tag 702), its type (106), its attributes
//!                └─ Vdata Attr0.0: an attribute of the file
//! ```

use super::attribute::Attribute;
use super::elements::Elements;
use super::model::{DataSet, Dimension, Element, Values};
use super::place::Place;
use super::tables::Tables;
use crate::{Error, Result};
use hyperslab_format::Name;
use hyperslab_hdf4::{Kind, NumberType, Vgroup, tag};

/// Classes of Vgroups and Vdatas that belong to data sets.
pub(super) mod class {
    pub(crate) const FILE: &[u8] = b"CDF0.0";
    pub(crate) const VARIABLE: &[u8] = b"Var0.0";
    pub(crate) const DIMENSION: &[u8] = b"Dim0.0";
    pub(crate) const UNLIMITED: &[u8] = b"UDim0.0";
    pub(crate) const ATTRIBUTE: &[u8] = b"Attr0.0";
    /// The length of a dimension is the number of records.
    pub(crate) const LENGTH_OLD: &[u8] = b"DimVal0.0";
    /// The length of a dimension is the value of the record.
    pub(crate) const LENGTH: &[u8] = b"DimVal0.1";
    pub(crate) const DATA_SET: &[u8] = b"SDSVar";
    pub(crate) const SCALE: &[u8] = b"CoordVar";
}

/// The data sets of a file.
#[derive(Default)]
pub(super) struct Scientific {
    pub(super) dimensions: Vec<Dimension>,
    pub(super) data_sets: Vec<Sds>,
    pub(super) attributes: Vec<Attribute>,
    /// What could not be read, with the name of the data set.
    pub(super) problems: Vec<Error>,
}

/// A data set.
pub(super) struct Sds {
    pub(super) name: Name,
    pub(super) dataset: DataSet,
    /// The numbers of its dimensions.
    pub(super) dimensions: Vec<usize>,
    /// The tags and references by which Vgroups refer to it.
    pub(super) keys: Vec<(u16, u16)>,
    pub(super) reference: u16,
}

/// Reads the data sets, if the file has a Vgroup of them.
pub(super) fn read(elements: &Elements, tables: &Tables) -> Option<Scientific> {
    let mut of_class = tables.vgroups.values().filter(|vgroup| vgroup.class.as_bytes() == class::FILE);
    let file = of_class.next()?;
    let mut found = Scientific::default();
    found.dimensions = dimensions(elements, tables, file, &mut found.problems);
    for (reference, vgroup) in tables.vgroups_of(file) {
        if vgroup.class.as_bytes() != class::VARIABLE {
            continue;
        }
        match data_set(elements, tables, vgroup, reference, &found.dimensions) {
            Ok(data_set) => found.data_sets.push(data_set),
            Err(error) => found.problems.push(error.at_object(format!("/{}", vgroup.name))),
        }
    }
    found.attributes = tables.attributes_of(elements, file, class::ATTRIBUTE);
    Some(found)
}

fn dimensions(
    elements: &Elements,
    tables: &Tables,
    file: &Vgroup,
    problems: &mut Vec<Error>,
) -> Vec<Dimension> {
    let mut dimensions: Vec<Dimension> = Vec::new();
    for (_, vgroup) in tables.vgroups_of(file) {
        let is_unlimited = vgroup.class.as_bytes() == class::UNLIMITED;
        if !is_unlimited && vgroup.class.as_bytes() != class::DIMENSION {
            continue;
        }
        let len = match length(elements, tables, vgroup, is_unlimited) {
            Ok(len) => len,
            Err(error) => {
                problems.push(error);
                continue;
            }
        };
        let name = vgroup.name.clone();
        let is_known = |known: &Dimension| known.name == name && (known.len == len || is_unlimited);
        if !dimensions.iter().any(is_known) {
            dimensions.push(Dimension { name, len, is_unlimited });
        }
    }
    dimensions
}

/// The length of a dimension.
fn length(elements: &Elements, tables: &Tables, vgroup: &Vgroup, is_unlimited: bool) -> Result<u64> {
    let mut len = 0;
    for (reference, vdata) in tables.vdatas_of(vgroup) {
        let class = vdata.class.as_bytes();
        if class == class::LENGTH || (is_unlimited && class == class::LENGTH_OLD) {
            let records = elements.get((tag::VDATA_RECORDS, reference))?;
            let first = records.and_then(|records| records.bytes.first_chunk().copied());
            let first =
                first.ok_or_else(|| Error::damaged(format!("dimension {} has no length", vgroup.name)))?;
            let first = match vdata.fields.first() {
                Some(field) if field.number_type.is_little_endian => i32::from_le_bytes(first),
                _ => i32::from_be_bytes(first),
            };
            len = u64::try_from(first)
                .map_err(|_| Error::damaged(format!("dimension {} has the length {first}", vgroup.name)))?;
        } else if class == class::LENGTH_OLD {
            len = vdata.records.into();
        }
    }
    Ok(len)
}

fn data_set(
    elements: &Elements,
    tables: &Tables,
    vgroup: &Vgroup,
    reference: u16,
    dimensions: &[Dimension],
) -> Result<Sds> {
    let mut axes = Vec::new();
    for (_, member) in tables.vgroups_of(vgroup) {
        let class = member.class.as_bytes();
        if class == class::DIMENSION || class == class::UNLIMITED {
            // As in libhdf4, the name alone says which dimension it is.
            let number = dimensions.iter().position(|dimension| dimension.name == member.name);
            axes.push(
                number.ok_or_else(|| Error::damaged(format!("there is no dimension {}", member.name)))?,
            );
        }
    }
    let key = |wanted: u16| vgroup.members.iter().rev().find(|(tag, _)| *tag == wanted).copied();
    let number_type =
        key(tag::NUMBER_TYPE).ok_or_else(|| Error::damaged("a data set without a number type"))?;
    let number_type = elements.number_type(number_type)?;
    let values = key(tag::DATA).map_or(Values::Nowhere, Values::Of);
    let mut shape: Vec<u64> = axes.iter().map(|axis| dimensions[*axis].len).collect();
    let is_unlimited = axes.first().is_some_and(|axis| dimensions[*axis].is_unlimited);
    if is_unlimited {
        shape[0] = records(elements, &values, &shape, number_type)?;
    }
    let attributes = tables.attributes_of(elements, vgroup, class::ATTRIBUTE);
    let keys =
        [Some((tag::VGROUP, reference)), key(tag::DATA_GROUP), key(tag::DATA_GROUP_OLD), key(tag::DATA)];
    let keys: Vec<_> = keys.into_iter().flatten().collect();
    Ok(Sds {
        name: vgroup.name.clone(),
        dataset: DataSet {
            element: Element::Number(number_type),
            shape,
            is_unlimited,
            values,
            fill: fill(&attributes, number_type),
            attributes: [attributes, tables.annotations(&keys)].concat(),
            at: elements.at((tag::VGROUP, reference)),
        },
        dimensions: axes,
        keys,
        reference,
    })
}

/// The records that were written of a data set that can grow.
fn records(elements: &Elements, values: &Values, shape: &[u64], number_type: NumberType) -> Result<u64> {
    let Values::Of(key) = values else { return Ok(0) };
    let bytes =
        shape[1..].iter().try_fold(u64::from(number_type.bytes), |bytes, len| bytes.checked_mul(*len));
    let bytes = bytes.ok_or_else(|| Error::damaged("the bytes of a record overflow 64 bits"))?;
    Ok(Place::of(elements, *key)?.bytes().checked_div(bytes).unwrap_or(0))
}

fn is_float(number_type: NumberType) -> bool {
    number_type.kind == Kind::Float
}

/// The value of elements that were never written.
pub(super) fn fill(attributes: &[Attribute], number_type: NumberType) -> Vec<u8> {
    let own = attributes.iter().find(|attribute| attribute.name.as_bytes() == b"_FillValue");
    let own = own.filter(|own| own.values.len() == usize::from(number_type.bytes));
    match own {
        // As libhdf4, which takes its bytes.
        Some(own) if is_float(own.number_type) == is_float(number_type) => {
            let mut value = own.values.clone();
            if own.number_type.is_little_endian != number_type.is_little_endian {
                value.reverse();
            }
            value
        }
        _ => number_type.default_fill(),
    }
}
