//! Addresses, and the number of bytes that a file uses for offsets and lengths.

use std::fmt;

/// An address in the file, relative to the file's base address (which follows a user block). The undefined address (all
/// bits one) is represented by `None`, never by an `Address`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u64);

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// The number of bytes that this file uses for an offset and for a length: 2, 4 or 8 (superblock, II.A).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// "Size of Offsets", in bytes.
    pub offset: u8,
    /// "Size of Lengths", in bytes.
    pub length: u8,
}

impl Default for Widths {
    fn default() -> Self {
        Self { offset: 8, length: 8 }
    }
}

impl Widths {
    /// The value that means "undefined" in a field of `width` bytes.
    pub fn undefined(width: u8) -> u64 {
        if width >= 8 { u64::MAX } else { (1u64 << (8 * width as u32)) - 1 }
    }
}
