//! Annotations of an object: a label or a description (tags 104 and 105).

use crate::cursor::Cursor;
use hyperslab_format::FormatError;

/// A text, and the object that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// The tag and the reference of the object.
    pub of: (u16, u16),
    /// The text.
    pub text: Vec<u8>,
}

impl Annotation {
    /// Parses the annotation that begins at `at`.
    ///
    /// # Errors
    /// An element that is too short for a tag and a reference.
    pub fn parse(bytes: &[u8], at: u64) -> Result<Self, FormatError> {
        let mut fields = Cursor::new("annotation", bytes, at);
        let of = (fields.u16("tag")?, fields.u16("reference")?);
        Ok(Self { of, text: fields.take("text", fields.left())?.to_vec() })
    }
}
