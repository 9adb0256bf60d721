//! For tests of this crate and of others (feature `testing`, which is not part of the stable API): bytes of structures
//! built field by field, and files of which only a part has been fetched.

mod build;
mod partial_file;

pub use build::{Build, every_prefix_fails};
pub use partial_file::{PartialFile, drive};
