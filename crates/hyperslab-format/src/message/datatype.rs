//! Datatype message (specification IV.A.2.d, type 0x03): how to interpret the bytes of one element.
//!
//! ```text
//! class and version 1 | class bit field 3 | size 4 | properties of the class
//! ```
//!
//! A datatype is a tree: compounds have members; arrays, sequences, enumerations and complex numbers have a base type.
//! The parts follow each other in the message without lengths, so a single error makes the whole datatype unreadable.
//! The versions differ in the encoding of compounds, enumerations and arrays:
//!
//! ```text
//! version 1   names padded to 8 bytes, members with up to 4 array dimensions of their own
//! version 2   names padded to 8 bytes, array datatypes
//! version 3   nothing padded, offsets of members as narrow as the size allows, VAX floating-point numbers
//! version 4   revised references
//! version 5   complex numbers
//! ```
//!
//! The padding bits around the significant bits of numbers are not kept; they never affect a value that is read.

mod display;
mod encode;
mod members;
mod number;
mod parse;

use crate::{Address, Name};

/// A datatype: how to interpret the bytes of one element.
#[derive(Debug, Clone, PartialEq)]
pub struct Datatype {
    /// The size of one element in the file, in bytes (for variable-length data: of its reference into the global heap).
    pub size: u32,
    /// The class with its properties.
    pub class: Class,
    /// The address of the named (committed) datatype, if this is one or refers to one.
    pub committed: Option<Address>,
}

/// The datatype classes of the specification (IV.A.2.d).
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
        /// Number of significant bits.
        precision: u16,
    },
    /// Class 3, fixed-length text.
    FixedString {
        /// The padding of text that is shorter than the element.
        padding: StringPadding,
        /// Encoding.
        charset: Charset,
    },
    /// Class 4.
    Bitfield {
        /// Byte order.
        order: ByteOrder,
        /// The first bit of the value.
        bit_offset: u16,
        /// Number of significant bits.
        precision: u16,
    },
    /// Class 5.
    Opaque {
        /// The tag that describes the bytes.
        tag: Name,
    },
    /// Class 6.
    Compound {
        /// The members, in the order of the file.
        members: Vec<Member>,
    },
    /// Class 7.
    Reference(Reference),
    /// Class 8.
    Enum {
        /// The integer datatype that stores the values.
        base: Box<Datatype>,
        /// The names, in the order of the file, each with the bytes of its value in `base`.
        members: Vec<(Name, bytes::Bytes)>,
    },
    /// Class 9, a variable-length sequence.
    VlenSequence {
        /// The datatype of the elements.
        base: Box<Datatype>,
    },
    /// Class 9, variable-length text.
    VlenString {
        /// The termination or padding of the text.
        padding: StringPadding,
        /// Encoding.
        charset: Charset,
        /// The datatype of the characters, which does not affect the text.
        base: Box<Datatype>,
    },
    /// Class 10.
    Array {
        /// Sizes, slowest dimension first.
        dims: Vec<u32>,
        /// The datatype of the elements.
        base: Box<Datatype>,
    },
    /// Class 11 (HDF5 2.0): a real and an imaginary part.
    Complex {
        /// The datatype of each part.
        base: Box<Datatype>,
    },
}

/// The byte order of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
    /// Pairs of bytes are swapped (floating-point only).
    Vax,
}

/// A fixed-point number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integer {
    /// Byte order.
    pub order: ByteOrder,
    /// True if signed (two's complement).
    pub signed: bool,
    /// The first bit of the value.
    pub bit_offset: u16,
    /// Number of significant bits.
    pub precision: u16,
}

/// A floating-point number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Float {
    /// Byte order.
    pub order: ByteOrder,
    /// The first bit of the value.
    pub bit_offset: u16,
    /// Number of significant bits.
    pub precision: u16,
    /// The bit of the sign.
    pub sign_location: u8,
    /// The first bit of the exponent.
    pub exponent_location: u8,
    /// Number of bits of the exponent.
    pub exponent_size: u8,
    /// The first bit of the mantissa.
    pub mantissa_location: u8,
    /// Number of bits of the mantissa.
    pub mantissa_size: u8,
    /// The bias that is subtracted from the exponent.
    pub exponent_bias: u32,
    /// The storage of the mantissa's most significant bit.
    pub normalization: Normalization,
}

impl Float {
    /// The IEEE 754 interchange format of 2, 4, 8 or 16 bytes; `None` for other sizes.
    pub fn ieee(size: u32, order: ByteOrder) -> Option<Self> {
        let exponent_size = match size {
            2 => 5,
            4 => 8,
            8 => 11,
            16 => 15,
            _ => return None,
        };
        let precision = 8 * size as u16;
        let mantissa_size = (precision - 1) as u8 - exponent_size;
        Some(Self {
            order,
            bit_offset: 0,
            precision,
            sign_location: (precision - 1) as u8,
            exponent_location: mantissa_size,
            exponent_size,
            mantissa_location: 0,
            mantissa_size,
            exponent_bias: (1 << (exponent_size - 1)) - 1,
            normalization: Normalization::Implied,
        })
    }

    /// True for the IEEE 754 interchange formats of 16, 32, 64 and 128 bits, in either byte order.
    pub fn is_ieee(&self, size: u32) -> bool {
        self.order != ByteOrder::Vax && Self::ieee(size, self.order).as_ref() == Some(self)
    }
}

/// How the most significant bit of a mantissa is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normalization {
    /// Not normalised.
    None,
    /// Always set, and stored.
    AlwaysSet,
    /// Always set, and not stored (IEEE).
    Implied,
}

/// The padding of fixed-length text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StringPadding {
    /// The text ends at the first NUL.
    NullTerminate,
    /// The text is padded with NULs.
    NullPad,
    /// The text is padded with spaces.
    SpacePad,
}

/// The encoding of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Charset {
    /// US-ASCII.
    Ascii,
    /// UTF-8.
    Utf8,
}

/// The kinds of references, which differ in target and encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reference {
    /// `H5R_OBJECT1`: the address of an object header.
    Object,
    /// `H5R_DATASET_REGION1`: a global heap reference to an address and a selection.
    Region,
    /// `H5R_OBJECT2` and later: the revised encoding of 1.12.
    Standard {
        /// The version of the datatype message: 4, or 1 in files that were written before 1.12 was released. Libraries
        /// before 1.12 open an object with version 1, and refuse one with version 4.
        version: u8,
    },
}

/// A member of a compound datatype.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: Name,
    /// The offset from the start of the element, in bytes.
    pub offset: u32,
    /// Its datatype.
    pub datatype: Datatype,
}

impl Class {
    /// Variable-length text of bytes, as libhdf5 writes it on little-endian machines.
    pub fn text(padding: StringPadding, charset: Charset) -> Self {
        let byte = Integer { order: ByteOrder::Little, signed: false, bit_offset: 0, precision: 8 };
        let base = Datatype { class: Self::Integer(byte), size: 1, committed: None };
        Self::VlenString { padding, charset, base: Box::new(base) }
    }

    /// True for variable-length texts with the same elements, whatever the datatype of the characters.
    pub fn is_same_text(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::VlenString { padding, charset, .. },
                Self::VlenString { padding: other_padding, charset: other_charset, .. },
            ) => padding == other_padding && charset == other_charset,
            _ => false,
        }
    }
}

impl Datatype {
    /// The same datatype, whose names are in memory of their own ([`Name::detached`]).
    #[must_use]
    pub fn detached(&self) -> Self {
        let boxed = |base: &Self| Box::new(base.detached());
        let class = match &self.class {
            Class::Opaque { tag } => Class::Opaque { tag: tag.detached() },
            Class::Compound { members } => {
                let member = |member: &Member| Member {
                    name: member.name.detached(),
                    offset: member.offset,
                    datatype: member.datatype.detached(),
                };
                Class::Compound { members: members.iter().map(member).collect() }
            }
            Class::Enum { base, members } => {
                let member = |(name, value): &(Name, bytes::Bytes)| {
                    (name.detached(), bytes::Bytes::copy_from_slice(value))
                };
                Class::Enum { base: boxed(base), members: members.iter().map(member).collect() }
            }
            Class::VlenSequence { base } => Class::VlenSequence { base: boxed(base) },
            Class::Array { dims, base } => Class::Array { dims: dims.clone(), base: boxed(base) },
            Class::Complex { base } => Class::Complex { base: boxed(base) },
            Class::Integer(_)
            | Class::Float(_)
            | Class::Time { .. }
            | Class::FixedString { .. }
            | Class::Bitfield { .. }
            | Class::Reference(_) => self.class.clone(),
            Class::VlenString { padding, charset, base } => {
                Class::VlenString { padding: *padding, charset: *charset, base: boxed(base) }
            }
        };
        Self { class, ..*self }
    }

    /// True if elements or parts of them are variable-length, that is, refer to the global heap.
    pub fn is_variable(&self) -> bool {
        self.any(&|part| matches!(part.class, Class::VlenSequence { .. } | Class::VlenString { .. }))
    }

    /// True if elements or parts of them refer to other objects of the file.
    pub fn contains_reference(&self) -> bool {
        self.any(&|part| matches!(part.class, Class::Reference(_)))
    }

    /// True if a number in it has so many unused bits that libhdf5 takes it for damage, unless a checksum protects the
    /// object header (`H5T_is_numeric_with_unusual_unused_bits`).
    pub fn has_unusual_padding(&self) -> bool {
        self.any(&|part| {
            let used = match &part.class {
                Class::Integer(integer) => u64::from(integer.bit_offset) + u64::from(integer.precision),
                Class::Float(float) => u64::from(float.bit_offset) + u64::from(float.precision),
                Class::Bitfield { bit_offset, precision, .. } => {
                    u64::from(*bit_offset) + u64::from(*precision)
                }
                _ => return false,
            };
            part.size > 1 && u64::from(part.size) * 8 > used.next_power_of_two().max(2)
        })
    }

    fn any(&self, wanted: &impl Fn(&Self) -> bool) -> bool {
        wanted(self)
            || match &self.class {
                Class::Compound { members } => members.iter().any(|member| member.datatype.any(wanted)),
                Class::Enum { base, .. }
                | Class::VlenSequence { base }
                | Class::VlenString { base, .. }
                | Class::Array { base, .. }
                | Class::Complex { base } => base.any(wanted),
                _ => false,
            }
    }
}

#[cfg(test)]
mod tests;
