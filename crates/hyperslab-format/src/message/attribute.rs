//! Attribute message (specification IV.A.2.m, type 0x0C): a named value of an object. The objects of an object's
//! attribute heap have the same form.
//!
//! ```text
//! version 1   reserved 1 | name, datatype, dataspace sizes 2 each             | name | datatype | dataspace | data
//! version 2   flags 1    | the same, and nothing is padded to 8 bytes
//! version 3   flags 1    | the same                              | charset 1 | the same
//!
//! flags   bit 0 the datatype is shared, bit 1 the dataspace is shared
//! ```
//!
//! The character set of version 3 is not kept: a [`Name`] is bytes.

use super::{Dataspace, Datatype};
use crate::object_header::{Context, MessageKind};
use crate::{Bytes, Cursor, FormatError, Name, Parse};

/// An attribute, with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: Name,
    /// Its datatype.
    pub datatype: Datatype,
    /// Its extent.
    pub dataspace: Dataspace,
    /// The bytes of all elements, in the file's representation. Exactly as long as extent and datatype say.
    pub data: Bytes,
    /// Position in the order of creation, where the object tracks it.
    pub creation_order: Option<u32>,
}

const DATATYPE_SHARED: u8 = 0x01;
const DATASPACE_SHARED: u8 = 0x02;

/// The parts of the message, not yet understood.
struct Parts {
    flags: u8,
    name: Name,
    datatype: Cursor,
    dataspace: Cursor,
    /// At the first byte of the data.
    rest: Cursor,
}

impl Attribute {
    /// Reads the message. `creation_order` comes from around it: from the message's head or the index record.
    pub fn parse(context: Context<'_>, cursor: Cursor, creation_order: Option<u32>) -> Parse<Self> {
        let mut parts = Parts::parse(cursor)?;
        let shared = parts.flags & DATATYPE_SHARED != 0;
        let resolved = context.resolve(MessageKind::DATATYPE, shared, parts.datatype)?;
        let mut datatype = Datatype::parse(resolved.cursor)?;
        datatype.committed = resolved.committed;
        let shared = parts.flags & DATASPACE_SHARED != 0;
        let dataspace = context.resolve(MessageKind::DATASPACE, shared, parts.dataspace)?;
        let dataspace = Dataspace::parse(dataspace.cursor)?;
        let data = data(&mut parts.rest, &datatype, &dataspace)?;
        Ok(Self { name: parts.name, datatype, dataspace, data, creation_order })
    }

    /// Reads the name alone: what can be said of an attribute whose value cannot be read.
    pub fn parse_name(cursor: Cursor) -> Result<Name, FormatError> {
        Ok(Parts::parse(cursor)?.name)
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
        if version == 3 {
            cursor.skip("name character set encoding", 1)?;
        }
        let name_at = cursor.at();
        let name = padded(&mut cursor, "name", name_len, version)?.rest();
        // The size counts the NUL that ends the name.
        let Some(name) = name_len.checked_sub(1).filter(|&len| len > 0).map(|len| name.slice(..len)) else {
            return Err(cursor.invalid_at(at, "name size", format!("a name of {name_len} bytes with its NUL")));
        };
        if name.contains(&0) {
            return Err(cursor.invalid_at(name_at, "name", "the name ends before its stored size"));
        }
        let datatype = padded(&mut cursor, "datatype", datatype_len, version)?;
        let dataspace = padded(&mut cursor, "dataspace", dataspace_len, version)?;
        Ok(Self { flags, name: Name::new(name), datatype, dataspace, rest: cursor })
    }
}

/// A part of the message, after which version 1 goes on at a multiple of 8 bytes.
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
        return Err(cursor.invalid("data", "the extent has more bytes than can be counted"));
    };
    cursor.bytes("data", usize::try_from(bytes).unwrap_or(usize::MAX))
}
