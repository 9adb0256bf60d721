//! Attributes: of a data set, of the file, of a Vgroup. Each is a Vdata; texts that older structures hold become some, too.

use super::datatype::{datatype, to_native};
use super::elements::Elements;
use super::model::Element;
use crate::known_attributes::AttributeEntry;
use crate::{Error, Result, plain_types};
use hyperslab_format::Name;
use hyperslab_format::message::Attribute as Message;
use hyperslab_hdf4::{Kind, NumberType, Vdata, tag};

/// Characters.
const CHAR: NumberType = NumberType { kind: Kind::Char, bytes: 1, is_little_endian: false };

/// An attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attribute {
    pub(super) name: Name,
    pub(super) number_type: NumberType,
    /// In the order of the file.
    pub(super) values: Vec<u8>,
    /// Why the values are not there.
    damage: Option<String>,
}

impl Attribute {
    /// The attribute that a Vdata with this reference contains in its first field. One that cannot be read is an attribute
    /// whose values are an error.
    pub(super) fn read(elements: &Elements, name: &Name, vdata: &Vdata, reference: u16) -> Self {
        Self::parse(elements, name, vdata, reference).unwrap_or_else(|error| Self {
            damage: Some(error.to_string()),
            ..Self::text(name.to_string(), b"")
        })
    }

    fn parse(elements: &Elements, name: &Name, vdata: &Vdata, reference: u16) -> Result<Self> {
        let field = vdata.fields.first().ok_or_else(|| Error::damaged("an attribute without a field"))?;
        let records = elements.get((tag::VDATA_RECORDS, reference))?;
        let records = records.map(|element| element.bytes).unwrap_or_default();
        let (start, step) = vdata.place(field);
        let mut values = Vec::new();
        if field.bytes() == 0 {
            return Ok(Self::numbers(name.clone(), field.number_type, &values));
        }
        for record in 0..u64::from(vdata.records) {
            let from = (start + record * step) as usize;
            let bytes = records.get(from..from + field.bytes()).ok_or_else(|| {
                let what =
                    format!("record {record} lies behind the {} bytes of the attribute", records.len());
                Error::damaged(what)
            })?;
            values.extend_from_slice(bytes);
        }
        Ok(Self::numbers(name.clone(), field.number_type, &values))
    }

    /// A text.
    pub(super) fn text(name: impl Into<String>, text: &[u8]) -> Self {
        let name = Name::new(name.into().into_bytes());
        Self { name, number_type: CHAR, values: text.to_vec(), damage: None }
    }

    /// Numbers, as they are stored.
    pub(super) fn numbers(name: impl Into<Name>, number_type: NumberType, values: &[u8]) -> Self {
        Self { name: name.into(), number_type, values: values.to_vec(), damage: None }
    }

    /// The text of an attribute that is one.
    pub(super) fn as_text(&self) -> Option<String> {
        let is_text = self.number_type.is_text();
        is_text.then(|| String::from_utf8_lossy(&self.values).into_owned())
    }

    /// The numbers of an attribute of 32-bit integers, if none is negative.
    pub(super) fn counts(&self) -> Option<Vec<u64>> {
        const INTEGER: NumberType = NumberType { kind: Kind::Int, bytes: 4, is_little_endian: false };
        let (numbers, rest) = self.values.as_chunks::<4>();
        let is_whole = self.number_type == INTEGER && rest.is_empty();
        let numbers = numbers.iter().map(|number| u64::try_from(i32::from_be_bytes(*number)).ok());
        is_whole.then(|| numbers.collect()).flatten()
    }

    fn message(&self, number: u32) -> Result<Message> {
        let Attribute { name, number_type, values, damage } = self;
        if let Some(what) = damage {
            return Err(Error::damaged(what.clone()));
        }
        let mut data = values.clone();
        to_native(*number_type).in_place(&mut data);
        let datatype = || datatype(&Element::Number(*number_type));
        plain_types::attribute(name, (!number_type.is_text()).then(datatype), data, number)
    }
}

/// All attributes of an object as HDF5 has them: a text is one element, numbers have one axis.
pub(super) fn entries(attributes: &[Attribute]) -> Vec<AttributeEntry> {
    let numbered = attributes.iter().zip(0u32..);
    let entry = |(attribute, number): (&Attribute, u32)| AttributeEntry {
        name: Some(attribute.name.clone()),
        attribute: attribute.message(number),
    };
    numbered.map(entry).collect()
}
