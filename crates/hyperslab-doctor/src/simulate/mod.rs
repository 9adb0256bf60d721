//! What libhdf5 does when a program reads blocks of a dataset: which chunks it decodes, which bytes it asks for.
//!
//! Follows the C source of libhdf5 1.8 to 2.2 decision by decision, but moves no data: a chunk is its number.
//! Everything that changes a count is here: the hash of each version, one entry to a slot, the one-step promotion
//! of a hit, pre-emption by w0, which chunks pass through the cache, missing chunks, unfiltered edge chunks, runs
//! and sieve where an uncompressed chunk is too big, the sieve of contiguous data. `tests/against_libhdf5.rs` holds
//! it against the real library.
//!
//! ```text
//!   Geometry ──► ChunkCacheSim::read(start, count) ──► ReadCounts        one H5Dread
//!   Geometry ──► simulate_sweep(.., sweep)         ──► SweepCounts       every block of a pattern, by group
//! ```
//!
//! Not here: writes, chunk index traffic (the metadata cache), the page buffer, strided and point selections, MPI,
//! the strips of a type conversion. A block is read into a buffer of just its shape.

mod alike;
mod cache;
mod cache_setting;
mod counts;
mod entries;
mod estimate;
mod geometry;
mod hash;
mod open;
mod sieve;
mod sweep;
mod version;

pub(crate) use alike::SweepKey;
pub use cache_setting::parse_cache;
pub use counts::{CacheSettings, ReadCounts};
pub use geometry::{ChunkedStorage, Geometry};
pub use open::ChunkCacheSim;
pub use sieve::SIEVE_BYTES;
pub use sweep::{SweepCounts, VISITS_MAX_DEFAULT, simulate_sweep};
pub use version::LibVersion;
