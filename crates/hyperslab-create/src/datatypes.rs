//! The datatypes of new datasets and attributes, as h5py writes those of NumPy.

use crate::elements::{REFERENCE_BYTES, REGION_BYTES, VARIABLE_BYTES};
use bytes::Bytes;
pub use hyperslab::Datatype;
pub use hyperslab::datatypes::{ByteOrder, Charset, StringPadding};
use hyperslab::datatypes::{Class, Float, Integer, Member, Reference};

fn new(size: u32, class: Class) -> Datatype {
    Datatype { size, class, committed: None }
}

/// An integer of `size` bytes (1 to 8), little-endian.
pub fn integer(size: u32, signed: bool) -> Datatype {
    integer_in(size, signed, ByteOrder::Little)
}

/// An integer of `size` bytes (1 to 8).
pub fn integer_in(size: u32, signed: bool, order: ByteOrder) -> Datatype {
    let precision = (8 * size) as u16;
    new(size, Class::Integer(Integer { order, signed, bit_offset: 0, precision }))
}

/// An IEEE 754 number of 2, 4 or 8 bytes, little-endian; `None` for other sizes.
pub fn float(size: u32) -> Option<Datatype> {
    float_in(size, ByteOrder::Little)
}

/// An IEEE 754 number of 2, 4 or 8 bytes; `None` for other sizes.
pub fn float_in(size: u32, order: ByteOrder) -> Option<Datatype> {
    let float = Float::ieee(size, order).filter(|_| size <= 8)?;
    Some(new(size, Class::Float(float)))
}

/// A truth value: an enumeration of one byte, as h5py stores it.
pub fn boolean() -> Datatype {
    enumeration(integer(1, true), [("FALSE", vec![0]), ("TRUE", vec![1])])
}

/// A complex number: a compound of the parts `r` and `i`, as h5py stores it.
pub fn complex(part: Datatype) -> Datatype {
    let size = part.size;
    compound(2 * size, [("r", 0, part.clone()), ("i", size, part)])
}

/// Text of `size` bytes, padded with NULs.
pub fn fixed_string(size: u32, charset: Charset) -> Datatype {
    new(size, Class::FixedString { padding: StringPadding::NullPad, charset })
}

/// Text of variable length.
pub fn string(charset: Charset) -> Datatype {
    new(VARIABLE_BYTES as u32, Class::text(StringPadding::NullTerminate, charset))
}

/// A sequence of variable length.
pub fn sequence(base: Datatype) -> Datatype {
    new(VARIABLE_BYTES as u32, Class::VlenSequence { base: Box::new(base) })
}

/// A reference to an object.
pub fn reference() -> Datatype {
    new(REFERENCE_BYTES as u32, Class::Reference(Reference::Object))
}

/// A reference to a region of a dataset.
pub fn region_reference() -> Datatype {
    new(REGION_BYTES as u32, Class::Reference(Reference::Region))
}

/// An enumeration: names, each with the bytes of its value in `base`.
pub fn enumeration<N: AsRef<str>>(
    base: Datatype,
    members: impl IntoIterator<Item = (N, Vec<u8>)>,
) -> Datatype {
    let members = members.into_iter().map(|(name, value)| (name.as_ref().into(), Bytes::from(value)));
    new(base.size, Class::Enum { members: members.collect(), base: Box::new(base) })
}

/// A compound of `size` bytes: the names, offsets in bytes, and datatypes of its members.
pub fn compound<N: AsRef<str>>(size: u32, members: impl IntoIterator<Item = (N, u32, Datatype)>) -> Datatype {
    let member = |(name, offset, datatype): (N, u32, Datatype)| Member {
        name: name.as_ref().into(),
        offset,
        datatype,
    };
    new(size, Class::Compound { members: members.into_iter().map(member).collect() })
}

/// An array of elements; `None` if it has more than 4 GiB.
pub fn array(base: Datatype, dims: &[u32]) -> Option<Datatype> {
    let size = dims.iter().try_fold(base.size, |size, &dim| size.checked_mul(dim))?;
    Some(new(size, Class::Array { dims: dims.into(), base: Box::new(base) }))
}

/// Bytes without a meaning; the tag says what they are, and may be empty.
pub fn opaque(size: u32, tag: &str) -> Datatype {
    new(size, Class::Opaque { tag: tag.into() })
}
