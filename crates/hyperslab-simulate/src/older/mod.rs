//! What the libraries of older formats do when a program reads blocks of a dataset.
//!
//! ```text
//!   stream    one compressed stream (HDF4): how often, and how far, libhdf4 decodes it
//!   chunks    chunks (HDF4): what is decoded with libhdf4's cache of N chunks
//!   records   records between those of other variables (netCDF classic): pages of the file that reads touch
//! ```

mod chunks;
mod progress;
mod records;
mod runs;
mod stream;

pub use chunks::{Hdf4Chunks, simulate_hdf4_chunks};
pub use records::{PAGE_BYTES, RecordCounts, Records, simulate_records};
pub use stream::simulate_stream;

/// What reads cost libhdf4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hdf4Counts {
    /// Calls of SDreaddata.
    pub reads: u64,
    /// Different chunks that were touched and are stored; of a stream, 1.
    pub chunks_touched: u64,
    /// Chunks that were decoded; of a stream, how often decoding started at its beginning.
    pub decodes: u64,
    /// Bytes that came out of the decoder.
    pub decoded_bytes: u64,
    /// Reads that were simulated; the rest is extrapolated.
    pub reads_simulated: u64,
}

impl Hdf4Counts {
    /// True if every read was simulated.
    pub fn is_exact(&self) -> bool {
        self.reads == self.reads_simulated
    }
}
