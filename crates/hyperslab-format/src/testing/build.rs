//! Bytes of a structure or of a whole file, built field by field in the widths of a file.

use crate::checksum::lookup3;
use crate::{Address, Bytes, Cursor, Parse, Stop, View, Widths};
use std::sync::OnceLock;

/// Bytes under construction. Every method appends, except [`Build::patch`] and [`Build::with_byte`].
#[derive(Debug, Clone, Default)]
pub struct Build {
    bytes: Vec<u8>,
    widths: Widths,
    /// The bytes as a file, once they have been looked at.
    file: OnceLock<Bytes>,
}

impl Build {
    /// Nothing yet, in these widths (`Build::default()` has 8 and 8).
    pub fn new(widths: Widths) -> Self {
        Self { widths, ..Self::default() }
    }

    /// One byte.
    pub fn u8(self, value: u8) -> Self {
        self.bytes(&[value])
    }

    /// Two bytes.
    pub fn u16(self, value: u16) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Four bytes.
    pub fn u32(self, value: u32) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Eight bytes.
    pub fn u64(self, value: u64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// The lowest `width` bytes of a number.
    pub fn uint(self, value: u64, width: usize) -> Self {
        self.bytes(&value.to_le_bytes()[..width])
    }

    /// An address in the file's width; `u64::MAX` is the undefined one.
    pub fn address(self, value: u64) -> Self {
        let width = self.widths.offset.into();
        self.uint(value, width)
    }

    /// An undefined address.
    pub fn undefined(self) -> Self {
        self.address(u64::MAX)
    }

    /// A length in the file's width.
    pub fn length(self, value: u64) -> Self {
        let width = self.widths.length.into();
        self.uint(value, width)
    }

    /// These bytes.
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self.file = OnceLock::new();
        self
    }

    /// The bytes of a text, such as a signature.
    pub fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    /// The bytes of another structure.
    pub fn and(self, other: &Build) -> Self {
        self.bytes(&other.bytes)
    }

    /// `count` zeros.
    pub fn zeros(mut self, count: usize) -> Self {
        self.bytes.resize(self.bytes.len() + count, 0);
        self.file = OnceLock::new();
        self
    }

    /// Zeros up to a multiple of `align`.
    pub fn align(self, align: usize) -> Self {
        let gap = self.bytes.len().next_multiple_of(align) - self.bytes.len();
        self.zeros(gap)
    }

    /// Zeros up to the offset `at`.
    ///
    /// # Panics
    ///
    /// If more has been built already.
    pub fn pad_to(self, at: u64) -> Self {
        let gap = at.checked_sub(self.here().0).unwrap_or_else(|| panic!("{} is beyond {at}", self.len()));
        self.zeros(gap as usize)
    }

    /// The checksum of everything so far.
    pub fn checksum(self) -> Self {
        self.checksum_since(Address(0))
    }

    /// The checksum of everything since `start`.
    pub fn checksum_since(self, start: Address) -> Self {
        let sum = lookup3(&self.bytes[start.0 as usize..]);
        self.u32(sum)
    }

    /// The same bytes with those from `at` on replaced.
    pub fn patch(mut self, at: u64, bytes: &[u8]) -> Self {
        self.bytes[at as usize..][..bytes.len()].copy_from_slice(bytes);
        self.file = OnceLock::new();
        self
    }

    /// A copy with one byte replaced.
    pub fn with_byte(&self, at: usize, value: u8) -> Self {
        self.clone().patch(at as u64, &[value])
    }

    /// Bytes built so far.
    #[allow(clippy::len_without_is_empty, reason = "an empty structure is not a question of tests")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Where the next field will lie.
    pub fn here(&self) -> Address {
        Address(self.bytes.len() as u64)
    }

    /// All bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes, as a file or a message body.
    pub fn done(&self) -> Bytes {
        Bytes::copy_from_slice(&self.bytes)
    }

    /// A cursor over all bytes, which begin at offset 0.
    pub fn cursor(&self) -> Cursor {
        Cursor::new("structure under test", 0, self.done(), self.widths)
    }

    /// A view of the bytes as a file.
    pub fn view(&self) -> View<'_> {
        View::new(self.file.get_or_init(|| self.done())).with(0, self.widths)
    }

    /// Calls `check` with every beginning of the bytes that lacks at least one byte.
    pub fn each_prefix(&self, mut check: impl FnMut(Cursor)) {
        for len in 0..self.bytes.len() {
            let beginning = self.done().slice(..len);
            check(Cursor::new("structure under test", 0, beginning, self.widths));
        }
    }
}

/// Checks that a parser accepts the whole file, and refuses it truncated anywhere.
///
/// # Panics
///
/// If it does not.
pub fn every_prefix_fails<T: std::fmt::Debug>(file: &Build, mut parse: impl FnMut(&View) -> Parse<T>) {
    let whole = file.done();
    parse(&View::new(&whole).with(0, file.widths)).expect("the whole file parses");
    for len in 0..whole.len() {
        let prefix = whole.slice(..len);
        match parse(&View::new(&prefix).with(0, file.widths)) {
            Err(Stop::Bad(_)) => {}
            other => panic!("of {len} bytes: {other:?}"),
        }
    }
}
