//! Reading ranges of bytes from files, memory and servers. This crate does not know HDF5.
//!
//! A [`Source`] reads ranges of an object of known length that does not change. [`coalesce()`] merges wanted ranges
//! into requests. A [`Cancel`] stops requests whose result is no longer needed. [`wrap::Recorder`] records the requests
//! that were made.

pub mod cancel;
pub mod coalesce;
pub mod epoch;
pub mod extent_cache;
pub mod extents;
pub mod fetch;
pub mod join;
pub mod locking;
pub mod opener;
pub mod other_formats;
pub mod per_process;
pub mod purpose;
pub mod sink;
pub mod source;
pub mod version;
pub mod wrap;

pub use bytes::Bytes;
pub use cancel::{Cancel, Cancelled};
pub use coalesce::{Request, coalesce, split};
pub use epoch::Epoch;
pub use extent_cache::{CachedExtents, ExtentCache};
pub use extents::ExtentMap;
pub use fetch::{fetch_all, fetch_on_threads};
pub use join::DividedRanges;
pub use locking::{LockedFiles, Locking};
pub use opener::{LocalFiles, Location, Opener};
pub use other_formats::{HEAD_BYTES, OtherFormat, recognize};
pub use per_process::PerProcess;
pub use sink::{LocalSink, MemorySink, Sink};
pub use source::joined::{Joined, Stretch};
pub use source::local::LocalFile;
pub use source::memory::Memory;
pub use source::pieces::{Piece, Pieces};
pub use source::{Advice, Deliver, Source, read_into_zeros};
pub use version::{Changed, Version};
