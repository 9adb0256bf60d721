//! The fields of a header in their order: big-endian, padded to four bytes, in the widths of the version.

use crate::{Kind, Remark, RemarkKind, Version};
use hyperslab_format::{FormatError, Name, Need, Parse, Problem, Stop};

/// Padding of names and values.
const ALIGN: u64 = 4;
/// A header that is not complete is asked for with at least so many bytes more than it is known to have.
const MORE_BYTES: u64 = 64 << 10;

/// More remarks are not kept.
const REMARKS_MAX: usize = 1000;

/// A position in the first bytes of a file.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'b> {
    bytes: &'b [u8],
    position: u64,
    file_len: u64,
    pub(crate) version: Version,
    /// What is being parsed, for errors.
    pub(crate) structure: &'static str,
    /// What the specification does not allow, so far.
    pub(crate) remarks: Vec<Remark>,
}

impl<'b> Cursor<'b> {
    /// A cursor behind the magic number.
    pub(crate) fn new(bytes: &'b [u8], file_len: u64, version: Version) -> Self {
        Self { bytes, position: 4, file_len, version, structure: "header", remarks: Vec::new() }
    }

    /// The offset of the next field.
    pub(crate) fn at(&self) -> u64 {
        self.position
    }

    /// The bytes of the file behind this position.
    pub(crate) fn left(&self) -> u64 {
        self.file_len.saturating_sub(self.position)
    }

    /// The next `len` bytes.
    pub(crate) fn take(&mut self, field: &'static str, len: u64) -> Parse<&'b [u8]> {
        let at = self.position;
        let past_end = || {
            let problem = Problem::PastEnd { needed: len, file_len: self.file_len };
            FormatError { structure: self.structure, field, at, problem }
        };
        let end = at.checked_add(len).filter(|end| *end <= self.file_len).ok_or_else(past_end)?;
        if end > self.bytes.len() as u64 {
            // Twice as many as before, so that a long header takes few requests.
            let wanted = (2 * self.bytes.len() as u64).max(end.saturating_add(MORE_BYTES)).min(self.file_len);
            return Err(Stop::Need(vec![Need { range: 0..wanted, reason: "header" }]));
        }
        self.position = end;
        Ok(&self.bytes[at as usize..end as usize])
    }

    /// An unsigned number of `width` bytes.
    fn uint(&mut self, field: &'static str, width: usize) -> Parse<u64> {
        let bytes = self.take(field, width as u64)?;
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A number of 32 bits: a tag or a type.
    pub(crate) fn u32(&mut self, field: &'static str) -> Parse<u32> {
        Ok(self.uint(field, 4)? as u32)
    }

    /// A count, a length or a number of a dimension. The specification has a sign, which nothing needs.
    pub(crate) fn count(&mut self, field: &'static str) -> Parse<u64> {
        self.uint(field, self.version.count_bytes())
    }

    /// An offset in the file.
    pub(crate) fn offset(&mut self, field: &'static str) -> Parse<u64> {
        self.uint(field, self.version.offset_bytes())
    }

    /// A count of items of at least `least` bytes each, which the rest of the file can hold.
    pub(crate) fn count_of(&mut self, field: &'static str, least: u64) -> Parse<u64> {
        let at = self.position;
        let count = self.count(field)?;
        match count.checked_mul(least) {
            Some(bytes) if bytes <= self.left() => Ok(count),
            _ => Err(self.invalid_at(
                at,
                field,
                format!(
                    "{count} of at least {least} bytes do not fit the {} bytes that are left",
                    self.left()
                ),
            )),
        }
    }

    /// A name, without the NULs that some writers count as a part of it.
    pub(crate) fn name(&mut self) -> Parse<Name> {
        let len = self.count_of("name", 1)?;
        let bytes = self.padded("name", len)?;
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        if end < bytes.len() {
            self.remark(self.position, RemarkKind::NulInName);
        }
        Ok(Name::new(bytes[..end].to_vec()))
    }

    /// The type of values.
    pub(crate) fn kind(&mut self) -> Parse<Kind> {
        let at = self.position;
        let number = self.u32("type")?;
        // Some writers use the types of CDF-5 in older versions, and every library reads them.
        let kind = Kind::of(number, Version::Data64)
            .ok_or_else(|| self.invalid_at(at, "type", format!("there is no type {number}")))?;
        if Kind::of(number, self.version).is_none() {
            self.remark(at, RemarkKind::NewType(kind.name()));
        }
        Ok(kind)
    }

    /// `len` bytes, and what pads them, which may be anything.
    pub(crate) fn padded(&mut self, field: &'static str, len: u64) -> Parse<&'b [u8]> {
        let bytes = self.take(field, len)?;
        let at = self.position;
        let padding = self.take(field, len.wrapping_neg() % ALIGN)?;
        if padding.iter().any(|byte| *byte != 0) {
            self.remark(at, RemarkKind::Padding);
        }
        Ok(bytes)
    }

    fn remark(&mut self, at: u64, kind: RemarkKind) {
        if self.remarks.len() < REMARKS_MAX {
            self.remarks.push(Remark { structure: self.structure, at, kind });
        }
    }

    /// An error at a field that was read: its value is invalid.
    pub(crate) fn invalid_at(&self, at: u64, field: &'static str, what: String) -> Stop {
        FormatError::invalid(self.structure, field, at, what).into()
    }
}
