//! Link message (specification IV.A.2.g, type 0x06): one link of a new-style group. The objects in a group's fractal
//! heap have the same form.
//!
//! ```text
//! version 1 | flags | [type 1] | [creation order 8] | [charset 1] | name length 1, 2, 4 or 8 | name | information
//!
//! flags   bits 0-1 width of the name length, 2 creation order, 3 type, 4 charset
//! hard    object header address
//! soft    length 2 | path
//! other   length 2 | data; external (64): version and flags 1 | file NUL | path NUL
//! ```
//!
//! A [`Name`] is bytes: its character set says how its writer understood them.

use super::datatype::Charset;
use crate::limits::NAME_BYTES_MAX;
use crate::{Address, Bytes, Cursor, Encoder, FormatError, Name};

/// A link of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its name.
    pub name: Name,
    /// The character set of the name, as its writer declared it.
    pub charset: Charset,
    /// The position in creation order, if the group tracks it.
    pub creation_order: Option<i64>,
    /// The target.
    pub target: LinkTarget,
}

/// The target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// An object header of this file.
    Hard(Address),
    /// A path in this file.
    Soft(Name),
    /// A path in another file.
    External {
        /// The other file.
        file: Name,
        /// The path in it.
        path: Name,
    },
    /// A link class registered by an application (65 to 255; 64 is external).
    UserDefined {
        /// The class.
        class: u8,
        /// Its data.
        data: Bytes,
    },
}

const NAME_LENGTH_WIDTH: u8 = 0x03;
const HAS_CREATION_ORDER: u8 = 0x04;
const HAS_TYPE: u8 = 0x08;
const HAS_CHARSET: u8 = 0x10;

const ASCII: u8 = 0;
const UTF_8: u8 = 1;

const HARD: u8 = 0;
const SOFT: u8 = 1;
const EXTERNAL: u8 = 64;

impl Link {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(1..=1)?;
        let flags = cursor.flags(NAME_LENGTH_WIDTH | HAS_CREATION_ORDER | HAS_TYPE | HAS_CHARSET)?;
        let type_at = cursor.at();
        let class = if flags & HAS_TYPE != 0 { cursor.u8("link type")? } else { HARD };
        let creation_order =
            if flags & HAS_CREATION_ORDER != 0 { Some(cursor.u64("creation order")? as i64) } else { None };
        let charset_at = cursor.at();
        let charset = if flags & HAS_CHARSET != 0 { cursor.u8("character set")? } else { ASCII };
        let charset = match charset {
            ASCII => Charset::Ascii,
            UTF_8 => Charset::Utf8,
            _ => {
                let what = format!("unknown character set {charset}");
                return Err(cursor.invalid_at(charset_at, "character set", what));
            }
        };
        let name_at = cursor.at();
        let len = cursor.uint("length of link name", 1 << (flags & NAME_LENGTH_WIDTH))?;
        if len > NAME_BYTES_MAX {
            let (structure, field) = (cursor.structure(), "length of link name");
            return Err(FormatError::limit(structure, field, name_at, "NAME_BYTES_MAX", NAME_BYTES_MAX, len));
        }
        let name = text(cursor.bytes("link name", len as usize)?);
        if name.as_bytes().is_empty() {
            return Err(cursor.invalid_at(name_at, "link name", "the name is empty"));
        }
        let target = match class {
            HARD => LinkTarget::Hard(cursor.address_defined("object header address")?),
            SOFT => soft(&mut cursor)?,
            EXTERNAL => external(&mut cursor)?,
            65.. => LinkTarget::UserDefined { class, data: information(&mut cursor)? },
            _ => return Err(cursor.invalid_at(type_at, "link type", format!("type {class} is reserved"))),
        };
        Ok(Self { name, charset, creation_order, target })
    }

    /// Encodes the message.
    pub fn encode(&self, out: &mut Encoder) {
        let name = self.name.as_bytes();
        let width = match name.len() {
            0..=0xff => 0,
            0x100..=0xffff => 1,
            _ => 2,
        };
        let class = match &self.target {
            LinkTarget::Hard(_) => HARD,
            LinkTarget::Soft(_) => SOFT,
            LinkTarget::External { .. } => EXTERNAL,
            LinkTarget::UserDefined { class, .. } => *class,
        };
        let flag = |bit, is_set| if is_set { bit } else { 0 };
        out.u8(1);
        out.u8(width
            | flag(HAS_CREATION_ORDER, self.creation_order.is_some())
            | flag(HAS_TYPE, class != HARD)
            | flag(HAS_CHARSET, self.charset == Charset::Utf8));
        if class != HARD {
            out.u8(class);
        }
        if let Some(order) = self.creation_order {
            out.u64(order as u64);
        }
        if self.charset == Charset::Utf8 {
            out.u8(UTF_8);
        }
        if name.is_empty() || name.len() as u64 > NAME_BYTES_MAX {
            out.refuse("link name", format!("a name of {} bytes", name.len()));
        }
        out.count("length of link name", name.len(), 1 << width);
        out.bytes(name);
        match &self.target {
            LinkTarget::Hard(address) => out.address("object header address", Some(*address)),
            LinkTarget::Soft(path) => {
                if path.as_bytes().is_empty() {
                    out.refuse("soft link value", "the path is empty");
                }
                encode_information(out, path.as_bytes());
            }
            LinkTarget::UserDefined { data, .. } => encode_information(out, data),
            LinkTarget::External { file, path } => {
                let mut information = Encoder::new("external link information", out.widths());
                information.u8(0);
                information.nul_terminated("file name", file.as_bytes());
                information.nul_terminated("object path", path.as_bytes());
                out.count("length of external link information", information.position(), 2);
                out.nested(information);
            }
        }
    }
}

fn encode_information(out: &mut Encoder, information: &[u8]) {
    out.count("length of link information", information.len(), 2);
    out.bytes(information);
}

fn soft(cursor: &mut Cursor) -> Result<LinkTarget, FormatError> {
    let at = cursor.at();
    let path = text(information(cursor)?);
    if path.as_bytes().is_empty() {
        return Err(cursor.invalid_at(at, "soft link value", "the path is empty"));
    }
    Ok(LinkTarget::Soft(path))
}

fn external(cursor: &mut Cursor) -> Result<LinkTarget, FormatError> {
    let len = cursor.u16("length of external link information")?;
    let mut cursor = cursor.sub("external link information", len.into())?;
    let at = cursor.at();
    let version_and_flags = cursor.u8("version and flags")?;
    if version_and_flags != 0 {
        let what = format!("unknown version and flags {version_and_flags:#04x}; only 0 is known");
        return Err(FormatError::unsupported(cursor.structure(), "version and flags", at, what));
    }
    let file = Name::new(cursor.nul_terminated("file name")?);
    let path = Name::new(cursor.nul_terminated("object path")?);
    Ok(LinkTarget::External { file, path })
}

fn information(cursor: &mut Cursor) -> Result<Bytes, FormatError> {
    let len = cursor.u16("length of link information")?;
    cursor.bytes("link information", len.into())
}

/// The library reads names as C strings, and some writers include a terminating NUL in the length.
fn text(bytes: Bytes) -> Name {
    let len = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    Name::new(bytes.slice(..len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Widths;
    use crate::testing::Build;

    #[test]
    fn a_plain_hard_link_has_neither_type_nor_order() {
        for widths in [Widths::default(), Widths { offset: 4, length: 4 }] {
            let body = Build::new(widths).u8(1).u8(0).u8(4).bytes(b"data").address(0x320);
            let link = Link::parse(body.cursor()).unwrap();
            assert_eq!((link.name, link.creation_order), ("data".into(), None));
            assert_eq!(link.target, LinkTarget::Hard(Address(0x320)));
            body.each_prefix(|cursor| assert!(Link::parse(cursor).is_err()));
        }
    }

    #[test]
    fn every_optional_field_and_every_width_of_the_name_length() {
        for width in 0..4 {
            let body = Build::default()
                .u8(1)
                .u8(0x1c | width)
                .u8(1)
                .u64(7)
                .u8(1)
                .uint(2, 1 << width)
                .bytes(b"ab")
                .u16(3)
                .bytes(b"/c\0");
            let link = Link::parse(body.cursor()).unwrap();
            assert_eq!(link.creation_order, Some(7));
            assert_eq!(link.target, LinkTarget::Soft("/c".into()));
            body.each_prefix(|cursor| assert!(Link::parse(cursor).is_err()));
        }
    }

    #[test]
    fn external_and_user_defined_links() {
        let head = |class| Build::default().u8(1).u8(8).u8(class).u8(1).bytes(b"x");
        let external = head(64).u16(10).u8(0).bytes(b"f.h5\0").bytes(b"/a\0\0");
        let target = Link::parse(external.cursor()).unwrap().target;
        assert_eq!(target, LinkTarget::External { file: "f.h5".into(), path: "/a".into() });

        let user = head(187).u16(2).bytes(b"ud");
        let target = Link::parse(user.cursor()).unwrap().target;
        assert_eq!(target, LinkTarget::UserDefined { class: 187, data: Bytes::from_static(b"ud") });
        user.each_prefix(|cursor| assert!(Link::parse(cursor).is_err()));

        assert_eq!(Link::parse(head(2).u16(0).cursor()).unwrap_err().field, "link type");
        // The length ends within the path.
        assert_eq!(Link::parse(head(64).u16(7).u8(0).bytes(b"f.h5\0/a\0").cursor()).unwrap_err().at, 13);
    }

    #[test]
    fn an_empty_or_huge_name_is_refused() {
        let empty = Build::default().u8(1).u8(0).u8(0).address(1);
        assert_eq!(Link::parse(empty.cursor()).unwrap_err().field, "link name");
        let huge = Build::default().u8(1).u8(3).u64(u64::MAX).address(1);
        assert_eq!(Link::parse(huge.cursor()).unwrap_err().field, "length of link name");
    }
}
