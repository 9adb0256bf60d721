//! The three versions of the format, and how wide the numbers of their headers are.

/// A version of the format: the fourth byte of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// CDF-1: offsets of 32 bits.
    Classic,
    /// CDF-2: offsets of 64 bits.
    Offset64,
    /// CDF-5: offsets and counts of 64 bits, unsigned types and integers of 64 bits.
    Data64,
}

impl Version {
    /// The version of a file that begins with these bytes; `None` if it is not of this format.
    pub fn of(head: &[u8]) -> Option<Self> {
        match head {
            [b'C', b'D', b'F', 1, ..] => Some(Self::Classic),
            [b'C', b'D', b'F', 2, ..] => Some(Self::Offset64),
            [b'C', b'D', b'F', 5, ..] => Some(Self::Data64),
            _ => None,
        }
    }

    /// The fourth byte of the file.
    pub fn number(self) -> u8 {
        match self {
            Self::Classic => 1,
            Self::Offset64 => 2,
            Self::Data64 => 5,
        }
    }

    /// The bytes of a count, a length, or a number of a dimension.
    pub fn count_bytes(self) -> usize {
        if self == Self::Data64 { 8 } else { 4 }
    }

    /// The bytes of an offset in the file.
    pub fn offset_bytes(self) -> usize {
        if self == Self::Classic { 4 } else { 8 }
    }
}
