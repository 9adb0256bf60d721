//! The elements that are wanted of a dataset: a hyperslab, lists of indexes per axis, or single points.
//!
//! | file | what |
//! |---|---|
//! | `blocks` | regular blocks along one axis, and everything that is computed of them: position and index, bounds, parts |
//! | `axis` | the indexes wanted along one axis: blocks or a list |
//! | `run` | elements along one axis and their places in the output, which is what the next one makes |
//! | `cut` | an axis cut at the edges of chunks |
//! | `intersect` | the indexes that an axis shares with blocks |
//! | `region` | elements numbered in an order, so that those of two regions correspond |
//! | `elements`, `points` | the elements that are wanted, checked against an array |
//! | `parse` | selections as people write them |
//! | `parts` | parts of each element: some members of a compound |
//!
//! A selection knows nothing of chunk indexes, addresses or the memory that elements go to.

mod axis;
mod blocks;
pub(crate) mod cut;
mod elements;
pub mod intersect;
mod parse;
mod parts;
mod points;
mod refused;
mod region;
mod run;

pub use axis::Axis;
pub use blocks::Blocks;
pub use elements::{Measured, Resolved, Selection};
pub use parts::Parts;
pub use points::Points;
pub use region::Region;
pub use run::{Run, RunOfBlocks};
