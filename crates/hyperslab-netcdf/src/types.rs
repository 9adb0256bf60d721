//! netCDF's data types, and which of them an HDF5 datatype is.
//!
//! A committed datatype of the file is a user-defined type. A variable or attribute of a class that only user-defined
//! types have (compound, enumeration, variable-length, opaque) must use one of them: netCDF-C looks for an equal one
//! in the whole file, and leaves out what has none.

use hyperslab_format::Address;
use hyperslab_format::message::datatype::Float;
use hyperslab_format::message::{Class, Datatype};

/// The number of a group in [`Netcdf::groups`](crate::Netcdf::groups); the root group is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub usize);

/// The type of a variable or an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableType {
    /// One of the types that every file has.
    Atomic(AtomicType),
    /// A type of this file.
    User(TypeId),
    /// An HDF5 datatype without a netCDF type; netCDF-C leaves such a variable out.
    Other,
}

/// The types that every netCDF-4 file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicType {
    /// Text of one byte.
    Char,
    /// 8-bit signed integer.
    Byte,
    /// 8-bit unsigned integer.
    UByte,
    /// 16-bit signed integer.
    Short,
    /// 16-bit unsigned integer.
    UShort,
    /// 32-bit signed integer.
    Int,
    /// 32-bit unsigned integer.
    UInt,
    /// 64-bit signed integer.
    Int64,
    /// 64-bit unsigned integer.
    UInt64,
    /// 32-bit floating-point number.
    Float,
    /// 64-bit floating-point number.
    Double,
    /// Text of any length.
    String,
}

impl AtomicType {
    /// The name in CDL.
    pub fn name(self) -> &'static str {
        match self {
            AtomicType::Char => "char",
            AtomicType::Byte => "byte",
            AtomicType::UByte => "ubyte",
            AtomicType::Short => "short",
            AtomicType::UShort => "ushort",
            AtomicType::Int => "int",
            AtomicType::UInt => "uint",
            AtomicType::Int64 => "int64",
            AtomicType::UInt64 => "uint64",
            AtomicType::Float => "float",
            AtomicType::Double => "double",
            AtomicType::String => "string",
        }
    }

    /// The atomic type that netCDF-C reads a dataset of this HDF5 datatype as.
    pub fn of(datatype: &Datatype) -> Option<Self> {
        match &datatype.class {
            Class::Integer(integer) => Self::integer(integer.precision, integer.signed),
            Class::Float(float) => Self::float(float, datatype.size),
            Class::FixedString { .. } if datatype.size == 1 => Some(AtomicType::Char),
            Class::FixedString { .. } | Class::VlenString { .. } => Some(AtomicType::String),
            _ => None,
        }
    }

    /// The smallest integer type with at least this many bits, which libhdf5 takes for its native type.
    fn integer(precision: u16, signed: bool) -> Option<Self> {
        Some(match (precision, signed) {
            (0..=8, true) => AtomicType::Byte,
            (0..=8, false) => AtomicType::UByte,
            (9..=16, true) => AtomicType::Short,
            (9..=16, false) => AtomicType::UShort,
            (17..=32, true) => AtomicType::Int,
            (17..=32, false) => AtomicType::UInt,
            (33..=64, true) => AtomicType::Int64,
            (33..=64, false) => AtomicType::UInt64,
            _ => return None,
        })
    }

    /// Half precision is a native type of libhdf5 since 1.14.5 and has no netCDF type.
    fn float(float: &Float, size: u32) -> Option<Self> {
        match size {
            _ if float.exponent_size <= 5 && size <= 2 => None,
            0..=4 => Some(AtomicType::Float),
            5..=8 => Some(AtomicType::Double),
            _ => None,
        }
    }
}

/// The number of a user-defined type in [`crate::Netcdf::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeId(pub usize);

/// A user-defined type: a committed datatype of the file.
#[derive(Debug, Clone)]
pub struct UserType {
    /// Its name in its group.
    pub name: String,
    /// The group that it lies in.
    pub group: GroupId,
    /// Where its object header lies.
    pub address: Address,
    /// The HDF5 datatype.
    pub datatype: Datatype,
    /// Its netCDF class.
    pub kind: UserKind,
}

/// The netCDF classes of user-defined types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserKind {
    /// Named fields.
    Compound,
    /// Named integers.
    Enum,
    /// Sequences of any length.
    Vlen,
    /// Bytes.
    Opaque,
    /// A committed datatype of an atomic class, which netCDF-C keeps by name only.
    Atomic,
}

impl UserKind {
    /// The netCDF class of a committed datatype; `None` where netCDF has none (references, bit fields, arrays).
    pub(crate) fn of(datatype: &Datatype) -> Option<Self> {
        match &datatype.class {
            Class::Compound { .. } => Some(UserKind::Compound),
            Class::Enum { .. } => Some(UserKind::Enum),
            Class::VlenSequence { .. } => Some(UserKind::Vlen),
            Class::Opaque { .. } => Some(UserKind::Opaque),
            Class::FixedString { .. } | Class::VlenString { .. } => Some(UserKind::Atomic),
            _ => None,
        }
    }
}

/// The user-defined type of the file that a datatype is: the committed one that it refers to, or else an equal one.
pub(crate) fn find_user_type(types: &[UserType], datatype: &Datatype) -> Option<TypeId> {
    let referred = datatype.committed.and_then(|at| types.iter().position(|known| known.address == at));
    let equal = || types.iter().position(|known| is_equal(&known.datatype, datatype));
    referred.or_else(equal).map(TypeId)
}

/// The user-defined types that a datatype is made of, without itself: those of members and of elements. netCDF-C looks for each of
/// them in the file, and does not open one in which it finds none.
pub(crate) fn parts(types: &[UserType], datatype: &Datatype) -> Vec<TypeId> {
    let mut found = Vec::new();
    let mut add = |part: &Datatype| {
        if UserKind::of(part).is_some_and(|kind| kind != UserKind::Atomic) {
            found.extend(find_user_type(types, part));
        }
        found.extend(parts(types, part));
    };
    match &datatype.class {
        Class::Compound { members } => members.iter().for_each(|member| add(&member.datatype)),
        Class::VlenSequence { base } | Class::Array { base, .. } => add(base),
        _ => {}
    }
    found
}

/// True where libhdf5 reads both as the same native type: names, sizes and classes agree; byte orders, padding and
/// offsets within the file may differ.
fn is_equal(a: &Datatype, b: &Datatype) -> bool {
    match (&a.class, &b.class) {
        (Class::Compound { members: a }, Class::Compound { members: b }) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| a.name == b.name && is_equal(&a.datatype, &b.datatype))
        }
        (Class::Enum { base: a, members: of_a }, Class::Enum { base: b, members: of_b }) => {
            let names = |members: &[(hyperslab_format::Name, bytes::Bytes)]| {
                let mut names: Vec<_> = members.iter().map(|(name, _)| name.clone()).collect();
                names.sort_unstable();
                names
            };
            is_equal(a, b) && names(of_a) == names(of_b)
        }
        (Class::VlenSequence { base: a }, Class::VlenSequence { base: b }) => is_equal(a, b),
        (Class::Array { dims: of_a, base: a }, Class::Array { dims: of_b, base: b }) => {
            of_a == of_b && is_equal(a, b)
        }
        (Class::Opaque { tag: of_a }, Class::Opaque { tag: of_b }) => a.size == b.size && of_a == of_b,
        _ => match (AtomicType::of(a), AtomicType::of(b)) {
            (Some(AtomicType::String), Some(AtomicType::String)) => {
                a.size == b.size && (a.class == b.class || a.class.is_same_text(&b.class))
            }
            (Some(a), Some(b)) => a == b,
            _ => a.class == b.class && a.size == b.size,
        },
    }
}
