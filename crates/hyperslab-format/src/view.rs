//! What a parser sees of a file: the bytes fetched so far, where the file begins, how wide its numbers are.

use crate::{Address, Cursor, FormatError, Need, Parse, Problem, Stop, Widths};
use bytes::Bytes;

/// Bytes of a file that have been fetched so far. The length is known before the first byte is parsed, so that
/// "not fetched yet" and "past the end" never look alike.
pub trait Fetched {
    /// Length of the whole file in bytes.
    fn file_len(&self) -> u64;
    /// How many bytes follow one another from `at` on. A file that consists of several has gaps before its end.
    fn held_from(&self, at: u64) -> u64 {
        self.file_len().saturating_sub(at)
    }
    /// How many bytes the file has: its length without the gaps.
    fn stored_bytes(&self) -> u64 {
        self.file_len()
    }
    /// The bytes `at..at + len`, or `None` if any of them has not been fetched.
    fn get(&self, at: u64, len: u64) -> Option<Bytes>;
}

/// A file that is wholly in memory.
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

/// A window on a file for parsers: addresses are relative to `base`, everything else is absolute.
#[derive(Clone, Copy)]
pub struct View<'a> {
    fetched: &'a dyn Fetched,
    /// Where address 0 of this file lies (the length of the user block, usually 0).
    pub base: u64,
    /// Sizes of offsets and lengths of this file.
    pub widths: Widths,
}

impl<'a> View<'a> {
    /// A view before the superblock is known: base 0, 8-byte offsets and lengths.
    pub fn new(fetched: &'a dyn Fetched) -> Self {
        Self { fetched, base: 0, widths: Widths::default() }
    }

    /// The same bytes with the base address and the widths that the superblock gave.
    pub fn with(self, base: u64, widths: Widths) -> Self {
        Self { base, widths, ..self }
    }

    /// Length of the whole file.
    pub fn file_len(&self) -> u64 {
        self.fetched.file_len()
    }

    /// True where the file has all of these bytes.
    pub fn holds(&self, at: u64, len: u64) -> bool {
        at <= self.file_len() && len <= self.fetched.held_from(at)
    }

    /// How many bytes the file has, which bounds how much of anything can be in it.
    pub fn stored_bytes(&self) -> u64 {
        self.fetched.stored_bytes()
    }

    /// The absolute byte offset of an address, saturating (an offset past the end is refused by [`Self::bytes`]).
    pub fn absolute(&self, address: Address) -> u64 {
        self.base.saturating_add(address.0)
    }

    /// The `len` bytes of `structure` at `address`, or what to fetch, or why they cannot exist.
    pub fn bytes(&self, structure: &'static str, address: Address, len: u64) -> Parse<Bytes> {
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

    /// Like [`Self::cursor`], but shorter where the file ends before `len` bytes: for structures whose size is
    /// only known once their beginning has been read.
    pub fn cursor_up_to(&self, structure: &'static str, address: Address, len: u64) -> Parse<Cursor> {
        let left = self.fetched.held_from(self.absolute(address));
        self.cursor(structure, address, len.min(left).max(1))
    }
}
