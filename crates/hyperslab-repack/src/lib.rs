//! Rewrites HDF5 files: the same objects, attributes, links and values in a new file, with all metadata together.
//!
//! ```text
//! File ──► source_tree (FileTree, and where each object comes from) ──► FileWriter ──► data, as stored
//! ```
//!
//! Data is copied as it is stored, without decoding it. Elements that contain addresses (variable-length data and
//! references) are rewritten, because what they refer to lies elsewhere in the new file.
//!
//! Deliberately absent: the format's structures (`hyperslab-format`), their places (`hyperslab-write`), files and
//! temporary names (the command).

mod chunk_filters;
mod copy;
mod data;
mod error;
mod pieces;
mod raw_chunks;
mod relocate;
mod source_tree;

pub use copy::{CopyOptions, Summary, copy};
pub use error::RepackError;
pub use hyperslab_write::LowBound;
