//! The fields of a link message, in an object header or in a fractal heap.

use super::{TEXT_END, UTF_8};
use crate::checker::{Checked, Checker};
use hyperslab_format::Cursor;
use hyperslab_format::message::Link;
use hyperslab_format::message::datatype::Charset;

const NAME_WIDTH: u8 = 0x03;
const HAS_CREATION_ORDER: u8 = 0x04;
const HAS_TYPE: u8 = 0x08;
const HAS_CHARSET: u8 = 0x10;

impl Checker<'_> {
    /// Reads a link, and leaves the cursor at its end.
    pub(crate) fn read_link(&mut self, cursor: &mut Cursor) -> Checked<Link> {
        let (structure, start) = (cursor.structure(), cursor.at());
        let link = Link::parse(cursor.clone())?;
        cursor.skip("version", 1)?;
        let flags = cursor.u8("flags")?;
        let class = if flags & HAS_TYPE != 0 { cursor.u8("link type")? } else { 0 };
        cursor.skip("creation order", if flags & HAS_CREATION_ORDER != 0 { 8 } else { 0 })?;
        cursor.skip("character set", usize::from(flags & HAS_CHARSET != 0))?;
        let len = cursor.uint("length of link name", 1 << (flags & NAME_WIDTH))?;
        let name = cursor.bytes("link name", len as usize)?;
        self.demand(!name.contains(&0), &TEXT_END, structure, start, || {
            "the length of the link name includes a NUL".to_owned()
        });
        self.demand(!name.contains(&b'/'), &TEXT_END, structure, start, || {
            format!("the link name {} has a slash", name.escape_ascii())
        });
        if link.charset == Charset::Utf8 {
            self.check_utf_8(structure, start, &name);
        }
        if class == 0 {
            cursor.skip("object header address", cursor.widths().offset.into())?;
        } else {
            let len = cursor.u16("length of link information")?;
            let information = cursor.bytes("link information", len.into())?;
            if class == 64 {
                // Version and flags, then two texts with a NUL each.
                let texts = information.get(1..).unwrap_or_default();
                let nuls = texts.iter().filter(|&&byte| byte == 0).count();
                self.demand(nuls == 2 && texts.last() == Some(&0), &TEXT_END, structure, start, || {
                    format!("an external link with {nuls} NULs in {len} bytes")
                });
            }
        }
        Ok(link)
    }

    /// Reports bytes that are marked as UTF-8 and are not.
    pub(super) fn check_utf_8(&mut self, structure: &'static str, at: u64, text: &[u8]) {
        self.demand(std::str::from_utf8(text).is_ok(), &UTF_8, structure, at, || {
            format!("{} is not UTF-8", text.escape_ascii())
        });
    }
}
