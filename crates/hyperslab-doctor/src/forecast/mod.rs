//! What opening, listing and reading a file in an object store takes, for each kind of reader.
//!
//! Every program reads an HDF5 file through some cache: that of a file driver of libhdf5, or one of fsspec. What such a cache
//! requests depends only on the sequence of reads below it. So the sequence that libhdf5 makes is recorded once, on a local
//! copy, and each cache is replayed over it. There is one file per policy, which follows the source of the program that it
//! stands for.
//!
//! ```text
//!   Session: accesses of libhdf5 ──► policy ──► Requests ──► Link ──► seconds, dollars
//!            chunks of each block ──► one request for each chunk (kerchunk, VirtualiZarr)
//! ```
//!
//! Seconds are those of waiting for the store. Decoding comes on top, and is the same for all readers of libhdf5.

mod access;
mod block_cache;
mod chunk_references;
mod first_block;
mod link;
mod model;
mod page_buffer;
mod policy;
mod raw_reads;
mod read_ahead;
mod reader;
mod relocate;
mod requests;
mod ros3;
mod sieve;
mod uncached;

pub use access::{Access, Contiguous, FileLayout, Session};
pub use link::Link;
pub use model::{Alternative, AlternativeStep, Forecast, ReaderForecast, StepForecast};
pub use raw_reads::{RawPlaces, RawReads};
pub use reader::{CloudReader, replay};
pub use relocate::{Arrangement, Piece, Relocation};
pub use requests::Requests;
