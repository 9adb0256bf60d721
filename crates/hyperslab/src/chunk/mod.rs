//! Chunks: where they lie, decoding them, keeping them decoded, fetching them ahead.

pub mod cache;
mod columns;
pub(crate) mod grid;
pub(crate) mod hdf5_index;
pub(crate) mod index;
pub(crate) mod locate;
pub(crate) mod map;
pub(crate) mod memory;
pub(crate) mod readahead;
