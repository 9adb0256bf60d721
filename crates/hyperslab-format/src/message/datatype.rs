//! Datatype message (specification IV.A.2.d, type 0x03): how the bytes of one element are to be understood.
//!
//! ```text
//! class and version 1 | class bit field 3 | size 4 | properties of the class
//! ```
//!
//! A datatype is a tree: compounds have members, arrays, sequences, enumerations and complex numbers have a base.
//! Its parts follow one another in the message without lengths, so that one error makes all of it unreadable. The
//! versions differ in the packing of compounds, enumerations and arrays:
//!
//! ```text
//! version 1   names padded to 8 bytes, members with up to 4 array dimensions of their own
//! version 2   names padded to 8 bytes, array datatypes
//! version 3   nothing padded, offsets of members as narrow as the size allows, VAX floating-point numbers
//! version 4   revised references
//! version 5   complex numbers
//! ```
//!
//! Not kept: the padding bits around the significant bits of numbers; they never change a value that is read.

mod display;
mod members;
mod number;
mod parse;

use crate::{Address, Name};

/// A datatype: how the bytes of one element are to be understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Datatype {
    /// Bytes of one element in the file (for variable-length data: of its reference into the global heap).
    pub size: u32,
    /// What kind of datatype it is.
    pub class: Class,
    /// Where the named (committed) datatype lies, if this is one or refers to one.
    pub committed: Option<Address>,
}

/// The datatype classes of the specification (IV.A.2.d), without those that describe no data.
#[derive(Debug, Clone, PartialEq)]
pub enum Class {
    /// Class 0, fixed-point numbers.
    Integer(Integer),
    /// Class 1, floating-point numbers.
    Float(Float),
    /// Class 2.
    Time {
        /// Byte order.
        order: ByteOrder,
        /// Significant bits.
        precision: u16,
    },
    /// Class 3, text of a fixed length.
    FixedString {
        /// What follows text that is shorter than the element.
        padding: StringPadding,
        /// Encoding.
        charset: Charset,
    },
    /// Class 4.
    Bitfield {
        /// Byte order.
        order: ByteOrder,
        /// Bit at which the value begins.
        bit_offset: u16,
        /// Significant bits.
        precision: u16,
    },
    /// Class 5.
    Opaque {
        /// The tag that describes the bytes.
        tag: Name,
    },
    /// Class 6.
    Compound {
        /// In the order of the file.
        members: Vec<Member>,
    },
    /// Class 7.
    Reference(Reference),
    /// Class 8.
    Enum {
        /// The integer datatype that stores the values.
        base: Box<Datatype>,
        /// Names, in the order of the file, with the bytes of their values in `base`.
        members: Vec<(Name, bytes::Bytes)>,
    },
    /// Class 9, a sequence of any number of elements.
    VlenSequence {
        /// The datatype of the elements.
        base: Box<Datatype>,
    },
    /// Class 9, text of any length.
    VlenString {
        /// What ends the text.
        padding: StringPadding,
        /// Encoding.
        charset: Charset,
    },
    /// Class 10.
    Array {
        /// Sizes, slowest dimension first.
        dims: Vec<u32>,
        /// The datatype of the elements.
        base: Box<Datatype>,
    },
    /// Class 11 (HDF5 2.0): real and imaginary part.
    Complex {
        /// The datatype of each part.
        base: Box<Datatype>,
    },
}

/// Order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
    /// Pairs of bytes swapped (floating-point only).
    Vax,
}

/// A fixed-point number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integer {
    /// Byte order.
    pub order: ByteOrder,
    /// Two's complement, or unsigned.
    pub signed: bool,
    /// Bit at which the value begins.
    pub bit_offset: u16,
    /// Significant bits.
    pub precision: u16,
}

/// A floating-point number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Float {
    /// Byte order.
    pub order: ByteOrder,
    /// Bit at which the value begins.
    pub bit_offset: u16,
    /// Significant bits.
    pub precision: u16,
    /// Bit of the sign.
    pub sign_location: u8,
    /// First bit of the exponent.
    pub exponent_location: u8,
    /// Bits of the exponent.
    pub exponent_size: u8,
    /// First bit of the mantissa.
    pub mantissa_location: u8,
    /// Bits of the mantissa.
    pub mantissa_size: u8,
    /// What is subtracted from the exponent.
    pub exponent_bias: u32,
    /// How the mantissa's first bit is kept.
    pub normalization: Normalization,
}

/// How the most significant bit of a mantissa is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normalization {
    /// Not normalised.
    None,
    /// Always set, and stored.
    AlwaysSet,
    /// Always set, and not stored (IEEE).
    Implied,
}

/// What pads text in a fixed-length string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StringPadding {
    /// Ends at the first NUL.
    NullTerminate,
    /// Filled up with NULs.
    NullPad,
    /// Filled up with spaces.
    SpacePad,
}

/// Encoding of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Charset {
    /// US-ASCII.
    Ascii,
    /// UTF-8.
    Utf8,
}

/// What a reference refers to, and how it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reference {
    /// `H5R_OBJECT1`: the address of an object header.
    Object,
    /// `H5R_DATASET_REGION1`: a global heap reference to an address and a selection.
    Region,
    /// `H5R_OBJECT2` and later: the revised encoding of 1.12.
    Standard,
}

/// A member of a compound datatype.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: Name,
    /// Bytes from the beginning of the element.
    pub offset: u32,
    /// Its datatype.
    pub datatype: Datatype,
}

impl Datatype {
    /// True where elements, or parts of them, are variable-length: they refer to the global heap.
    pub fn is_variable(&self) -> bool {
        self.any(&|class| matches!(class, Class::VlenSequence { .. } | Class::VlenString { .. }))
    }

    /// True where elements, or parts of them, refer to other objects of the file.
    pub fn contains_reference(&self) -> bool {
        self.any(&|class| matches!(class, Class::Reference(_)))
    }

    fn any(&self, wanted: &impl Fn(&Class) -> bool) -> bool {
        wanted(&self.class)
            || match &self.class {
                Class::Compound { members } => members.iter().any(|member| member.datatype.any(wanted)),
                Class::Enum { base, .. }
                | Class::VlenSequence { base }
                | Class::Array { base, .. }
                | Class::Complex { base } => base.any(wanted),
                _ => false,
            }
    }
}

#[cfg(test)]
mod tests;
