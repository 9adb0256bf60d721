//! Ranges of bytes from files, memory and servers. Nothing here knows HDF5.
//!
//! A [`Source`] answers ranges of an object of known length that does not change; [`coalesce`] merges wanted ranges
//! into the requests that are worth making; a [`Cancel`] stops requests that nobody waits for any more;
//! [`wrap::Recorder`] writes down which requests were made.

pub mod cancel;
pub mod coalesce;
pub mod fetch;
pub mod opener;
pub mod sink;
pub mod source;
pub mod version;
pub mod wrap;

pub use cancel::{Cancel, Cancelled};
pub use coalesce::{Request, coalesce};
pub use fetch::{Deliver, fetch_all, fetch_on_threads};
pub use opener::{LocalFiles, Location, Opener};
pub use sink::{LocalSink, MemorySink, Sink};
pub use source::{
    Advice, Source,
    local::LocalFile,
    memory::Memory,
    pieces::{Piece, Pieces},
};
#[cfg(feature = "http")]
pub use source::{http::HttpFile, http::HttpOptions};
pub use version::{Changed, Version};
