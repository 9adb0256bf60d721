//! Words for how a dataset is stored: one type for each thing that a user can ask for, with the text that is read and
//! written for it.
//!
//! ```text
//! filter     numbers and names of filters; a filter that is asked for: `gzip=4`
//! ```
//!
//! Every crate that speaks of storage has its words from here, from the codecs to the command line, so that what one of them
//! finds is what another can carry out.
//!
//! Deliberately absent: files, codecs, and what is computed from a dataset, such as the complete parameters of a filter.

pub mod filter;

pub use filter::{FilterRequest, pipeline_text};
