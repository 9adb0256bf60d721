//! Bytes for tests, built field by field in the widths of a file.

use crate::checksum::lookup3;
use crate::{Bytes, Cursor, Fetched, FormatError, Parse, Stop, View, Widths};
use std::ops::Range;

/// The bytes of a structure under construction.
#[derive(Debug, Clone, Default)]
pub struct Build {
    bytes: Vec<u8>,
    widths: Widths,
}

impl Build {
    /// An empty structure with these widths (`Build::default()` has 8 and 8).
    pub fn new(widths: Widths) -> Self {
        Self { bytes: Vec::new(), widths }
    }

    pub fn u8(self, value: u8) -> Self {
        self.bytes(&[value])
    }

    pub fn u16(self, value: u16) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    pub fn u32(self, value: u32) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    pub fn u64(self, value: u64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends the lowest `width` bytes of a number.
    pub fn uint(self, value: u64, width: usize) -> Self {
        self.bytes(&value.to_le_bytes()[..width])
    }

    /// Appends an address in the file's width; `u64::MAX` is the undefined address.
    pub fn address(self, value: u64) -> Self {
        let width = self.widths.offset.into();
        self.uint(value, width)
    }

    /// Appends a length in the file's width.
    pub fn length(self, value: u64) -> Self {
        let width = self.widths.length.into();
        self.uint(value, width)
    }

    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub fn zeros(mut self, count: usize) -> Self {
        self.bytes.resize(self.bytes.len() + count, 0);
        self
    }

    /// Appends zeros up to a multiple of `align`.
    pub fn align(self, align: usize) -> Self {
        let gap = self.bytes.len().next_multiple_of(align) - self.bytes.len();
        self.zeros(gap)
    }

    /// Appends zeros up to offset `at`.
    pub fn at(self, at: usize) -> Self {
        let gap = at.checked_sub(self.bytes.len()).expect("nothing was built there yet");
        self.zeros(gap)
    }

    pub fn and(self, other: &Build) -> Self {
        self.bytes(&other.bytes)
    }

    /// Appends the checksum of everything so far.
    pub fn checksum(self) -> Self {
        let sum = lookup3(&self.bytes);
        self.u32(sum)
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes, as a file or as the body of a message.
    pub fn done(&self) -> Bytes {
        Bytes::copy_from_slice(&self.bytes)
    }

    /// A cursor over the bytes, starting at offset 0.
    pub fn cursor(&self) -> Cursor {
        Cursor::new("structure under test", 0, self.done(), self.widths)
    }

    /// Calls `check` with every proper prefix of the bytes.
    pub fn each_prefix(&self, mut check: impl FnMut(Cursor)) {
        for len in 0..self.bytes.len() {
            let beginning = self.done().slice(..len);
            check(Cursor::new("structure under test", 0, beginning, self.widths));
        }
    }

    /// The same bytes, with one of them replaced.
    pub fn with_byte(&self, at: usize, value: u8) -> Self {
        let mut changed = self.clone();
        changed.bytes[at] = value;
        changed
    }
}

/// A file in which only requested ranges are available.
pub struct Reluctant {
    bytes: Bytes,
    fetched: Vec<Range<u64>>,
}

impl Fetched for Reluctant {
    fn file_len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn get(&self, at: u64, len: u64) -> Option<Bytes> {
        let end = at.checked_add(len)?;
        self.fetched.iter().any(|range| range.start <= at && end <= range.end).then_some(())?;
        Fetched::get(&self.bytes, at, len)
    }
}

/// Calls a parser until it returns a result, providing what it requests, and counts the requests of each round.
pub fn drive<T>(
    file: Bytes,
    mut parse: impl FnMut(View<'_>) -> Parse<T>,
) -> (Result<T, FormatError>, Vec<usize>) {
    let mut reluctant = Reluctant { bytes: file, fetched: Vec::new() };
    let mut rounds = Vec::new();
    loop {
        match parse(View::new(&reluctant)) {
            Ok(value) => return (Ok(value), rounds),
            Err(Stop::Bad(error)) => return (Err(error), rounds),
            Err(Stop::Need(needs)) => {
                assert!(!needs.is_empty(), "a parser that lacks something says what");
                rounds.push(needs.len());
                assert!(rounds.len() < 1000, "the parser asks again for what it has got");
                for need in needs {
                    assert!(need.range.end <= reluctant.file_len(), "{need:?} is not inside the file");
                    reluctant.fetched.push(need.range);
                }
            }
        }
    }
}
