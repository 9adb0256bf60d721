//! Compressed elements: one coded stream. To read in the middle, a decoder begins at the start.

use crate::Coder;
use crate::cursor::{Cursor, Parsed};

/// The description of a compressed element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compressed {
    /// Bytes of the element, decoded.
    pub length: u32,
    /// The reference of the coded bytes (tag 40).
    pub data: u16,
    /// How they were made.
    pub coder: Coder,
}

impl Compressed {
    pub(super) fn parse(fields: &mut Cursor<'_>) -> Parsed<Self> {
        let at = fields.at();
        let version = fields.u16("version")?;
        if version != 0 {
            return Err(fields.unsupported("version", at, format!("version {version} is not read")));
        }
        Ok(Self {
            length: fields.length("length")?,
            data: fields.u16("data reference")?,
            coder: Coder::parse(fields)?,
        })
    }
}
