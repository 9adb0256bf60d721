//! Access patterns: a block swept over a dataset, as the papers write them.
//!
//! `1x1x1x717` is a block of 717 elements; `:x1x1` takes the whole first dimension. The block starts at the origin and
//! moves by its own size, the last dimension fastest (or as `--order` says), clipped where it reaches beyond the
//! extent.

mod bytes;
mod cache_setting;
mod defaults;
mod order;
mod shape;
mod sweep;

pub use bytes::bytes_text;
pub use cache_setting::parse_cache;
pub use defaults::{NamedRead, default_reads};
pub(crate) use order::is_permutation;
pub use order::parse_order;
pub use shape::{BlockDim, BlockShape, shape_text};
pub use sweep::Sweep;
