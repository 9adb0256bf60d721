//! Number types: what the values of an element are, and in which byte order.

use crate::cursor::{Cursor, Parsed};
use hyperslab_format::FormatError;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `DFNT_CHAR8`: a character.
    Char,
    /// `DFNT_UCHAR8`: a character without a sign, which users take for a number.
    UChar,
    /// An integer with a sign.
    Int,
    /// An integer without a sign.
    UInt,
    /// An IEEE 754 float.
    Float,
}

/// A type of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NumberType {
    /// What a value is.
    pub kind: Kind,
    /// Bytes of a value.
    pub bytes: u8,
    /// True where the least significant byte comes first.
    pub is_little_endian: bool,
}

/// `DFNT_NATIVE`: in the representation of the machine that wrote it. Readers take their own for it.
const NATIVE: u32 = 0x1000;
/// `DFNT_CUSTOM`: nobody writes it.
const CUSTOM: u32 = 0x2000;
/// `DFNT_LITEND`: the least significant byte first.
const LITTLE_ENDIAN: u32 = 0x4000;

/// Representations: the last byte of a number type element.
mod class {
    pub(super) const NONE: u8 = 0;
    pub(super) const IEEE: u8 = 1;
    pub(super) const VAX: u8 = 2;
    pub(super) const CRAY: u8 = 3;
    pub(super) const PC: u8 = 4;
    pub(super) const CONVEX: u8 = 5;
}

impl NumberType {
    /// The type of data sets that do not say it: 32-bit floats.
    pub const FLOAT32: Self = Self { kind: Kind::Float, bytes: 4, is_little_endian: false };

    /// The type of a code with its flags, as the fields of Vdatas have it. `at` is where the code stands.
    ///
    /// # Errors
    /// Codes that the format does not define, and 128-bit floats.
    pub fn of(code: u32, at: u64) -> Result<Self, FormatError> {
        let (kind, bytes) = match code & !(NATIVE | CUSTOM | LITTLE_ENDIAN) {
            3 => (Kind::UChar, 1),
            4 => (Kind::Char, 1),
            5 => (Kind::Float, 4),
            6 => (Kind::Float, 8),
            20 => (Kind::Int, 1),
            21 => (Kind::UInt, 1),
            22 => (Kind::Int, 2),
            23 => (Kind::UInt, 2),
            24 => (Kind::Int, 4),
            25 => (Kind::UInt, 4),
            26 => (Kind::Int, 8),
            27 => (Kind::UInt, 8),
            other => {
                let what = format!("number type {other} is not read");
                return Err(FormatError::unsupported("number type", "code", at, what));
            }
        };
        Ok(Self { kind, bytes, is_little_endian: code & (LITTLE_ENDIAN | NATIVE) != 0 })
    }

    /// Parses a number type element (tag 106): version, code, bits, representation.
    ///
    /// # Errors
    /// As [`of`](Self::of), and representations of machines that are no more.
    pub fn parse(bytes: &[u8], at: u64) -> Result<Self, FormatError> {
        let mut fields = Cursor::new("number type", bytes, at);
        let _version = fields.u8("version")?;
        let code = u32::from(fields.u8("code")?);
        let _bits = fields.u8("width")?;
        let class = fields.u8("class")?;
        let flag = match class {
            class::NONE | class::IEEE => 0,
            class::PC => LITTLE_ENDIAN,
            // Integers of a Convex and characters are those of IEEE machines.
            class::VAX | class::CRAY | class::CONVEX if is_byte(code) => 0,
            class::VAX => return Err(representation("VAX", at)),
            class::CRAY => return Err(representation("Cray", at)),
            class::CONVEX => return Err(representation("Convex", at)),
            other => return Err(representation(&format!("class {other}"), at)),
        };
        Self::of(code | flag, at)
    }

    /// The type of a field of a Vdata before HDF 3.2, by its old code.
    pub(crate) fn of_old_vdata(code: u32, at: u64) -> Parsed<Self> {
        let code = match code {
            1 => 4,
            2 | 6 => 22,
            3 => 5,
            4 => 24,
            5 => 20,
            7 => 6,
            other => other,
        };
        Self::of(code, at)
    }

    /// True for values that are text: characters.
    pub fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Char)
    }

    /// `int16`, `float32`, `char8`, ...: as HDF4 names it, without `DFNT_`.
    pub fn name(&self) -> &'static str {
        match (self.kind, self.bytes) {
            (Kind::Char, _) => "char8",
            (Kind::UChar, _) => "uchar8",
            (Kind::Int, 1) => "int8",
            (Kind::Int, 2) => "int16",
            (Kind::Int, 4) => "int32",
            (Kind::Int, _) => "int64",
            (Kind::UInt, 1) => "uint8",
            (Kind::UInt, 2) => "uint16",
            (Kind::UInt, 4) => "uint32",
            (Kind::UInt, _) => "uint64",
            (Kind::Float, 4) => "float32",
            (Kind::Float, _) => "float64",
        }
    }

    /// The value of elements that were never written and whose data set says nothing: netCDF's, of the integer with a sign
    /// also where there is none. In the byte order of the type.
    pub fn default_fill(&self) -> Vec<u8> {
        let mut bytes = match (self.kind, self.bytes) {
            (Kind::Char | Kind::UChar, _) => vec![0],
            (Kind::Float, 4) => 9.969_21e36_f32.to_be_bytes().to_vec(),
            (Kind::Float, _) => 9.969_209_968_386_869e36_f64.to_be_bytes().to_vec(),
            (_, 1) => (-127_i8).to_be_bytes().to_vec(),
            (_, 2) => (-32767_i16).to_be_bytes().to_vec(),
            (_, 4) => (-2_147_483_647_i32).to_be_bytes().to_vec(),
            (_, width) => vec![0; width.into()],
        };
        if self.is_little_endian {
            bytes.reverse();
        }
        bytes
    }
}

/// True for a type of one byte, which has one representation.
fn is_byte(code: u32) -> bool {
    matches!(code, 3 | 4 | 20 | 21)
}

fn representation(machine: &str, at: u64) -> FormatError {
    FormatError::unsupported(
        "number type",
        "class",
        at,
        format!("numbers of {machine} machines are not read"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_says_the_byte_order() {
        let big = NumberType::parse(&[1, 22, 16, 1], 0).unwrap();
        assert_eq!((big.name(), big.is_little_endian), ("int16", false));
        assert!(NumberType::parse(&[1, 22, 16, 4], 0).unwrap().is_little_endian);
        let error = NumberType::parse(&[1, 5, 32, 2], 0).unwrap_err().to_string();
        assert!(error.contains("numbers of VAX machines are not read"), "{error}");
        assert_eq!(NumberType::parse(&[1, 4, 8, 2], 0).unwrap().name(), "char8");
        NumberType::parse(&[1, 7, 128, 1], 0).unwrap_err();
        NumberType::parse(&[1, 22], 0).unwrap_err();
    }

    #[test]
    fn fills_have_the_order_of_the_type() {
        let of = |code| NumberType::of(code, 0).unwrap().default_fill();
        assert_eq!(of(23), [0x80, 1]);
        assert_eq!(of(23 | 0x4000), [1, 0x80]);
        assert_eq!(of(21), [0x81]);
    }
}
