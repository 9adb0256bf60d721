//! How much variable-length data one read may bring.
//!
//! Writers never let two elements share their data (but for fill values); a damaged file may, and nested sequences
//! then grow beyond all measure.

use hyperslab::{Error, File, Result};

/// How often all of the file may be referred to by one read.
const FILE_TIMES_MAX: u64 = 8;
/// So much is allowed to the smallest of files,
const BYTES_MIN: u64 = 16 << 20;
/// and so much for each byte of the elements that refer to it, for fill values.
const ELEMENT_TIMES_MAX: u64 = 64;

/// Bytes that a read may still bring.
pub struct Allowance(u64);

impl Allowance {
    /// What a file of this length may hold.
    pub fn new(file: &File) -> Self {
        Self(file.len().saturating_mul(FILE_TIMES_MAX).saturating_add(BYTES_MIN))
    }

    /// Allows what these elements may refer to.
    pub fn add_elements(&mut self, elements: &[u8]) {
        self.0 = self.0.saturating_add((elements.len() as u64).saturating_mul(ELEMENT_TIMES_MAX));
    }

    /// Takes from it.
    pub fn spend(&mut self, bytes: usize) -> Result<()> {
        self.0 = self.0.checked_sub(bytes as u64).ok_or_else(|| {
            Error::damaged(
                "variable-length elements refer to the same data again and again, beyond all measure",
            )
        })?;
        Ok(())
    }
}
