//! Access patterns: a block swept over a dataset.
//!
//! `1x1x1x717` is a block of 717 elements; `:x1x1` takes the whole first dimension. The block starts at the origin and
//! moves by its own size, the last dimension fastest (or in the order that `--order` sets), and is clipped at the end
//! of the extent.

mod defaults;
mod order;
mod requested;
mod shape;
mod sweep;

pub use defaults::{NamedRead, default_reads};
pub use order::{is_permutation, parse_order};
pub use requested::{Placement, RequestedRead};
pub use shape::{BlockDim, BlockShape, shape_beside, shape_text};
pub use sweep::{RandomPlaces, Sweep};
