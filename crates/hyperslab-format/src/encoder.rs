//! Writes the fields of a structure in file order, with the file's widths of offsets and lengths: the counterpart of
//! [`Cursor`](crate::Cursor).
//!
//! A value that does not fit its field does not end the encoding: the first such error is kept, and
//! [`Encoder::finish`] returns it. The encoders of structures therefore are plain sequences of fields.

use crate::{Address, Widths, checksum};
use std::fmt;

/// Bytes of a structure under construction.
#[derive(Debug, Clone)]
pub struct Encoder {
    structure: &'static str,
    bytes: Vec<u8>,
    widths: Widths,
    error: Option<EncodeError>,
}

/// A value that the format cannot express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodeError {
    /// The structure, named as in the specification: `"attribute message"`.
    pub structure: &'static str,
    /// The field in it: `"name size"`.
    pub field: &'static str,
    /// Why the value cannot be stored there.
    pub what: String,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}: {}", self.structure, self.field, self.what)
    }
}

impl std::error::Error for EncodeError {}

impl Encoder {
    /// Nothing yet, for a structure of this name.
    pub fn new(structure: &'static str, widths: Widths) -> Self {
        Self { structure, bytes: Vec::new(), widths, error: None }
    }

    /// The same, with this many bytes reserved.
    pub fn with_room(bytes: usize, structure: &'static str, widths: Widths) -> Self {
        Self { bytes: Vec::with_capacity(bytes), ..Self::new(structure, widths) }
    }

    /// The bytes, if every value fitted its field.
    ///
    /// # Errors
    ///
    /// The first value that did not.
    pub fn finish(self) -> Result<Vec<u8>, EncodeError> {
        self.error.map_or(Ok(self.bytes), Err)
    }

    /// The widths of offsets and lengths.
    pub fn widths(&self) -> Widths {
        self.widths
    }

    /// The number of bytes written so far.
    pub fn position(&self) -> usize {
        self.bytes.len()
    }

    /// Records that a value cannot be stored, unless an earlier one is recorded already.
    pub fn refuse(&mut self, field: &'static str, what: impl Into<String>) {
        let structure = self.structure;
        self.error.get_or_insert_with(|| EncodeError { structure, field, what: what.into() });
    }

    /// One byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Two bytes, little-endian.
    pub fn u16(&mut self, value: u16) {
        self.bytes(&value.to_le_bytes());
    }

    /// Four bytes, little-endian.
    pub fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    /// Eight bytes, little-endian.
    pub fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    /// A number in `width` bytes (0 to 8), little-endian. Refuses numbers that need more.
    pub fn uint(&mut self, field: &'static str, value: u64, width: usize) {
        let width = width.min(8);
        if width < 8 && value >> (8 * width) != 0 {
            self.refuse(field, format!("{value} does not fit in {width} bytes"));
        }
        self.bytes(&value.to_le_bytes()[..width]);
    }

    /// The number of bytes or items of something, in `width` bytes.
    pub fn count(&mut self, field: &'static str, value: usize, width: usize) {
        self.uint(field, value as u64, width);
    }

    /// An address in the file's width; `None` is the undefined address (all ones).
    pub fn address(&mut self, field: &'static str, address: Option<Address>) {
        let width = self.widths.offset;
        let undefined = Widths::undefined(width);
        match address {
            Some(Address(value)) if value >= undefined => {
                self.refuse(field, format!("the address {value:#x} does not fit in {width} bytes"));
                self.uint(field, undefined, width.into());
            }
            Some(Address(value)) => self.uint(field, value, width.into()),
            None => self.uint(field, undefined, width.into()),
        }
    }

    /// A length in the file's width.
    pub fn length(&mut self, field: &'static str, value: u64) {
        self.uint(field, value, self.widths.length.into());
    }

    /// A length in the file's width; `None` is all ones.
    pub fn length_or_unlimited(&mut self, field: &'static str, value: Option<u64>) {
        let unlimited = Widths::undefined(self.widths.length);
        if value == Some(unlimited) {
            self.refuse(field, format!("{unlimited} means unlimited"));
        }
        self.length(field, value.unwrap_or(unlimited));
    }

    /// These bytes.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// What another encoder has, and its error.
    pub fn append(&mut self, part: &Self) {
        self.bytes(&part.bytes);
        if self.error.is_none() {
            self.error.clone_from(&part.error);
        }
    }

    /// `count` zeros.
    pub fn zeros(&mut self, count: usize) {
        self.bytes.resize(self.bytes.len() + count, 0);
    }

    /// Zeros until the number of bytes since `start` is a multiple of `align`.
    pub fn align_since(&mut self, start: usize, align: usize) {
        let len = self.bytes.len() - start;
        self.zeros(len.next_multiple_of(align) - len);
    }

    /// Text with its terminating NUL. Refuses text that contains a NUL itself.
    pub fn nul_terminated(&mut self, field: &'static str, text: &[u8]) {
        if text.contains(&0) {
            self.refuse(field, "the text contains a NUL");
        }
        self.bytes(text);
        self.u8(0);
    }

    /// Another structure that is a part of this one.
    pub fn nested(&mut self, part: Encoder) {
        self.bytes(&part.bytes);
        if let Some(error) = part.error {
            self.error.get_or_insert(error);
        }
    }

    /// The metadata checksum of everything so far.
    pub fn checksum(&mut self) {
        self.checksum_since(0);
    }

    /// The metadata checksum of everything since the position `start`.
    pub fn checksum_since(&mut self, start: usize) {
        self.u32(checksum::lookup3(&self.bytes[start..]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_that_does_not_fit_is_the_error() {
        let mut out = Encoder::new("structure under test", Widths { offset: 2, length: 2 });
        out.address("first", Some(Address(0xfffe)));
        out.address("undefined", None);
        assert_eq!(out.clone().finish().unwrap(), [0xfe, 0xff, 0xff, 0xff]);
        out.address("second", Some(Address(0xffff)));
        out.uint("third", 256, 1);
        let error = out.finish().unwrap_err();
        assert_eq!((error.structure, error.field), ("structure under test", "second"));
    }

    #[test]
    fn text_ends_at_its_nul() {
        let mut out = Encoder::new("structure under test", Widths::default());
        out.nul_terminated("name", b"ab");
        out.align_since(0, 8);
        assert_eq!(out.clone().finish().unwrap(), b"ab\0\0\0\0\0\0");
        out.nul_terminated("name", b"a\0b");
        assert_eq!(out.finish().unwrap_err().field, "name");
    }
}
