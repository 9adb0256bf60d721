//! Words for how datasets are stored and read: one type for each thing that a user can ask for, with the text that is read
//! and written for it.
//!
//! ```text
//! filter     numbers and names of filters; a filter that is asked for: `gzip=4`
//! cache      the settings of libhdf5's chunk cache: `3MiB,521,0.75`
//! pattern    blocks that are read one after the other: `1x361x720`, `:x1x1`
//! encoder    which encoder writes the gzip filter
//! layout     how elements lie in a file: compact, contiguous, in chunks
//! cost       what the parts of a read take, in seconds
//! change     rules about what is to be stored otherwise: `--chunks /t2m:1x361x720`
//! storage_change  what a finding asks for, and a repack makes
//! objects    objects by their paths: `/model/*`
//! lines      a storage in the words of hyperslab, h5repack, nccopy and h5py
//! ```
//!
//! Every crate that speaks of storage has its words from here, from the codecs to the command line, so that what one of them
//! finds is what another can carry out.
//!
//! Deliberately absent: files, codecs, and what is computed from a dataset, such as the complete parameters of a filter.

pub mod cache;
pub mod change;
pub mod cost;
mod encoder;
mod error;
pub mod filter;
mod layout;
pub mod lines;
mod objects;
pub mod pattern;
pub mod storage_change;

pub use cache::CacheSettings;
pub use encoder::GzipEncoder;
pub use error::WordError;
pub use filter::{FilterRequest, pipeline_text};
pub use layout::Layout;
pub use objects::PathPattern;
pub use storage_change::{Pages, StorageChange};
