//! A limit on the variable-length data of one read.
//!
//! Writers never let two elements share their data (except for fill values). A damaged file may, and nested sequences
//! could then grow without bound.

use hyperslab::{Error, File, Result};

/// How many times the length of the file one read may refer to.
const FILE_TIMES_MAX: u64 = 8;
/// The minimum allowance, for small files.
const BYTES_MIN: u64 = 16 << 20;
/// The allowance for each byte of the elements that refer to the data, for fill values.
const ELEMENT_TIMES_MAX: u64 = 64;

/// The number of bytes that a read may still look up.
pub struct Allowance(u64);

impl Allowance {
    /// The allowance for a file of this length.
    pub fn new(file: &File) -> Self {
        Self(file.len().saturating_mul(FILE_TIMES_MAX).saturating_add(BYTES_MIN))
    }

    /// Adds the allowance for the data that these elements may refer to.
    pub fn add_elements(&mut self, elements: &[u8]) {
        self.0 = self.0.saturating_add((elements.len() as u64).saturating_mul(ELEMENT_TIMES_MAX));
    }

    /// Subtracts `bytes` from the allowance; an error if it is exhausted.
    pub fn spend(&mut self, bytes: usize) -> Result<()> {
        self.0 = self.0.checked_sub(bytes as u64).ok_or_else(|| {
            Error::damaged(
                "variable-length elements refer to the same data too many times; the file is probably damaged",
            )
        })?;
        Ok(())
    }
}
