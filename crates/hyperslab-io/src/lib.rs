//! Bytes, ranges, sources. Nothing here knows HDF5.
//!
//! A [`Source`] answers ranges of an immutable object of known length; [`coalesce`] merges the ranges somebody
//! wants into the requests that are worth making; [`wrap::Recorder`] writes down which requests were made.

pub mod coalesce;
pub mod source;
pub mod wrap;

pub use coalesce::{Request, coalesce};
pub use source::{
    Advice, Source,
    local::LocalFile,
    memory::Memory,
    pieces::{Piece, Pieces},
};
