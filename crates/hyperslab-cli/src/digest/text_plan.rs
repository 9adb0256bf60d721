//! How elements with variable-length or reference parts are written as text, decided once for a datatype.

use super::describe_type::members_in_memory;
use crate::element::{Enumeration, NativeFloat, is_native_integer};
use hyperslab::{Error, Result};
use hyperslab_format::message::datatype::{Float, Integer, Reference, StringPadding};
use hyperslab_format::message::{Class, Datatype};

/// What an element is written as.
#[derive(Debug)]
pub(crate) enum TextPlan {
    /// A number.
    Integer(Integer),
    /// A number.
    Enumeration(Enumeration),
    /// The bits of a number.
    Float { float: Float, native: NativeFloat },
    /// Text of the whole element.
    FixedText(StringPadding),
    /// Text in the global heap.
    Text,
    /// Bytes.
    Opaque,
    /// Parts, each with its own plan.
    Compound(Vec<Part>),
    /// Parts of one kind, side by side.
    Repeat(Box<Part>),
    /// Parts of one kind, in the global heap.
    Sequence(Box<Part>),
    /// The path of an object.
    ObjectReference,
    /// The path of a dataset, and what is selected of it.
    RegionReference,
    /// Whichever of the two it is, or the path of an object and one of its attributes; perhaps of another file.
    RevisedReference,
}

/// A part of an element.
#[derive(Debug)]
pub(crate) struct Part {
    /// Where the first of its bytes lies.
    pub start: usize,
    /// How many bytes it has.
    pub size: usize,
    /// What it is written as.
    pub plan: TextPlan,
}

impl TextPlan {
    /// The plan for a datatype; an error where a part of it has no text.
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
                Self::Repeat(Box::new(Part { start: 0, size: base.size as usize, plan }))
            }
            Class::FixedString { padding, .. } => Self::FixedText(*padding),
            Class::VlenString { .. } => Self::Text,
            Class::Opaque { .. } => Self::Opaque,
            Class::Compound { members } => {
                let members = members_in_memory(datatype, members).into_iter();
                let parts = members.map(|member| Part::of(&member.datatype, member.offset as usize));
                Self::Compound(parts.collect::<Result<_>>()?)
            }
            Class::Array { base, .. } => Self::Repeat(Box::new(Part::of(base, 0)?)),
            Class::VlenSequence { base } => Self::Sequence(Box::new(Part::of(base, 0)?)),
            Class::Reference(Reference::Object) => Self::ObjectReference,
            Class::Reference(Reference::Region) => Self::RegionReference,
            Class::Reference(Reference::Standard) => Self::RevisedReference,
            _ => return Err(no_text()),
        })
    }
}

impl Part {
    fn of(datatype: &Datatype, start: usize) -> Result<Self> {
        Ok(Self { start, size: datatype.size as usize, plan: TextPlan::new(datatype)? })
    }
}
