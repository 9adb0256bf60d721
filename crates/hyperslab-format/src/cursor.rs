//! Parses the fields of a structure in file order, with the file's widths of offsets and lengths. An error names the
//! field and its byte offset.

use crate::{Address, FormatError, Problem, Widths};
use bytes::Bytes;

/// A position in the bytes of one structure.
#[derive(Debug, Clone)]
pub struct Cursor {
    structure: &'static str,
    /// The absolute offset in the file of the first of `bytes`.
    start: u64,
    bytes: Bytes,
    position: usize,
    widths: Widths,
    /// True if the bytes were computed from those at `start`, so that offsets in them are not offsets in the file.
    is_derived: bool,
}

type Result<T> = std::result::Result<T, FormatError>;

impl Cursor {
    /// A cursor over `bytes`, which are at the absolute offset `start`.
    pub fn new(structure: &'static str, start: u64, bytes: Bytes, widths: Widths) -> Self {
        Self { structure, start, bytes, position: 0, widths, is_derived: false }
    }

    /// Marks the bytes as computed from those at `start` (for example by filters); errors then report `start`.
    pub fn derived(mut self) -> Self {
        self.is_derived = true;
        self
    }

    /// The name of the structure in errors.
    pub fn structure(&self) -> &'static str {
        self.structure
    }

    /// The same cursor with another structure name.
    pub fn renamed(mut self, structure: &'static str) -> Self {
        self.structure = structure;
        self
    }

    /// The absolute offset in the file of the next field.
    pub fn at(&self) -> u64 {
        if self.is_derived { self.start } else { self.start.saturating_add(self.position as u64) }
    }

    /// The offset of the next field from the start of the structure.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The number of bytes left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// The widths of offsets and lengths.
    pub fn widths(&self) -> Widths {
        self.widths
    }

    /// The same cursor with other widths: for the structure that states them.
    pub fn with_widths(mut self, widths: Widths) -> Self {
        self.widths = widths;
        self
    }

    /// The next `len` bytes.
    pub fn bytes(&mut self, field: &'static str, len: usize) -> Result<Bytes> {
        let range = self.advance(field, len)?;
        Ok(self.bytes.slice(range))
    }

    /// All bytes left.
    pub fn rest(&mut self) -> Bytes {
        let rest = self.bytes.slice(self.position..);
        self.position = self.bytes.len();
        rest
    }

    /// A cursor over only the next `len` bytes, with the same structure name.
    pub fn sub(&mut self, field: &'static str, len: usize) -> Result<Cursor> {
        let start = self.at();
        let bytes = self.bytes(field, len)?;
        Ok(Cursor { start, bytes, position: 0, ..self.clone() })
    }

    /// Skips `len` bytes.
    pub fn skip(&mut self, field: &'static str, len: usize) -> Result<()> {
        self.advance(field, len).map(|_| ())
    }

    /// Skips bytes until the position is a multiple of `align`, or to the end.
    pub fn align(&mut self, align: usize) {
        self.position = self.position.next_multiple_of(align).min(self.bytes.len());
    }

    /// An 8-bit unsigned integer.
    pub fn u8(&mut self, field: &'static str) -> Result<u8> {
        Ok(self.uint(field, 1)? as u8)
    }

    /// A 16-bit unsigned integer, little-endian.
    pub fn u16(&mut self, field: &'static str) -> Result<u16> {
        Ok(self.uint(field, 2)? as u16)
    }

    /// A 32-bit unsigned integer, little-endian.
    pub fn u32(&mut self, field: &'static str) -> Result<u32> {
        Ok(self.uint(field, 4)? as u32)
    }

    /// A 64-bit unsigned integer, little-endian.
    pub fn u64(&mut self, field: &'static str) -> Result<u64> {
        self.uint(field, 8)
    }

    /// An unsigned integer of `width` bytes (0 to 8), little-endian.
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

    /// An address in the file's width; `None` if it is undefined (all ones).
    pub fn address(&mut self, field: &'static str) -> Result<Option<Address>> {
        let width = self.widths.offset;
        let value = self.uint(field, width as usize)?;
        Ok((value != Widths::undefined(width)).then_some(Address(value)))
    }

    /// An address that must be defined.
    pub fn address_defined(&mut self, field: &'static str) -> Result<Address> {
        let at = self.at();
        self.address(field)?
            .ok_or_else(|| FormatError::invalid(self.structure, field, at, "the address is undefined"))
    }

    /// A length in the file's width.
    pub fn length(&mut self, field: &'static str) -> Result<u64> {
        self.uint(field, self.widths.length as usize)
    }

    /// The bytes before the next NUL, which is skipped too.
    pub fn nul_terminated(&mut self, field: &'static str) -> Result<Bytes> {
        let rest = &self.bytes[self.position..];
        let Some(len) = rest.iter().position(|&byte| byte == 0) else {
            return Err(self.invalid(field, "text without a terminating NUL"));
        };
        let text = self.bytes(field, len)?;
        self.skip(field, 1)?;
        Ok(text)
    }

    /// Checks the four-byte signature of the structure.
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

    /// Reads a version byte and checks that it is in the range `known`.
    pub fn version(&mut self, known: std::ops::RangeInclusive<u8>) -> Result<u8> {
        let at = self.at();
        let version = self.u8("version")?;
        if known.contains(&version) {
            return Ok(version);
        }
        let what =
            format!("unknown version {version}; the known versions are {} to {}", known.start(), known.end());
        Err(FormatError::unsupported(self.structure, "version", at, what))
    }

    /// Reads a byte of flags and checks that only bits in `known` are set.
    pub fn flags(&mut self, known: u8) -> Result<u8> {
        let at = self.at();
        let flags = self.u8("flags")?;
        if flags & !known == 0 {
            return Ok(flags);
        }
        let what = format!("unknown bits in flags {flags:#04x}; the known bits are {known:#04x}");
        Err(FormatError::unsupported(self.structure, "flags", at, what))
    }

    /// Reads the checksum at this position and compares it with that of all preceding bytes of the structure.
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

    /// An error at the next field: its value is invalid.
    pub fn invalid(&self, field: &'static str, what: impl Into<String>) -> FormatError {
        FormatError::invalid(self.structure, field, self.at(), what)
    }

    /// An error at a field that was already read: its value is invalid.
    pub fn invalid_at(&self, at: u64, field: &'static str, what: impl Into<String>) -> FormatError {
        FormatError::invalid(self.structure, field, at, what)
    }

    /// An error at the next field: its value is valid but not supported.
    pub fn unsupported(&self, field: &'static str, what: impl Into<String>) -> FormatError {
        FormatError::unsupported(self.structure, field, self.at(), what)
    }

    /// An error at the next field: `found` exceeds a named limit.
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
