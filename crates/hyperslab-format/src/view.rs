//! The parsers' view of a file: the bytes fetched so far, the base address, and the widths of offsets and lengths.

use crate::{Address, Cursor, FormatError, Need, Parse, Problem, Stop, Widths};
use bytes::Bytes;

/// The bytes of a file that have been fetched so far. The length of the file is known before the first byte is parsed,
/// so that "not fetched yet" and "past the end" are always distinguished.
pub trait Fetched {
    /// The length of the whole file in bytes.
    fn file_len(&self) -> u64;
    /// The number of contiguous bytes from `at` on. A file that consists of several files may have gaps.
    fn held_from(&self, at: u64) -> u64 {
        self.file_len().saturating_sub(at)
    }
    /// The number of bytes in the file: its length without the gaps.
    fn stored_bytes(&self) -> u64 {
        self.file_len()
    }
    /// The bytes `at..at + len`, or `None` if any of them has not been fetched.
    fn get(&self, at: u64, len: u64) -> Option<Bytes>;
    /// Called for every part of a structure that a parser has obtained, with its exact extent: for whoever counts what
    /// the bytes of a file belong to.
    fn parsed(&self, _structure: &'static str, _at: u64, _len: u64) {}
}

/// A file that is completely in memory.
impl Fetched for Bytes {
    fn file_len(&self) -> u64 {
        self.len() as u64
    }

    fn get(&self, at: u64, len: u64) -> Option<Bytes> {
        let start = usize::try_from(at).ok()?;
        let end = usize::try_from(at.checked_add(len)?).ok()?;
        (end <= self.len()).then(|| self.slice(start..end))
    }
}

/// A window on a file for parsers. Addresses are relative to `base`; everything else is absolute.
#[derive(Clone, Copy)]
pub struct View<'a> {
    fetched: &'a dyn Fetched,
    /// The absolute offset of address 0 (the length of the user block, usually 0).
    pub base: u64,
    /// The widths of offsets and lengths in this file.
    pub widths: Widths,
}

impl<'a> View<'a> {
    /// A view before the superblock is known: base 0, 8-byte offsets and lengths.
    pub fn new(fetched: &'a dyn Fetched) -> Self {
        Self { fetched, base: 0, widths: Widths::default() }
    }

    /// The same bytes with the base address and the widths from the superblock.
    pub fn with(self, base: u64, widths: Widths) -> Self {
        Self { base, widths, ..self }
    }

    /// The length of the whole file in bytes.
    pub fn file_len(&self) -> u64 {
        self.fetched.file_len()
    }

    /// True if the file contains all of these bytes.
    pub fn holds(&self, at: u64, len: u64) -> bool {
        at <= self.file_len() && len <= self.fetched.held_from(at)
    }

    /// The number of bytes in the file, an upper bound for the size of anything in it.
    pub fn stored_bytes(&self) -> u64 {
        self.fetched.stored_bytes()
    }

    /// The absolute byte offset of an address, saturating (an offset past the end is rejected by [`Self::bytes`]).
    pub fn absolute(&self, address: Address) -> u64 {
        self.base.saturating_add(address.0)
    }

    /// The `len` bytes of `structure` at `address`, the ranges to fetch, or an error if they are outside of the file.
    pub fn bytes(&self, structure: &'static str, address: Address, len: u64) -> Parse<Bytes> {
        let bytes = self.look(structure, address, len)?;
        self.parsed(structure, address, len);
        Ok(bytes)
    }

    /// Says that a structure has been parsed that has `len` bytes.
    pub(crate) fn parsed(&self, structure: &'static str, address: Address, len: u64) {
        self.fetched.parsed(structure, self.absolute(address), len);
    }

    /// The same bytes, which may not all belong to the structure.
    fn look(&self, structure: &'static str, address: Address, len: u64) -> Parse<Bytes> {
        let at = self.absolute(address);
        if !self.holds(at, len) {
            let problem = Problem::PastEnd { needed: len, file_len: self.file_len() };
            return Err(Stop::Bad(FormatError { structure, field: "extent", at, problem }));
        }
        if len == 0 {
            return Ok(Bytes::new());
        }
        self.fetched
            .get(at, len)
            .ok_or_else(|| Stop::Need(vec![Need { range: at..at + len, reason: structure }]))
    }

    /// A cursor over the `len` bytes of `structure` at `address`.
    pub fn cursor(&self, structure: &'static str, address: Address, len: u64) -> Parse<Cursor> {
        let bytes = self.bytes(structure, address, len)?;
        Ok(Cursor::new(structure, self.absolute(address), bytes, self.widths))
    }

    /// Like [`Self::cursor`], but shorter if the file ends before `len` bytes: for structures whose size is only known
    /// after their start has been parsed.
    pub fn cursor_up_to(&self, structure: &'static str, address: Address, len: u64) -> Parse<Cursor> {
        let left = self.fetched.held_from(self.absolute(address));
        let bytes = self.look(structure, address, len.min(left).max(1))?;
        Ok(Cursor::new(structure, self.absolute(address), bytes, self.widths))
    }
}
