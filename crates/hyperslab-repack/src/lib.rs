//! Rewrites HDF5 files: the same objects, attributes, links and values in a new file, with all metadata together, and
//! with other chunks, filters and layouts where they are asked for.
//!
//! ```text
//! File ──► source_tree (FileTree, and where each object comes from) ──► plan (what is stored otherwise, and how)
//!      ──► repack: FileWriter, data as stored, or recoded ──► verify ──► output_file (the name appears)
//! ```
//!
//! Data that does not change is copied as it is stored, without decoding it. Elements that contain addresses
//! (variable-length data and references) are rewritten, because what they refer to lies elsewhere in the new file. Other
//! data is recoded by threads, so that each chunk of the source is decoded once and each chunk of the new file encoded
//! once: chunk by chunk, in memory ([`sweep`]), or through a temporary file ([`spill`]).
//!
//! Deliberately absent: the format's structures (`hyperslab-format`), their places (`hyperslab-write`), options as text
//! (the command).

mod chunk_shape;
mod cmip7;
mod copy;
mod data;
mod dimension_names;
mod estimate;
mod growth;
mod gzip_choice;
mod moved_folder;
mod new_storage;
mod plan;
mod planned_dataset;
mod raw_chunks;
mod recode;
mod repack;
mod repacked_bytes;
#[cfg(test)]
mod round_trip;
mod spill;
mod stored_reader;
mod sweep;
mod target_chunks;
mod verify;

pub use cmip7::{CMIP7_BOUND, cmip7_rules, cmip7_variable, text_attribute};
pub use copy::{CopyOptions, Summary, copy};
pub use estimate::{Estimate, SampleSize};
pub use hyperslab_encode::decimal_rounding::DecimalRounding;
pub use hyperslab_encode::{Monitor, OutputFile, RepackError};
pub use hyperslab_storage::change::{Change, ChangeSet, LayoutRequest, Rule, Size};
pub use hyperslab_storage::{FilterRequest, PathPattern};
pub use hyperslab_tree::damage::{Damage, Lost};
pub use hyperslab_tree::object_selection::{
    BrokenReference, Needed, ObjectChoice, ObjectSelection, Rename, SelectionSummary,
};
pub use hyperslab_write::{LowBound, VersionRequirement};
pub use moved_folder::MovedFolder;
pub use plan::{MEMORY_MIN, RepackOptions, RepackPlan};
pub use planned_dataset::{PlannedDataset, StorageSummary};
pub use repack::Repacked;
pub use repacked_bytes::repacked_bytes;
