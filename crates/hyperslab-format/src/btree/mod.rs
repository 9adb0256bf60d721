//! B-trees (specification III.A): version 1 for old groups and chunks, version 2 for everything since.

pub mod record;
pub mod v1;
pub mod v2;
