//! Reads the fields of a structure in file order, in the widths of the file. A failure names the field and the
//! byte at which it lies.

use crate::{Address, FormatError, Problem, Widths};
use bytes::Bytes;

/// A position in the bytes of one structure.
#[derive(Debug, Clone)]
pub struct Cursor {
    structure: &'static str,
    /// Absolute offset in the file of the first of `bytes`.
    start: u64,
    bytes: Bytes,
    position: usize,
    widths: Widths,
    /// The bytes were made from those at `start`: no place in them is a place in the file.
    is_derived: bool,
}

type Result<T> = std::result::Result<T, FormatError>;

impl Cursor {
    /// A cursor over `bytes`, which lie at the absolute offset `start`.
    pub fn new(structure: &'static str, start: u64, bytes: Bytes, widths: Widths) -> Self {
        Self { structure, start, bytes, position: 0, widths, is_derived: false }
    }

    /// The same place, where the bytes do not lie in the file but were made from what does: errors point there.
    pub fn derived(mut self) -> Self {
        self.is_derived = true;
        self
    }

    /// The structure named in errors.
    pub fn structure(&self) -> &'static str {
        self.structure
    }

    /// The same place under another structure's name.
    pub fn renamed(mut self, structure: &'static str) -> Self {
        self.structure = structure;
        self
    }

    /// Absolute offset in the file of the next field.
    pub fn at(&self) -> u64 {
        if self.is_derived { self.start } else { self.start.saturating_add(self.position as u64) }
    }

    /// Offset of the next field from the beginning of the structure.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// Sizes of offsets and lengths.
    pub fn widths(&self) -> Widths {
        self.widths
    }

    /// The same place, reading offsets and lengths in other sizes: for the structure that states them.
    pub fn with_widths(mut self, widths: Widths) -> Self {
        self.widths = widths;
        self
    }

    /// The next `len` bytes.
    pub fn bytes(&mut self, field: &'static str, len: usize) -> Result<Bytes> {
        let range = self.advance(field, len)?;
        Ok(self.bytes.slice(range))
    }

    /// All bytes that are left.
    pub fn rest(&mut self) -> Bytes {
        let rest = self.bytes.slice(self.position..);
        self.position = self.bytes.len();
        rest
    }

    /// A cursor over the next `len` bytes alone, under the same structure's name.
    pub fn sub(&mut self, field: &'static str, len: usize) -> Result<Cursor> {
        let start = self.at();
        let bytes = self.bytes(field, len)?;
        Ok(Cursor { start, bytes, position: 0, ..self.clone() })
    }

    /// Passes over `len` bytes.
    pub fn skip(&mut self, field: &'static str, len: usize) -> Result<()> {
        self.advance(field, len).map(|_| ())
    }

    /// Passes over bytes until the position is a multiple of `align`, or to the end.
    pub fn align(&mut self, align: usize) {
        self.position = self.position.next_multiple_of(align).min(self.bytes.len());
    }

    /// An unsigned byte.
    pub fn u8(&mut self, field: &'static str) -> Result<u8> {
        Ok(self.uint(field, 1)? as u8)
    }

    /// Two bytes, little-endian.
    pub fn u16(&mut self, field: &'static str) -> Result<u16> {
        Ok(self.uint(field, 2)? as u16)
    }

    /// Four bytes, little-endian.
    pub fn u32(&mut self, field: &'static str) -> Result<u32> {
        Ok(self.uint(field, 4)? as u32)
    }

    /// Eight bytes, little-endian.
    pub fn u64(&mut self, field: &'static str) -> Result<u64> {
        self.uint(field, 8)
    }

    /// An unsigned number of `width` bytes (0 to 8), little-endian.
    pub fn uint(&mut self, field: &'static str, width: usize) -> Result<u64> {
        let at = self.at();
        if width > 8 {
            return Err(FormatError::invalid(self.structure, field, at, format!("number of {width} bytes")));
        }
        let range = self.advance(field, width)?;
        let mut padded = [0u8; 8];
        padded[..width].copy_from_slice(&self.bytes[range]);
        Ok(u64::from_le_bytes(padded))
    }

    /// An address in the file's width; `None` where it is undefined (all ones).
    pub fn address(&mut self, field: &'static str) -> Result<Option<Address>> {
        let width = self.widths.offset;
        let value = self.uint(field, width as usize)?;
        Ok((value != Widths::undefined(width)).then_some(Address(value)))
    }

    /// An address that has to be defined.
    pub fn address_defined(&mut self, field: &'static str) -> Result<Address> {
        let at = self.at();
        self.address(field)?
            .ok_or_else(|| FormatError::invalid(self.structure, field, at, "the address is undefined"))
    }

    /// A length in the file's width.
    pub fn length(&mut self, field: &'static str) -> Result<u64> {
        self.uint(field, self.widths.length as usize)
    }

    /// The bytes before a NUL, which is passed over too.
    pub fn nul_terminated(&mut self, field: &'static str) -> Result<Bytes> {
        let rest = &self.bytes[self.position..];
        let Some(len) = rest.iter().position(|&byte| byte == 0) else {
            return Err(self.invalid(field, "text without a terminating NUL"));
        };
        let text = self.bytes(field, len)?;
        self.skip(field, 1)?;
        Ok(text)
    }

    /// Checks the four bytes that name the structure.
    pub fn signature(&mut self, expected: &[u8; 4]) -> Result<()> {
        let at = self.at();
        let range = self.advance("signature", 4)?;
        let found: [u8; 4] = self.bytes[range].try_into().expect("advance gave four bytes");
        if found != *expected {
            let problem = Problem::Signature { expected: *expected, found };
            return Err(FormatError { structure: self.structure, field: "signature", at, problem });
        }
        Ok(())
    }

    /// Reads a version byte and checks that it is one of `known`.
    pub fn version(&mut self, known: std::ops::RangeInclusive<u8>) -> Result<u8> {
        let at = self.at();
        let version = self.u8("version")?;
        if known.contains(&version) {
            return Ok(version);
        }
        let what = format!("version {version} is not known ({} to {} are)", known.start(), known.end());
        Err(FormatError::unsupported(self.structure, "version", at, what))
    }

    /// Reads a byte of flags and checks that no bit outside of `known` is set.
    pub fn flags(&mut self, known: u8) -> Result<u8> {
        let at = self.at();
        let flags = self.u8("flags")?;
        if flags & !known == 0 {
            return Ok(flags);
        }
        let what = format!("flags {flags:#04x} have bits that are not known (known are {known:#04x})");
        Err(FormatError::unsupported(self.structure, "flags", at, what))
    }

    /// Reads the checksum that follows here and compares it with that of all bytes of the structure before it.
    pub fn checksum(&mut self) -> Result<()> {
        let at = self.at();
        let computed = crate::checksum::lookup3(&self.bytes[..self.position]);
        let stored = self.u32("checksum")?;
        if stored != computed {
            let problem = Problem::Checksum { stored, computed };
            return Err(FormatError { structure: self.structure, field: "checksum", at, problem });
        }
        Ok(())
    }

    /// An error at the next field: no valid file holds this.
    pub fn invalid(&self, field: &'static str, what: impl Into<String>) -> FormatError {
        FormatError::invalid(self.structure, field, self.at(), what)
    }

    /// An error at a field that has been read already: no valid file holds this.
    pub fn invalid_at(&self, at: u64, field: &'static str, what: impl Into<String>) -> FormatError {
        FormatError::invalid(self.structure, field, at, what)
    }

    /// An error at the next field: valid, but not read.
    pub fn unsupported(&self, field: &'static str, what: impl Into<String>) -> FormatError {
        FormatError::unsupported(self.structure, field, self.at(), what)
    }

    /// An error at the next field: `found` is above a named limit.
    pub fn limit(&self, field: &'static str, limit: &'static str, max: u64, found: u64) -> FormatError {
        FormatError::limit(self.structure, field, self.at(), limit, max, found)
    }

    fn advance(&mut self, field: &'static str, len: usize) -> Result<std::ops::Range<usize>> {
        let left = self.left();
        if len > left {
            let problem = Problem::Short { needed: len as u64, left: left as u64 };
            return Err(FormatError { structure: self.structure, field, at: self.at(), problem });
        }
        let start = self.position;
        self.position += len;
        Ok(start..self.position)
    }
}
