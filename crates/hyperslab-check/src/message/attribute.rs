//! The fields of an attribute message, in an object header or in a fractal heap.

use super::{ATTRIBUTE_SIZES, TEXT_END};
use crate::checker::{Checked, Checker};
use hyperslab_format::Cursor;
use hyperslab_format::message::Attribute;
use hyperslab_format::message::datatype::Charset;
use hyperslab_format::object_header::{Found, MessageKind};

const DATATYPE_SHARED: u8 = 0x01;
const DATASPACE_SHARED: u8 = 0x02;

impl Checker<'_> {
    /// Reads an attribute, and leaves the cursor at its end.
    pub(crate) fn read_attribute(&mut self, cursor: &mut Cursor, order: Option<u32>) -> Checked<Attribute> {
        let (structure, start) = (cursor.structure(), cursor.at());
        let whole = cursor.clone();
        let attribute =
            self.with_context(|context| Attribute::parse_with(context, whole, order, &mut Found::default()))?;
        let version = cursor.u8("version")?;
        let mut flags = 0;
        if version == 1 {
            self.reserved(cursor, "reserved", 1)?;
        } else {
            flags = cursor.u8("flags")?;
        }
        let name_len = usize::from(cursor.u16("name size")?);
        let datatype_len = usize::from(cursor.u16("datatype size")?);
        let dataspace_len = usize::from(cursor.u16("dataspace size")?);
        if version >= 3 {
            let at = cursor.at();
            let charset = cursor.u8("name character set encoding")?;
            self.demand(charset <= 1, &crate::general::UNKNOWN, structure, at, || {
                format!("character set {charset}")
            });
        }
        let name = self.padded(cursor, "name", name_len, version)?.rest();
        self.demand(name.last() == Some(&0), &TEXT_END, structure, start, || {
            format!("the name {} does not end with a NUL", name.escape_ascii())
        });
        if attribute.charset == Charset::Utf8 {
            self.check_utf_8(structure, start, attribute.name.as_bytes());
        }
        for (kind, len, shared) in [
            (MessageKind::DATATYPE, datatype_len, flags & DATATYPE_SHARED != 0),
            (MessageKind::DATASPACE, dataspace_len, flags & DATASPACE_SHARED != 0),
        ] {
            let mut part = self.padded(cursor, "datatype or dataspace", len, version)?;
            if shared {
                self.read_shared_location(kind, &mut part)?;
            } else {
                self.check_body(kind, &mut part)?;
            }
            let (at, left) = (part.at(), part.left());
            // The sizes in version 1 messages may include the padding.
            let padding = if version == 1 { 7 } else { 0 };
            self.demand(left <= padding, &ATTRIBUTE_SIZES, structure, at, || {
                format!("{left} bytes follow the last field of the {kind}")
            });
        }
        cursor.skip("data", attribute.data.len())?;
        Ok(attribute)
    }

    /// A part of the message, padded to a multiple of 8 bytes in version 1.
    fn padded(
        &mut self,
        cursor: &mut Cursor,
        field: &'static str,
        len: usize,
        version: u8,
    ) -> Checked<Cursor> {
        let part = cursor.sub(field, len)?;
        if version == 1 {
            self.reserved(cursor, "padding", len.next_multiple_of(8) - len)?;
        }
        Ok(part)
    }
}
