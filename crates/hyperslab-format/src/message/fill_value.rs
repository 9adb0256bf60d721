//! Fill Value messages (specification IV.A.2.e and f): the old one (type 0x04) and its successor (type 0x05).
//!
//! ```text
//! 0x04             size 4 | value
//! 0x05, version 1  allocation time | fill time | defined | size 4 | value
//!       version 2  the same, without size and value where `defined` is 0
//!       version 3  flags: bits 0-1 allocation time, 2-3 fill time, 4 undefined, 5 has value | [size 4 | value]
//! ```
//!
//! A size of 0 means the library's default value; a negative size (or `defined` = 0) means that there is no fill value.

use crate::{Bytes, Cursor, Encoder, FormatError};

/// The value of elements that were never written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FillValue {
    /// The value.
    pub value: Fill,
    /// When it is written to newly allocated storage.
    pub time: FillTime,
    /// When storage is allocated.
    pub allocation: AllocationTime,
}

/// The value itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Fill {
    /// No fill value: unwritten elements are undefined.
    Undefined,
    /// The library's default: all bits zero.
    #[default]
    Default,
    /// The bytes of one element, in the dataset's datatype.
    User(Bytes),
}

/// When fill values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FillTime {
    /// When storage is allocated.
    OnAllocation,
    /// Never.
    Never,
    /// When storage is allocated, if the user set a value.
    #[default]
    IfSet,
}

/// When storage is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AllocationTime {
    /// At creation.
    Early,
    /// At the first write.
    #[default]
    Late,
    /// Chunk by chunk.
    Incremental,
}

const UNDEFINED: u8 = 0x10;
const HAS_VALUE: u8 = 0x20;
const TIMES: u8 = 0x0f;

impl FillValue {
    /// Parses the new message (0x05).
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        let version = cursor.version(1..=3)?;
        if version == 3 { Self::parse_flags(cursor) } else { Self::parse_fields(cursor) }
    }

    /// Parses the old message (0x04), which does not contain times.
    pub fn parse_old(mut cursor: Cursor) -> Result<Self, FormatError> {
        let size = cursor.u32("size")?;
        // The old message cannot express "default": without a value the fill value is undefined.
        let value = if size == 0 {
            Fill::Undefined
        } else {
            Fill::User(cursor.bytes("fill value", usize::try_from(size).unwrap_or(usize::MAX))?)
        };
        Ok(Self { value, ..Self::default() })
    }

    fn parse_fields(mut cursor: Cursor) -> Result<Self, FormatError> {
        let allocation = allocation_time(cursor.u8("space allocation time")?);
        let at = cursor.at();
        let time = cursor.u8("fill value write time")?;
        let time = fill_time(&cursor, at, time)?;
        let defined = cursor.u8("fill value defined")? != 0;
        let mut value = Fill::Undefined;
        if defined {
            let at = cursor.at();
            let size = cursor.u32("size")? as i32;
            value = match size {
                -1 => Fill::Undefined,
                0 => Fill::Default,
                1.. => Fill::User(cursor.bytes("fill value", size as usize)?),
                _ => return Err(cursor.invalid_at(at, "size", format!("{size} is not a valid size"))),
            };
        }
        Ok(Self { value, time, allocation })
    }

    fn parse_flags(mut cursor: Cursor) -> Result<Self, FormatError> {
        let at = cursor.at();
        let flags = cursor.flags(TIMES | UNDEFINED | HAS_VALUE)?;
        let allocation = allocation_time(flags & 0x03);
        let time = fill_time(&cursor, at, (flags >> 2) & 0x03)?;
        let value = match (flags & UNDEFINED != 0, flags & HAS_VALUE != 0) {
            (true, true) => {
                return Err(cursor.invalid_at(at, "flags", "the fill value is both undefined and given"));
            }
            (true, false) => Fill::Undefined,
            (false, false) => Fill::Default,
            (false, true) => match cursor.u32("size")? {
                0 => Fill::Default,
                size => Fill::User(cursor.bytes("fill value", usize::try_from(size).unwrap_or(usize::MAX))?),
            },
        };
        Ok(Self { value, time, allocation })
    }

    /// Encodes the new message (0x05), in version 2 or 3.
    pub fn encode(&self, out: &mut Encoder, version: u8) {
        let allocation = match self.allocation {
            AllocationTime::Early => 1,
            AllocationTime::Late => 2,
            AllocationTime::Incremental => 3,
        };
        let time = match self.time {
            FillTime::OnAllocation => 0,
            FillTime::Never => 1,
            FillTime::IfSet => 2,
        };
        out.u8(version);
        if version >= 3 {
            let value = match self.value {
                Fill::Undefined => UNDEFINED,
                Fill::Default => 0,
                Fill::User(_) => HAS_VALUE,
            };
            out.u8(allocation | time << 2 | value);
        } else {
            out.u8(allocation);
            out.u8(time);
            out.u8(u8::from(self.value != Fill::Undefined));
        }
        match &self.value {
            Fill::User(value) => {
                // As a negative number the size would mean that there is no value.
                if value.len() > i32::MAX as usize {
                    out.refuse("size", format!("{} bytes are too many", value.len()));
                }
                out.count("size", value.len(), 4);
                out.bytes(value);
            }
            Fill::Default if version < 3 => out.u32(0),
            Fill::Default | Fill::Undefined => {}
        }
    }
}

/// The allocation time only concerns writers, so an unknown value is not an error.
fn allocation_time(value: u8) -> AllocationTime {
    match value {
        1 => AllocationTime::Early,
        3 => AllocationTime::Incremental,
        _ => AllocationTime::Late,
    }
}

fn fill_time(cursor: &Cursor, at: u64, value: u8) -> Result<FillTime, FormatError> {
    match value {
        0 => Ok(FillTime::OnAllocation),
        1 => Ok(FillTime::Never),
        2 => Ok(FillTime::IfSet),
        _ => Err(cursor.invalid_at(at, "fill value write time", format!("unknown fill time {value}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    fn user(bytes: &'static [u8]) -> Fill {
        Fill::User(Bytes::from_static(bytes))
    }

    #[test]
    fn versions_1_and_2_spell_the_fields_out() {
        for version in [1, 2] {
            let body = Build::default().u8(version).u8(3).u8(0).u8(1).u32(4).bytes(b"abcd");
            let fill = FillValue::parse(body.cursor()).unwrap();
            assert_eq!(fill.value, user(b"abcd"));
            assert_eq!((fill.time, fill.allocation), (FillTime::OnAllocation, AllocationTime::Incremental));
            body.each_prefix(|cursor| assert!(FillValue::parse(cursor).is_err()));
        }
    }

    #[test]
    fn undefined_and_default_are_not_the_same() {
        let head = Build::default().u8(2).u8(2).u8(2);
        let parse = |body: Build| FillValue::parse(body.cursor()).map(|fill| fill.value);
        assert_eq!(parse(head.clone().u8(0)), Ok(Fill::Undefined));
        assert_eq!(parse(head.clone().u8(1).u32(0)), Ok(Fill::Default));
        assert_eq!(parse(head.clone().u8(1).u32(u32::MAX)), Ok(Fill::Undefined));
        assert_eq!(parse(head.u8(1).u32(0x8000_0000)).unwrap_err().field, "size");

        let three = |flags| Build::default().u8(3).u8(flags);
        assert_eq!(parse(three(0x0a)), Ok(Fill::Default));
        assert_eq!(parse(three(0x1a)), Ok(Fill::Undefined));
        assert_eq!(parse(three(0x2a).u32(2).bytes(b"xy")), Ok(user(b"xy")));
        assert_eq!(parse(three(0x3a).u32(2).bytes(b"xy")).unwrap_err().field, "flags");
        assert!(parse(three(0x4a)).unwrap_err().is_unsupported());
    }

    #[test]
    fn version_3_packs_the_times_into_the_flags() {
        let fill = FillValue::parse(Build::default().u8(3).u8(0x05).cursor()).unwrap();
        assert_eq!((fill.time, fill.allocation), (FillTime::Never, AllocationTime::Early));
        let body = Build::default().u8(3).u8(0x29).u32(1).u8(9);
        assert_eq!(FillValue::parse(body.cursor()).unwrap().time, FillTime::IfSet);
        body.each_prefix(|cursor| assert!(FillValue::parse(cursor).is_err()));
        assert!(FillValue::parse(Build::default().u8(3).u8(0x0c).cursor()).is_err());
    }

    #[test]
    fn the_old_message_has_a_value_or_nothing() {
        let body = Build::default().u32(3).bytes(b"abc");
        assert_eq!(FillValue::parse_old(body.cursor()).unwrap().value, user(b"abc"));
        assert_eq!(FillValue::parse_old(Build::default().u32(0).cursor()).unwrap().value, Fill::Undefined);
        body.each_prefix(|cursor| assert!(FillValue::parse_old(cursor).is_err()));
    }
}
