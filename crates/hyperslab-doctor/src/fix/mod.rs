//! Fixes, each checked by simulation: a cache, another read, other chunks.
//!
//! A fix is found for one read, and judged on all: `change.rs` is what it changes, `others.rs` what that does to every
//! read in every library. A fix that makes another read much slower says so, and comes after those that do not.

mod cache;
mod change;
mod chunk_shape;
mod compromise;
mod filters;
mod lines;
mod new_filters;
mod others;
mod read_shape;
mod repack;
mod writers;
mod writing;

pub(crate) use cache::{judged_cache_lines, slots_only, smallest_cache};
pub(crate) use change::Rewritten;
pub(crate) use chunk_shape::shape_for_read;
pub(crate) use compromise::balanced;
pub(crate) use filters::{refilter_to, rows};
pub(crate) use lines::{repack_fix, writer_cache_lines};
pub(crate) use new_filters::NewFilters;
pub use others::OtherRead;
pub(crate) use others::others_text;
pub(crate) use read_shape::read_lines;
pub(crate) use repack::{repack_for, repack_instead, repack_larger, repack_smaller, repack_to};
pub use writers::WriterLine;
pub(crate) use writing::{cache_for_writes, write_lines};

use hyperslab_storage::StorageChange;
use serde::{Deserialize, Serialize};

/// One fix for a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// What is changed.
    pub kind: FixKind,
    /// The library or tool that the line is for: `h5py`, `netCDF4`, `xarray`, `C`, `h5repack`.
    #[serde(rename = "for")]
    pub target: String,
    /// The line to paste.
    pub line: String,
    /// Its effect, as simulated.
    pub effect: String,
    /// Extent of a chunk afterwards, or null where it stays.
    #[serde(default)]
    pub chunks: Option<Vec<u64>>,
    /// True if it makes some read much slower. Such a fix comes after those that do not.
    pub slows_others: bool,
    /// The read that it is for, in the library where it gains most; `None` where it is not for one read.
    #[serde(default)]
    pub serves: Option<OtherRead>,
    /// What becomes of the other reads: none for fixes that leave them alone.
    pub others: Vec<OtherRead>,
    /// The same for the programs that write the file, where the fix is about how the data is stored.
    pub writers: Vec<WriterLine>,
    /// What `hyperslab repack` has to change; `None` for fixes that it cannot make.
    #[serde(default)]
    pub change: Option<StorageChange>,
}

impl Fix {
    /// A fix that leaves all other reads as they are.
    pub(crate) fn new(kind: FixKind, target: &str, line: String, effect: String) -> Self {
        let target = target.to_owned();
        Self {
            kind,
            target,
            line,
            effect,
            chunks: None,
            slows_others: false,
            serves: None,
            others: Vec::new(),
            writers: Vec::new(),
            change: None,
        }
    }
}

/// What a fix changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FixKind {
    /// The reader's chunk cache.
    Cache,
    /// How the program reads.
    Read,
    /// The file's chunks.
    Repack,
    /// The file's filters.
    Filter,
    /// The program that writes the file.
    Rewrite,
}

impl FixKind {
    /// The text of a heading.
    pub fn text(self) -> &'static str {
        match self {
            Self::Cache => "set the cache",
            Self::Read => "read in other blocks",
            Self::Repack => "repack",
            Self::Filter => "change the filters",
            Self::Rewrite => "write it otherwise",
        }
    }
}
