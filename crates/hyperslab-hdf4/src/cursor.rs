//! The fields of an element in their order, big-endian.

use hyperslab_format::{FormatError, Name, Problem};

/// What parsing gives: all of an element is there, so that nothing else is ever needed.
pub(crate) type Parsed<T> = Result<T, FormatError>;

/// A position in the bytes of one element.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'b> {
    bytes: &'b [u8],
    position: usize,
    /// The offset of the element in the file.
    start: u64,
    structure: &'static str,
}

impl<'b> Cursor<'b> {
    /// A cursor at the first byte of an element, which lies at this offset of the file.
    pub(crate) fn new(structure: &'static str, bytes: &'b [u8], start: u64) -> Self {
        Self { bytes, position: 0, start, structure }
    }

    /// The offset of the next field in the file.
    pub(crate) fn at(&self) -> u64 {
        self.start + self.position as u64
    }

    /// Goes on at this byte of the element.
    pub(crate) fn seek(&mut self, position: usize) {
        self.position = position.min(self.bytes.len());
    }

    /// The bytes behind this position.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// The next `len` bytes.
    pub(crate) fn take(&mut self, field: &'static str, len: usize) -> Parsed<&'b [u8]> {
        if len > self.left() {
            let problem = Problem::Short { needed: len as u64, left: self.left() as u64 };
            return Err(FormatError { structure: self.structure, field, at: self.at(), problem });
        }
        let start = self.position;
        self.position += len;
        Ok(&self.bytes[start..self.position])
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Parsed<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(field, N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self, field: &'static str) -> Parsed<u8> {
        Ok(self.array::<1>(field)?[0])
    }

    pub(crate) fn u16(&mut self, field: &'static str) -> Parsed<u16> {
        Ok(u16::from_be_bytes(self.array(field)?))
    }

    pub(crate) fn u32(&mut self, field: &'static str) -> Parsed<u32> {
        Ok(u32::from_be_bytes(self.array(field)?))
    }

    pub(crate) fn i32(&mut self, field: &'static str) -> Parsed<i32> {
        Ok(i32::from_be_bytes(self.array(field)?))
    }

    /// A length or a count, which the format stores with a sign.
    pub(crate) fn length(&mut self, field: &'static str) -> Parsed<u32> {
        let at = self.at();
        let number = self.i32(field)?;
        u32::try_from(number).map_err(|_| self.invalid(field, at, format!("{number} is negative")))
    }

    /// A count of items of `bytes` bytes each, which the rest of the element contains.
    pub(crate) fn count_of(&mut self, field: &'static str, count: u32, bytes: usize) -> Parsed<usize> {
        let at = self.at();
        match (count as usize).checked_mul(bytes) {
            Some(needed) if needed <= self.left() => Ok(count as usize),
            _ => {
                let left = self.left();
                Err(self.invalid(
                    field,
                    at,
                    format!("{count} of {bytes} bytes do not fit the {left} bytes left"),
                ))
            }
        }
    }

    /// `count` numbers of 16 bits.
    pub(crate) fn u16s(&mut self, field: &'static str, count: usize) -> Parsed<Vec<u16>> {
        let bytes = self.take(field, count.saturating_mul(2))?;
        let (numbers, _) = bytes.as_chunks();
        Ok(numbers.iter().map(|number| u16::from_be_bytes(*number)).collect())
    }

    /// A name behind its length.
    pub(crate) fn name(&mut self, field: &'static str) -> Parsed<Name> {
        let len = self.u16(field)?;
        Ok(Name::new(until_nul(self.take(field, len.into())?).to_vec()))
    }

    /// An error at a field whose value is invalid.
    pub(crate) fn invalid(&self, field: &'static str, at: u64, what: String) -> FormatError {
        FormatError::invalid(self.structure, field, at, what)
    }

    /// An error at a field whose value is not supported.
    pub(crate) fn unsupported(&self, field: &'static str, at: u64, what: String) -> FormatError {
        FormatError::unsupported(self.structure, field, at, what)
    }
}

/// The bytes before the first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    &bytes[..end]
}
