//! The fields of a datatype message, class by class.

use super::{DATATYPE_MEMBERS, DATATYPE_VERSION};
use crate::checker::{Checked, Checker};
use hyperslab_format::Cursor;
use std::collections::HashSet;

/// As deep as the parser goes, which has read the datatype before.
const DEPTH_MAX: u32 = 32;

/// The class numbers of the specification.
mod class {
    pub(super) const INTEGER: u8 = 0;
    pub(super) const FLOAT: u8 = 1;
    pub(super) const TIME: u8 = 2;
    pub(super) const STRING: u8 = 3;
    pub(super) const BITFIELD: u8 = 4;
    pub(super) const OPAQUE: u8 = 5;
    pub(super) const COMPOUND: u8 = 6;
    pub(super) const REFERENCE: u8 = 7;
    pub(super) const ENUMERATION: u8 = 8;
    pub(super) const VARIABLE_LENGTH: u8 = 9;
    pub(super) const ARRAY: u8 = 10;
    pub(super) const COMPLEX: u8 = 11;
}

impl Checker<'_> {
    /// Reads a datatype that the parser accepts.
    pub(super) fn read_datatype(&mut self, cursor: &mut Cursor, depth: u32) -> Checked {
        if depth > DEPTH_MAX {
            return Ok(());
        }
        let at = cursor.at();
        let first = cursor.u8("class and version")?;
        let (class, version) = (first & 0x0f, first >> 4);
        let bits = cursor.uint("class bit field", 3)?;
        let size = cursor.u32("size")?;
        let place = (cursor.structure(), at);
        self.only_bits(place, "class bit field", bits, known_bits(class, version, bits));
        let needed = match class {
            class::ARRAY => 2,
            class::FLOAT if bits & 0x40 != 0 => 3,
            class::REFERENCE if bits & 0x0f > 1 => 4,
            class::COMPLEX => 5,
            _ => 1,
        };
        self.demand(version >= needed, &DATATYPE_VERSION, place.0, at, || {
            format!("class {class} in version {version}, but it needs version {needed}")
        });
        match class {
            class::INTEGER | class::BITFIELD => cursor.skip("bit offset and precision", 4)?,
            class::FLOAT => cursor.skip("floating-point properties", 12)?,
            class::TIME => cursor.skip("bit precision", 2)?,
            class::OPAQUE => {
                let tag = cursor.bytes("tag", (bits & 0xff) as usize)?;
                let end = tag.iter().position(|&byte| byte == 0).unwrap_or(tag.len());
                self.zeros_after(place.0, at, "tag", &tag, end);
            }
            class::COMPOUND => {
                for _ in 0..bits & 0xffff {
                    self.read_name(cursor, version)?;
                    if version < 3 {
                        cursor.skip("byte offset of member", 4)?;
                    } else {
                        cursor.skip("byte offset of member", 1 + (size.max(1).ilog2() / 8) as usize)?;
                    }
                    if version == 1 {
                        cursor.skip("dimensionality", 1)?;
                        self.reserved(cursor, "reserved", 3)?;
                        cursor.skip("dimension permutation", 4)?;
                        self.reserved(cursor, "reserved", 4)?;
                        cursor.skip("dimension sizes", 16)?;
                    }
                    self.read_datatype(cursor, depth + 1)?;
                }
            }
            class::ENUMERATION => {
                self.read_datatype(cursor, depth + 1)?;
                let mut names = HashSet::new();
                for _ in 0..bits & 0xffff {
                    let name = self.read_name(cursor, version)?;
                    let is_new = names.insert(name.clone());
                    self.demand(is_new, &DATATYPE_MEMBERS, place.0, at, || {
                        format!("the name {} occurs twice", name.escape_ascii())
                    });
                }
                cursor.skip("values", (bits & 0xffff) as usize * size as usize)?;
            }
            class::VARIABLE_LENGTH => self.read_datatype(cursor, depth + 1)?,
            class::ARRAY => {
                let rank = usize::from(cursor.u8("dimensionality")?);
                if version < 3 {
                    self.reserved(cursor, "reserved", 3)?;
                }
                let indices = if version < 3 { rank } else { 0 };
                cursor.skip("dimension sizes and permutation", 4 * (rank + indices))?;
                self.read_datatype(cursor, depth + 1)?;
            }
            class::COMPLEX => self.read_datatype(cursor, depth + 1)?,
            _ => {}
        }
        Ok(())
    }

    /// Reads a name with its NUL, padded to 8 bytes before version 3.
    fn read_name(&mut self, cursor: &mut Cursor, version: u8) -> Checked<Vec<u8>> {
        let name = cursor.nul_terminated("name")?;
        if version < 3 {
            let len = name.len() + 1;
            self.reserved(cursor, "padding of the name", len.next_multiple_of(8) - len)?;
        }
        Ok(name.to_vec())
    }

    /// Reports bytes of a padded text that are not zero after its end.
    pub(super) fn zeros_after(
        &mut self,
        structure: &'static str,
        at: u64,
        field: &str,
        text: &[u8],
        end: usize,
    ) {
        let is_zero = text[end..].iter().all(|&byte| byte == 0);
        self.demand(is_zero, &crate::general::RESERVED, structure, at, || {
            format!("{field}: the bytes after the NUL are not zero")
        });
    }
}

/// The bits of the class bit field that have a meaning.
fn known_bits(class: u8, version: u8, bits: u64) -> u64 {
    match class {
        class::INTEGER => 0x0f,
        class::FLOAT if version >= 3 => 0xff7f,
        class::FLOAT => 0xff3f,
        class::TIME => 0x01,
        class::STRING | class::OPAQUE => 0xff,
        class::BITFIELD => 0x07,
        class::COMPOUND | class::ENUMERATION => 0xffff,
        class::REFERENCE if bits & 0x0f > 1 => 0xff,
        class::REFERENCE => 0x0f,
        class::VARIABLE_LENGTH if bits & 0x0f == 1 => 0xfff,
        class::VARIABLE_LENGTH => 0x0f,
        class::COMPLEX => 0x07,
        _ => 0,
    }
}
