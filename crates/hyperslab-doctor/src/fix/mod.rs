//! Fixes, each checked by simulation: a cache, another read, other chunks.

mod cache;
mod chunk_shape;
mod lines;
mod read_shape;
mod repack;

pub(crate) use cache::{slots_only, smallest_cache};
pub(crate) use chunk_shape::shape_for_read;
pub(crate) use lines::{cache_lines, chunk_line, filter_line};
pub(crate) use read_shape::read_lines;
pub(crate) use repack::repack_for;

use serde::{Deserialize, Serialize};

/// One fix for a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
}

impl FixKind {
    /// The text of a heading.
    pub fn text(self) -> &'static str {
        match self {
            Self::Cache => "set the cache",
            Self::Read => "read in other blocks",
            Self::Repack => "repack",
            Self::Filter => "change the filters",
        }
    }
}
