//! The types of values: `nc_type` of the specification.

use crate::Version;

/// The type of the values of a variable or an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `NC_BYTE`: an integer of 8 bits with a sign.
    Byte,
    /// `NC_CHAR`: a byte of text.
    Char,
    /// `NC_SHORT`: an integer of 16 bits.
    Short,
    /// `NC_INT`: an integer of 32 bits.
    Int,
    /// `NC_FLOAT`: IEEE 754, 32 bits.
    Float,
    /// `NC_DOUBLE`: IEEE 754, 64 bits.
    Double,
    /// `NC_UBYTE`: 8 bits without a sign; CDF-5, as those below.
    UByte,
    /// `NC_USHORT`: 16 bits without a sign.
    UShort,
    /// `NC_UINT`: 32 bits without a sign.
    UInt,
    /// `NC_INT64`: an integer of 64 bits.
    Int64,
    /// `NC_UINT64`: 64 bits without a sign.
    UInt64,
}

/// Each type at its number, from 1.
const KINDS: [Kind; 11] = [
    Kind::Byte,
    Kind::Char,
    Kind::Short,
    Kind::Int,
    Kind::Float,
    Kind::Double,
    Kind::UByte,
    Kind::UShort,
    Kind::UInt,
    Kind::Int64,
    Kind::UInt64,
];
/// The largest number of a type before CDF-5.
const CLASSIC_MAX: u32 = 6;

impl Kind {
    /// The type of this number in a version of the format.
    pub fn of(number: u32, version: Version) -> Option<Self> {
        if version != Version::Data64 && number > CLASSIC_MAX {
            return None;
        }
        KINDS.get((number as usize).checked_sub(1)?).copied()
    }

    /// Its number.
    pub fn number(self) -> u32 {
        self as u32 + 1
    }

    /// The bytes of a value.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Byte | Self::Char | Self::UByte => 1,
            Self::Short | Self::UShort => 2,
            Self::Int | Self::Float | Self::UInt => 4,
            Self::Double | Self::Int64 | Self::UInt64 => 8,
        }
    }

    /// The name in CDL: `short`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Char => "char",
            Self::Short => "short",
            Self::Int => "int",
            Self::Float => "float",
            Self::Double => "double",
            Self::UByte => "ubyte",
            Self::UShort => "ushort",
            Self::UInt => "uint",
            Self::Int64 => "int64",
            Self::UInt64 => "uint64",
        }
    }

    /// The value, as it is stored, of elements that were never written, where no attribute `_FillValue` gives another:
    /// `NC_FILL_…` of netCDF.
    pub fn default_fill(self) -> Vec<u8> {
        match self {
            Self::Byte => (-127i8).to_be_bytes().to_vec(),
            Self::Char => vec![0],
            Self::Short => (-32_767i16).to_be_bytes().to_vec(),
            Self::Int => (-2_147_483_647i32).to_be_bytes().to_vec(),
            Self::Float => 0x7cf0_0000u32.to_be_bytes().to_vec(),
            Self::Double => 0x479e_0000_0000_0000u64.to_be_bytes().to_vec(),
            Self::UByte => vec![255],
            Self::UShort => u16::MAX.to_be_bytes().to_vec(),
            Self::UInt => u32::MAX.to_be_bytes().to_vec(),
            Self::Int64 => (i64::MIN + 2).to_be_bytes().to_vec(),
            Self::UInt64 => (u64::MAX - 1).to_be_bytes().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sizes_and_fill_values_agree() {
        for (place, kind) in KINDS.into_iter().enumerate() {
            assert_eq!(kind.number() as usize, place + 1);
            assert_eq!(Kind::of(kind.number(), Version::Data64), Some(kind));
            let expected = (kind.number() <= 6).then_some(kind);
            assert_eq!(Kind::of(kind.number(), Version::Offset64), expected);
            assert_eq!(kind.default_fill().len() as u64, kind.bytes(), "{}", kind.name());
        }
        assert_eq!((Kind::of(0, Version::Data64), Kind::of(12, Version::Data64)), (None, None));
        let float = f32::from_be_bytes(Kind::Float.default_fill().try_into().unwrap());
        let double = f64::from_be_bytes(Kind::Double.default_fill().try_into().unwrap());
        assert_eq!((f64::from(float), double), (9.969_209_968_386_869e36, 9.969_209_968_386_869e36));
    }
}
