//! Attributes with netCDF's types: an attribute has one axis, and text is either characters or strings.

use crate::conventions::is_reserved;
use crate::types::{AtomicType, UserType, VariableType, find_user_type};
use bytes::Bytes;
use hyperslab::{File, Heap, Result, number};
use hyperslab_format::message::datatype::Float;
use hyperslab_format::message::{Attribute as Stored, ByteOrder, Class, Dataspace, Datatype};

/// An attribute of a group or a variable.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its type. Text of a fixed length is [`AtomicType::Char`] in a scalar attribute, and a list of
    /// [`AtomicType::String`] in one with an axis.
    pub attribute_type: VariableType,
    /// The HDF5 attribute.
    pub stored: Stored,
}

/// The values of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Text (`NC_CHAR`), as the bytes of the file.
    Char(Vec<u8>),
    /// Several texts (`NC_STRING`), as the bytes of the file, without a terminating NUL.
    String(Vec<Vec<u8>>),
    /// 8-bit to 64-bit integers.
    Integer(AtomicType, Vec<i128>),
    /// 32-bit floating-point numbers.
    Float(Vec<f32>),
    /// 64-bit floating-point numbers.
    Double(Vec<f64>),
    /// Elements of a user-defined or unknown type, in the representation of the file.
    Elements(Vec<Bytes>),
}

impl Values {
    /// How many elements there are; the bytes of a [`Values::Char`].
    pub fn len(&self) -> usize {
        match self {
            Values::Char(text) => text.len(),
            Values::String(texts) => texts.len(),
            Values::Integer(_, values) => values.len(),
            Values::Float(values) => values.len(),
            Values::Double(values) => values.len(),
            Values::Elements(elements) => elements.len(),
        }
    }

    /// True without an element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Attribute {
    /// The attributes of an object that belong to the data model, in the same order. Their types are set by
    /// [`Self::resolve_type`] when all types of the file are known.
    pub(crate) fn visible(stored: Vec<Stored>) -> Vec<Self> {
        Self::all(stored.into_iter().filter(|stored| !is_reserved(stored.name.as_bytes())))
    }

    /// The attributes of an object of this file: names are reserved in HDF5 files only.
    pub(crate) fn of(file: &File, stored: Vec<Stored>) -> Vec<Self> {
        if file.named_dimensions().is_some() { Self::all(stored) } else { Self::visible(stored) }
    }

    /// All these attributes.
    pub(crate) fn all(stored: impl IntoIterator<Item = Stored>) -> Vec<Self> {
        let attribute = |stored: Stored| Self {
            name: stored.name.to_string(),
            attribute_type: VariableType::Other,
            stored,
        };
        stored.into_iter().map(attribute).collect()
    }

    pub(crate) fn resolve_type(&mut self, types: &[UserType]) {
        self.attribute_type = type_of(&self.stored, types);
    }

    /// Its text, up to the first NUL; of several texts, all with spaces between them. `None` where it has another type, or cannot be read.
    pub fn text(&self, heap: &mut Heap) -> Option<String> {
        let bytes = match self.values(heap).ok()? {
            Values::Char(text) => text,
            Values::String(texts) => texts.join(&b' '),
            _ => return None,
        };
        Some(String::from_utf8_lossy(until_nul(&bytes)).into_owned())
    }

    /// Its values. `heap` is that of the file which the attribute lies in.
    ///
    /// # Errors
    /// Where text of variable length cannot be read.
    pub fn values(&self, heap: &mut Heap) -> Result<Values> {
        let Stored { datatype, data, .. } = &self.stored;
        let elements = || data.chunks_exact(datatype.size.max(1) as usize);
        Ok(match (self.attribute_type, &datatype.class) {
            (VariableType::Atomic(AtomicType::Char), Class::FixedString { .. }) => {
                Values::Char(data.to_vec())
            }
            // As netCDF-C hands it over: spaces that pad a text are part of it.
            (VariableType::Atomic(AtomicType::String), Class::FixedString { .. }) => {
                Values::String(elements().map(|element| until_nul(element).to_vec()).collect())
            }
            (VariableType::Atomic(AtomicType::String), Class::VlenString { .. }) => {
                let texts = elements().map(|element| Ok(until_nul(&heap.sequence(element, 1)?.1).to_vec()));
                Values::String(texts.collect::<Result<_>>()?)
            }
            (VariableType::Atomic(atomic), Class::Integer(integer)) => Values::Integer(
                atomic,
                elements().map(|element| number::integer_value(integer, element)).collect(),
            ),
            (VariableType::Atomic(AtomicType::Float), Class::Float(_)) => {
                Values::Float(elements().map(|element| as_float(datatype, element)).collect())
            }
            (VariableType::Atomic(AtomicType::Double), Class::Float(_)) => {
                Values::Double(elements().map(|element| as_double(datatype, element)).collect())
            }
            _ => Values::Elements(elements().map(|element| data.slice_ref(element)).collect()),
        })
    }

    /// How many elements it has.
    pub fn len(&self) -> u64 {
        match (self.attribute_type, &self.stored.dataspace) {
            (_, Dataspace::Null) => 0,
            (VariableType::Atomic(AtomicType::Char), _) => self.stored.data.len() as u64,
            (_, space) => space.elements().unwrap_or(0),
        }
    }

    /// True without an element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn type_of(stored: &Stored, types: &[UserType]) -> VariableType {
    let is_scalar = !matches!(&stored.dataspace, Dataspace::Simple { .. });
    match &stored.datatype.class {
        Class::FixedString { .. } if is_scalar => VariableType::Atomic(AtomicType::Char),
        Class::FixedString { .. } => VariableType::Atomic(AtomicType::String),
        _ => variable_type(&stored.datatype, types),
    }
}

/// The netCDF type of a variable with this datatype.
pub(crate) fn variable_type(datatype: &Datatype, types: &[UserType]) -> VariableType {
    let user = || find_user_type(types, datatype).map(VariableType::User);
    AtomicType::of(datatype).map(VariableType::Atomic).or_else(user).unwrap_or(VariableType::Other)
}

/// The value of a floating-point element.
pub(crate) fn as_float(datatype: &Datatype, element: &[u8]) -> f32 {
    f32::from_le_bytes(converted(datatype, element))
}

/// The value of a floating-point element.
pub(crate) fn as_double(datatype: &Datatype, element: &[u8]) -> f64 {
    f64::from_le_bytes(converted(datatype, element))
}

/// An element as an IEEE number of `N` bytes, least significant byte first.
fn converted<const N: usize>(datatype: &Datatype, element: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    let size = N as u32;
    let ieee = Float::ieee(size, ByteOrder::Little).map(Class::Float);
    let ieee = ieee.map(|class| Datatype { size, class, committed: None });
    if let Some(converter) = ieee.and_then(|ieee| number::Converter::new(datatype, &ieee)) {
        converter.convert(element, &mut out);
    }
    out
}

fn until_nul(text: &[u8]) -> &[u8] {
    &text[..text.iter().position(|&byte| byte == 0).unwrap_or(text.len())]
}
