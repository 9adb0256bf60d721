//! How elements with variable-length or reference members are written as text: determined once per datatype.

use super::describe_type::members_in_memory;
use crate::element::{Enumeration, NativeFloat, is_native_integer};
use hyperslab::{Error, Result};
use hyperslab_format::message::datatype::{Float, Integer, Reference, StringPadding};
use hyperslab_format::message::{Class, Datatype};

/// How an element is written.
#[derive(Debug)]
pub enum TextPlan {
    /// An integer.
    Integer(Integer),
    /// A floating point number.
    Enumeration(Enumeration),
    /// The bits of a number.
    Float { float: Float, native: NativeFloat },
    /// The whole element as text.
    FixedText(StringPadding),
    /// Text in the global heap.
    Text,
    /// The bytes of the element.
    Opaque,
    /// Members, each with its own plan.
    Compound(Vec<ElementPart>),
    /// Consecutive elements of one kind.
    Repeat(Box<ElementPart>),
    /// A sequence of elements of one kind, in the global heap.
    Sequence(Box<ElementPart>),
    /// The path of the referenced object.
    ObjectReference,
    /// The path of the referenced dataset, and its selected region.
    RegionReference,
    /// A reference of HDF5 1.12: one of the two above, or the path of an object and one of its attributes, possibly in
    /// another file.
    RevisedReference,
}

/// A member of an element.
#[derive(Debug)]
pub struct ElementPart {
    /// Offset of its first byte.
    pub start: usize,
    /// Its size in bytes.
    pub size: usize,
    /// How it is written.
    pub plan: TextPlan,
}

impl TextPlan {
    /// The plan for a datatype; an error if a member of it cannot be written as text.
    pub fn new(datatype: &Datatype) -> Result<Self> {
        let no_text =
            || Error::unsupported(format!("values of the datatype {datatype} cannot be written as text"));
        Ok(match &datatype.class {
            Class::Integer(integer) if is_native_integer(datatype.size) => Self::Integer(integer.clone()),
            Class::Bitfield { order, bit_offset, precision } if is_native_integer(datatype.size) => {
                let (order, bit_offset, precision) = (*order, *bit_offset, *precision);
                Self::Integer(Integer { order, signed: false, bit_offset, precision })
            }
            Class::Enum { base, members } => {
                Self::Enumeration(Enumeration::new(base, members).ok_or_else(no_text)?)
            }
            Class::Float(float) => {
                let native = NativeFloat::of(float, datatype.size).ok_or_else(no_text)?;
                Self::Float { float: float.clone(), native }
            }
            Class::Complex { base } => {
                let Class::Float(float) = &base.class else { return Err(no_text()) };
                let native = NativeFloat::of_complex_part(float, base.size).ok_or_else(no_text)?;
                let plan = Self::Float { float: float.clone(), native };
                Self::Repeat(Box::new(ElementPart { start: 0, size: base.size as usize, plan }))
            }
            Class::FixedString { padding, .. } => Self::FixedText(*padding),
            Class::VlenString { .. } => Self::Text,
            Class::Opaque { .. } => Self::Opaque,
            Class::Compound { members } => {
                let members = members_in_memory(datatype, members).into_iter();
                let parts = members.map(|member| ElementPart::of(&member.datatype, member.offset as usize));
                Self::Compound(parts.collect::<Result<_>>()?)
            }
            Class::Array { base, .. } => Self::Repeat(Box::new(ElementPart::of(base, 0)?)),
            Class::VlenSequence { base } => Self::Sequence(Box::new(ElementPart::of(base, 0)?)),
            Class::Reference(Reference::Object) => Self::ObjectReference,
            Class::Reference(Reference::Region) => Self::RegionReference,
            Class::Reference(Reference::Standard { .. }) => Self::RevisedReference,
            _ => return Err(no_text()),
        })
    }
}

impl ElementPart {
    fn of(datatype: &Datatype, start: usize) -> Result<Self> {
        Ok(Self { start, size: datatype.size as usize, plan: TextPlan::new(datatype)? })
    }
}
