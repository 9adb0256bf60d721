//! What libhdf5 does when a program reads blocks of a dataset: which chunks it decodes, which bytes it requests.
//!
//! The simulation follows the C source of libhdf5 1.8 to 2.2 decision by decision, but moves no data: a chunk is only a
//! number. It covers everything that affects a count: the hash function of each version, one entry per slot, the
//! one-step promotion of a hit, preemption by w0, which chunks bypass the cache, missing chunks, unfiltered edge
//! chunks, runs and sieve buffer for uncompressed chunks that are too large, and the sieve buffer of contiguous data.
//! `tests/against_libhdf5.rs` of the doctor compares it with the real library.
//!
//! ```text
//!   Geometry ──► ChunkCacheSim::read(start, count)        ──► ReadCounts          one H5Dread
//!   Geometry ──► ChunkCacheSim::write(start, count, step) ──► WriteCounts         one H5Dwrite
//!   Geometry ──► simulate_sweep(.., sweep)                ──► SweepCounts         every block of a pattern, by group
//!   Geometry ──► simulate_writes(.., sweep)               ──► WrittenCounts       the same, written into a new dataset
//! ```
//!
//! The page buffer of paged files is simulated by itself, from the reads that reach it ([`PageBufferSim`]).
//!
//! Strided reads, and writes into chunks with filters, count what is decoded and encoded. Not simulated: reads of the chunk
//! index (the metadata cache), the requests of strided reads of data without filters, other writes, point selections, MPI,
//! the strip mining of type conversions. A block is read into a buffer of exactly its shape.

mod cache;
mod counts;
mod cursor;
mod entries;
mod equivalence;
mod error;
mod estimate;
pub mod facts;
mod geometry;
mod hash;
mod live;
pub mod older;
mod open;
mod page_buffer;
mod recent;
mod reuse;
mod sieve;
mod sweep;
#[doc(hidden)]
pub mod testing;
mod touched;
mod version;
mod written;

pub use counts::{CacheWork, ReadCounts, WriteCounts};
pub use equivalence::SweepKey;
pub use error::GeometryError;
pub use geometry::{ChunkedStorage, Geometry};
pub use live::{DecodesByChunk, LiveCaches, Read};
pub use open::ChunkCacheSim;
pub use page_buffer::{PageBufferCounts, PageBufferSettings, PageBufferSim, PageKind};
pub use reuse::{SweepEstimate, estimate_sweep};
pub use sieve::SIEVE_BYTES;
pub use sweep::{SweepCounts, VISITS_MAX_DEFAULT, loads_by_chunk, simulate_sweep};
pub use touched::{Touched, overlap_count};
pub use version::LibVersion;
pub use written::{WrittenCounts, simulate_writes};
