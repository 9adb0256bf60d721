//! Files of netCDF classic, 64-bit offset and CDF-5 as copies of other files.
//!
//! ```text
//! Netcdf ─► plan: what has a place, and what has none ─► Classic ─┬─► write: header, variables, records ─► a Sink
//!                                                                  └─► verify: the new file, value by value
//! ```

mod attributes;
mod plan;
mod verify;
mod write;

#[cfg(test)]
mod tests;

use hyperslab::{Dataset, Result};
use hyperslab_classic::Header;

pub use hyperslab_classic::Version;

/// A new file, before it is written.
pub struct Classic {
    header: Header,
    /// The values of each variable of the header.
    values: Vec<Dataset>,
    /// What is not the same in it, a sentence each.
    pub notes: Vec<String>,
}

/// Hears of bytes that were processed. Its error ends the work.
pub type Progress<'p> = &'p dyn Fn(u64) -> Result<()>;

impl Classic {
    /// The number of its variables.
    pub fn variables(&self) -> usize {
        self.header.variables.len()
    }

    /// Bytes of its header.
    pub fn header_bytes(&self) -> u64 {
        self.header.bytes
    }

    /// Bytes of values that are read to write it.
    pub fn value_bytes(&self) -> u64 {
        self.values.iter().map(Dataset::logical_bytes).sum()
    }
}
