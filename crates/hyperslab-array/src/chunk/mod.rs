//! Chunks: their addresses, the cache of decoded chunks, and read-ahead.

pub mod cache;
mod columns;
pub mod grid;
pub mod index;
pub(crate) mod locate;
pub mod map;
pub mod memory;
pub mod readahead;
