//! Parses a [`Datatype`]: the common header, and the classes that have no file of their own.

use super::{Charset, Class, Datatype, Reference, StringPadding};
use crate::limits::{DATATYPE_DEPTH_MAX, RANK_MAX};
use crate::{Cursor, FormatError, Name};

/// The header that all classes have in common.
pub(super) struct Head {
    /// The version, 1 to 5.
    pub version: u8,
    /// The class bit field (24 bits).
    pub bits: u32,
    /// The size of an element in bytes; never 0.
    pub size: u32,
    /// The absolute offset of this datatype in the file.
    pub at: u64,
    /// The number of datatypes that this one is nested in.
    pub depth: u64,
}

impl Datatype {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        parse_nested(&mut cursor, 0)
    }
}

/// Parses the datatype at the cursor, which is nested in `depth` others.
pub(super) fn parse_nested(cursor: &mut Cursor, depth: u64) -> Result<Datatype, FormatError> {
    let at = cursor.at();
    if depth >= DATATYPE_DEPTH_MAX {
        let limit = "DATATYPE_DEPTH_MAX";
        return Err(FormatError::limit(
            cursor.structure(),
            "nesting",
            at,
            limit,
            DATATYPE_DEPTH_MAX,
            depth + 1,
        ));
    }
    let class_and_version = cursor.u8("class and version")?;
    let (class, version) = (class_and_version & 0x0f, class_and_version >> 4);
    if !(1..=5).contains(&version) {
        let what = format!("unknown version {version}; the known versions are 1 to 5");
        return Err(FormatError::unsupported(cursor.structure(), "version", at, what));
    }
    let bits = cursor.uint("class bit field", 3)? as u32;
    let size_at = cursor.at();
    let size = cursor.u32("size")?;
    if size == 0 {
        return Err(cursor.invalid_at(size_at, "size", "elements of 0 bytes"));
    }
    let head = Head { version, bits, size, at, depth };
    let class = match class {
        0 => Class::Integer(head.integer(cursor)?),
        1 => Class::Float(head.float(cursor)?),
        2 => head.time(cursor)?,
        3 => Class::FixedString { padding: head.padding(cursor, 0)?, charset: head.charset(cursor, 4)? },
        4 => head.bitfield(cursor)?,
        5 => head.opaque(cursor)?,
        6 => Class::Compound { members: head.compound(cursor)? },
        7 => Class::Reference(head.reference(cursor)?),
        8 => head.enumeration(cursor)?,
        9 => head.variable_length(cursor)?,
        10 => head.array(cursor)?,
        11 => head.complex(cursor)?,
        _ => return Err(head.unsupported(cursor, "class", format!("unknown class {class}"))),
    };
    Ok(Datatype { size, class, committed: None })
}

impl Head {
    pub fn invalid(&self, cursor: &Cursor, field: &'static str, what: impl Into<String>) -> FormatError {
        cursor.invalid_at(self.at, field, what)
    }

    pub fn unsupported(&self, cursor: &Cursor, field: &'static str, what: impl Into<String>) -> FormatError {
        FormatError::unsupported(cursor.structure(), field, self.at, what)
    }

    /// The base type.
    pub fn base(&self, cursor: &mut Cursor) -> Result<Box<Datatype>, FormatError> {
        parse_nested(cursor, self.depth + 1).map(Box::new)
    }

    /// Returns `value` if the element size is `size`, the only one that is possible in this file.
    fn with_size<T>(&self, cursor: &Cursor, size: u32, value: T) -> Result<T, FormatError> {
        if self.size == size {
            return Ok(value);
        }
        let what = format!("{} bytes, but elements are stored in {size}", self.size);
        Err(self.invalid(cursor, "size", what))
    }

    fn padding(&self, cursor: &Cursor, shift: u32) -> Result<StringPadding, FormatError> {
        match (self.bits >> shift) & 0x0f {
            0 => Ok(StringPadding::NullTerminate),
            1 => Ok(StringPadding::NullPad),
            2 => Ok(StringPadding::SpacePad),
            other => Err(self.unsupported(cursor, "padding type", format!("padding {other} is reserved"))),
        }
    }

    fn charset(&self, cursor: &Cursor, shift: u32) -> Result<Charset, FormatError> {
        match (self.bits >> shift) & 0x0f {
            0 => Ok(Charset::Ascii),
            1 => Ok(Charset::Utf8),
            other => {
                Err(self.unsupported(cursor, "character set", format!("character set {other} is reserved")))
            }
        }
    }

    fn opaque(&self, cursor: &mut Cursor) -> Result<Class, FormatError> {
        let len = (self.bits & 0xff) as usize;
        if !len.is_multiple_of(8) {
            let what = format!("the length of the tag, {len} bytes, is not a multiple of 8");
            return Err(self.invalid(cursor, "length of tag", what));
        }
        let tag = cursor.bytes("tag", len)?;
        let len = tag.iter().position(|&byte| byte == 0).unwrap_or(len);
        Ok(Class::Opaque { tag: Name::new(tag.slice(..len)) })
    }

    fn reference(&self, cursor: &Cursor) -> Result<Reference, FormatError> {
        let address = u32::from(cursor.widths().offset);
        match (self.bits & 0x0f, (self.bits >> 4) & 0x0f) {
            (0, _) => self.with_size(cursor, address, Reference::Object),
            // A global heap reference: address and index.
            (1, _) => self.with_size(cursor, address + 4, Reference::Region),
            (2..=4, 1) => Ok(Reference::Standard { version: self.version }),
            (2..=4, version) => {
                Err(self.unsupported(cursor, "reference version", format!("unknown version {version}")))
            }
            (kind, _) => Err(self.unsupported(cursor, "reference type", format!("unknown type {kind}"))),
        }
    }

    fn variable_length(&self, cursor: &mut Cursor) -> Result<Class, FormatError> {
        let base = self.base(cursor)?;
        // A length, and a global heap reference.
        self.with_size(cursor, u32::from(cursor.widths().offset) + 8, ())?;
        match self.bits & 0x0f {
            0 => Ok(Class::VlenSequence { base }),
            1 => {
                let (padding, charset) = (self.padding(cursor, 4)?, self.charset(cursor, 8)?);
                Ok(Class::VlenString { padding, charset, base })
            }
            other => Err(self.unsupported(cursor, "type", format!("variable-length type {other}"))),
        }
    }

    fn array(&self, cursor: &mut Cursor) -> Result<Class, FormatError> {
        let rank = cursor.u8("dimensionality")?;
        if u64::from(rank) > RANK_MAX {
            let (structure, found) = (cursor.structure(), rank.into());
            return Err(FormatError::limit(
                structure,
                "dimensionality",
                self.at,
                "RANK_MAX",
                RANK_MAX,
                found,
            ));
        }
        if self.version < 3 {
            cursor.skip("reserved", 3)?;
        }
        let dims = (0..rank).map(|_| cursor.u32("dimension size")).collect::<Result<Vec<_>, _>>()?;
        if self.version < 3 {
            cursor.skip("permutation indices", 4 * usize::from(rank))?;
        }
        let base = self.base(cursor)?;
        let bytes = dims.iter().try_fold(base.size, |bytes, &dim| bytes.checked_mul(dim));
        if bytes != Some(self.size) {
            let what =
                format!("{} bytes, but dimensions {dims:?} of elements of {} bytes", self.size, base.size);
            return Err(self.invalid(cursor, "size", what));
        }
        Ok(Class::Array { dims, base })
    }

    fn complex(&self, cursor: &mut Cursor) -> Result<Class, FormatError> {
        if self.bits & 0x01 == 0 {
            return Err(self.unsupported(cursor, "class bit field", "parts of different datatypes"));
        }
        if (self.bits >> 1) & 0x03 != 0 {
            return Err(self.unsupported(cursor, "class bit field", "a form other than rectangular"));
        }
        if self.bits >> 3 != 0 {
            return Err(self.invalid(cursor, "class bit field", "reserved bits are set"));
        }
        let base = self.base(cursor)?;
        if base.size.checked_mul(2) != Some(self.size) {
            let what = format!("{} bytes, but each part has {}", self.size, base.size);
            return Err(self.invalid(cursor, "size", what));
        }
        Ok(Class::Complex { base })
    }
}
