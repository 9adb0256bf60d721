//! Attribute message (specification IV.A.2.m, type 0x0C): a named value of an object. The objects in an attribute heap
//! have the same form.
//!
//! ```text
//! version 1   reserved 1 | name, datatype, dataspace sizes 2 each             | name | datatype | dataspace | data
//! version 2   flags 1    | the same, without padding to 8 bytes
//! version 3   flags 1    | the same                              | charset 1 | the same
//!
//! flags   bit 0 the datatype is shared, bit 1 the dataspace is shared
//! ```
//!
//! A [`Name`] is bytes: its character set says how its writer understood them. Before version 3 it is ASCII.

use super::datatype::Charset;
use super::{Dataspace, Datatype};
use crate::object_header::{Context, Found, MessageKind};
use crate::{Bytes, Cursor, Encoder, FormatError, Name, Parse};

/// An attribute with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: Name,
    /// The character set of the name, as its writer declared it.
    pub charset: Charset,
    /// Its datatype.
    pub datatype: Datatype,
    /// Its extent.
    pub dataspace: Dataspace,
    /// The bytes of all elements, as represented in the file. The length is exactly that of the extent and datatype.
    pub data: Bytes,
    /// The position in creation order, if the object tracks it.
    pub creation_order: Option<u32>,
}

const DATATYPE_SHARED: u8 = 0x01;
const DATASPACE_SHARED: u8 = 0x02;
const UTF_8: u8 = 1;

/// The parts of the message, not parsed yet.
struct Parts {
    flags: u8,
    name: Name,
    charset: Charset,
    datatype: Cursor,
    dataspace: Cursor,
    /// Positioned at the first byte of the data.
    rest: Cursor,
}

impl Attribute {
    /// Parses the message. `creation_order` is from the message's prefix or the index record.
    pub fn parse(context: Context<'_>, cursor: Cursor, creation_order: Option<u32>) -> Parse<Self> {
        Self::parse_with(context, cursor, creation_order, &mut Found::default())
    }

    /// Like [`Self::parse`], for one of many attributes that may share a datatype.
    pub fn parse_with(
        context: Context<'_>,
        cursor: Cursor,
        creation_order: Option<u32>,
        found: &mut Found,
    ) -> Parse<Self> {
        let mut parts = Parts::parse(cursor)?;
        let shared = parts.flags & DATATYPE_SHARED != 0;
        let resolved = context.resolve(MessageKind::DATATYPE, shared, parts.datatype, found)?;
        let mut datatype = Datatype::parse(resolved.cursor)?;
        datatype.committed = resolved.committed;
        let shared = parts.flags & DATASPACE_SHARED != 0;
        let dataspace = context.resolve(MessageKind::DATASPACE, shared, parts.dataspace, found)?;
        let dataspace = Dataspace::parse(dataspace.cursor)?;
        let data = data(&mut parts.rest, &datatype, &dataspace)?;
        Ok(Self { name: parts.name, charset: parts.charset, datatype, dataspace, data, creation_order })
    }

    /// Parses only the name, to report an attribute whose value cannot be read.
    pub fn parse_name(cursor: Cursor) -> Result<Name, FormatError> {
        Ok(Parts::parse(cursor)?.name)
    }
}

/// The versions in which an attribute is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeVersions {
    /// That of the message, 1 to 3. Version 1 has neither committed datatypes nor a character set, version 2 has no
    /// character set.
    pub message: u8,
    /// The lowest version of compounds, enumerations and arrays (see [`Datatype::encode`]).
    pub datatype: u8,
    /// That of the dataspace.
    pub dataspace: u8,
}

/// An attribute to be encoded, whose parts lie elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct NewAttribute<'a> {
    /// Its name.
    pub name: &'a Name,
    /// The character set of the name.
    pub charset: Charset,
    /// Its datatype. One with the address of a committed datatype is stored as that address.
    pub datatype: &'a Datatype,
    /// Its extent.
    pub dataspace: &'a Dataspace,
    /// The bytes of all elements.
    pub data: &'a [u8],
}

impl NewAttribute<'_> {
    /// Encodes the message.
    pub fn encode(&self, out: &mut Encoder, versions: AttributeVersions) {
        let version = versions.message;
        let mut datatype = Encoder::new("datatype message", out.widths());
        self.datatype.encode_use(&mut datatype, versions.datatype);
        let mut dataspace = Encoder::new("dataspace message", out.widths());
        self.dataspace.encode(&mut dataspace, versions.dataspace);
        out.u8(version);
        match self.datatype.committed {
            Some(_) if version == 1 => out.refuse("flags", "version 1 has no committed datatypes"),
            Some(_) => out.u8(DATATYPE_SHARED),
            None => out.u8(0),
        }
        let name = self.name.as_bytes();
        if name.is_empty() {
            out.refuse("name", "the name is empty");
        }
        out.count("name size", name.len() + 1, 2);
        out.count("datatype size", datatype.position(), 2);
        out.count("dataspace size", dataspace.position(), 2);
        if version >= 3 {
            out.u8(if self.charset == Charset::Utf8 { UTF_8 } else { 0 });
        }
        let align = if version == 1 { 8 } else { 1 };
        let start = out.position();
        out.nul_terminated("name", name);
        out.align_since(start, align);
        for part in [datatype, dataspace] {
            let start = out.position();
            out.nested(part);
            out.align_since(start, align);
        }
        let bytes = self.dataspace.elements().and_then(|count| count.checked_mul(self.datatype.size.into()));
        if bytes != Some(self.data.len() as u64) {
            out.refuse("data", format!("{} bytes are not those of the extent", self.data.len()));
        }
        out.bytes(self.data);
    }
}

impl Parts {
    fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        let version = cursor.version(1..=3)?;
        let flags = if version == 1 {
            cursor.skip("reserved", 1)?;
            0
        } else {
            cursor.flags(DATATYPE_SHARED | DATASPACE_SHARED)?
        };
        let at = cursor.at();
        let name_len = usize::from(cursor.u16("name size")?);
        let datatype_len = cursor.u16("datatype size")?.into();
        let dataspace_len = cursor.u16("dataspace size")?.into();
        // As in libhdf5, which reads the character set without checking it.
        let charset = match version {
            3 if cursor.u8("name character set encoding")? == UTF_8 => Charset::Utf8,
            _ => Charset::Ascii,
        };
        let name_at = cursor.at();
        let name = padded(&mut cursor, "name", name_len, version)?.rest();
        // The size includes the terminating NUL.
        let Some(name) = name_len.checked_sub(1).filter(|&len| len > 0).map(|len| name.slice(..len)) else {
            return Err(cursor.invalid_at(
                at,
                "name size",
                format!("a name of {name_len} bytes with its NUL"),
            ));
        };
        if name.contains(&0) {
            return Err(cursor.invalid_at(name_at, "name", "the name ends before its stored size"));
        }
        let datatype = padded(&mut cursor, "datatype", datatype_len, version)?;
        let dataspace = padded(&mut cursor, "dataspace", dataspace_len, version)?;
        Ok(Self { flags, name: Name::new(name), charset, datatype, dataspace, rest: cursor })
    }
}

/// A part of the message; in version 1 it is padded to a multiple of 8 bytes.
fn padded(cursor: &mut Cursor, field: &'static str, len: usize, version: u8) -> Result<Cursor, FormatError> {
    let part = cursor.sub(field, len)?;
    if version == 1 {
        cursor.skip("padding", len.next_multiple_of(8) - len)?;
    }
    Ok(part)
}

fn data(cursor: &mut Cursor, datatype: &Datatype, dataspace: &Dataspace) -> Result<Bytes, FormatError> {
    let bytes = dataspace.elements().and_then(|count| count.checked_mul(datatype.size.into()));
    let Some(bytes) = bytes else {
        return Err(cursor.invalid("data", "the size of the extent in bytes overflows 64 bits"));
    };
    cursor.bytes("data", usize::try_from(bytes).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;
    use crate::{Stop, View};

    fn datatype() -> Build {
        Build::default().u8(0x10).uint(0x08, 3).u32(2).u16(0).u16(16)
    }

    fn dataspace() -> Build {
        Build::default().u8(1).u8(1).zeros(6).length(3)
    }

    fn sizes(head: Build, name: u16) -> Build {
        head.u16(name).u16(datatype().len() as u16).u16(dataspace().len() as u16)
    }

    fn parse(cursor: Cursor) -> Result<Attribute, FormatError> {
        let nothing = Bytes::new();
        match Attribute::parse(View::new(&nothing).into(), cursor, Some(4)) {
            Ok(attribute) => Ok(attribute),
            Err(Stop::Bad(error)) => Err(error),
            Err(Stop::Need(needs)) => panic!("nothing is shared, but {needs:?}"),
        }
    }

    fn of_version(version: u8) -> Build {
        match version {
            1 => sizes(Build::default().u8(1).u8(0xff), 6)
                .bytes(b"hello\0")
                .align(8)
                .and(&datatype())
                .align(8)
                .and(&dataspace())
                .align(8),
            2 => sizes(Build::default().u8(2).u8(0), 6).bytes(b"hello\0").and(&datatype()).and(&dataspace()),
            _ => {
                let head = sizes(Build::default().u8(3).u8(0), 6).u8(1);
                head.bytes(b"hello\0").and(&datatype()).and(&dataspace())
            }
        }
    }

    #[test]
    fn reads_all_versions() {
        for version in 1..=3 {
            let body = of_version(version).u16(1).u16(2).u16(3);
            let attribute = parse(body.cursor()).unwrap();
            assert_eq!((&attribute.name, attribute.creation_order), (&"hello".into(), Some(4)));
            assert_eq!(attribute.data[..], [1, 0, 2, 0, 3, 0]);
            assert_eq!((attribute.datatype.size, attribute.dataspace.dims()), (2, &[3][..]));
            body.each_prefix(|cursor| assert!(parse(cursor).is_err()));
            // Bytes after the data are not part of any field.
            assert_eq!(parse(body.zeros(5).cursor()), Ok(attribute));
        }
    }

    #[test]
    fn the_name_is_known_where_the_data_is_not() {
        let body = of_version(3);
        assert_eq!(parse(body.cursor()).unwrap_err().field, "data");
        assert_eq!(Attribute::parse_name(body.cursor()), Ok("hello".into()));
    }

    #[test]
    fn the_name_is_as_long_as_it_says() {
        let named = |name: &[u8]| {
            let head = sizes(Build::default().u8(2).u8(0), name.len() as u16);
            head.bytes(name).and(&datatype()).and(&dataspace()).zeros(6)
        };
        assert_eq!(parse(named(b"\0").cursor()).unwrap_err().field, "name size");
        assert_eq!(parse(named(b"").cursor()).unwrap_err().field, "name size");
        assert_eq!(parse(named(b"a\0b\0").cursor()).unwrap_err().field, "name");
        assert!(parse(named(b"ab\0").cursor()).is_ok());
    }

    #[test]
    fn an_extent_beyond_all_numbers_is_refused() {
        let space = Build::default().u8(1).u8(2).zeros(6).length(1 << 40).length(1 << 40);
        let head = Build::default().u8(2).u8(0).u16(2).u16(datatype().len() as u16).u16(space.len() as u16);
        let body = head.bytes(b"a\0").and(&datatype()).and(&space);
        assert_eq!(parse(body.cursor()).unwrap_err().field, "data");
    }
}
