//! B-trees (specification III.A): version 1 for old-style groups and chunks, version 2 for all newer structures.

pub mod record;
pub mod v1;
pub(crate) mod v1_layout;
pub mod v2;
