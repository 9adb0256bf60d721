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

mod bare_dimension;
mod batch_size;
mod block;
mod checksums;
mod chunk_encoder;
mod chunk_filters;
mod chunk_shape;
mod cmip7;
mod copy;
mod damage;
mod data;
mod decimal_rounding;
mod dimension_names;
mod dimension_scales;
mod error;
mod estimate;
pub mod internal;
mod link_tree;
mod monitor;
mod moved_folder;
mod needs;
mod netcdf_numbers;
mod netcdf_objects;
mod new_filters;
mod new_storage;
mod object_selection;
mod ordered;
mod output_file;
mod pieces;
mod plan;
mod planned_dataset;
mod raw_chunks;
mod recode;
mod relocate;
mod repack;
mod repacked_bytes;
#[cfg(test)]
mod round_trip;
mod rounding;
mod selected;
mod shared_parts;
mod source_dataset;
mod source_tree;
mod spill;
mod stored_reader;
mod sweep;
mod target_chunks;
mod undamaged_map;
mod verify;
mod verify_objects;
mod verify_stored;
mod wide_datatype;

pub use cmip7::{CMIP7_BOUND, cmip7_rules, cmip7_variable, text_attribute};
pub use copy::{CopyOptions, Summary, copy};
pub use damage::{Damage, Lost};
pub use decimal_rounding::DecimalRounding;
pub use error::RepackError;
pub use estimate::{Estimate, SampleSize};
pub use hyperslab_storage::change::{Change, ChangeSet, LayoutRequest, Rule, Size};
pub use hyperslab_storage::{FilterRequest, PathPattern};
pub use hyperslab_write::{LowBound, VersionRequirement};
pub use monitor::Monitor;
pub use moved_folder::MovedFolder;
pub use object_selection::{
    BrokenReference, Needed, ObjectChoice, ObjectSelection, Rename, SelectionSummary,
};
pub use output_file::OutputFile;
pub use plan::{MEMORY_MIN, RepackOptions, RepackPlan};
pub use planned_dataset::{PlannedDataset, StorageSummary};
pub use repack::Repacked;
pub use repacked_bytes::repacked_bytes;
