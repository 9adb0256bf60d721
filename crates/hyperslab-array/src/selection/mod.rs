//! Selections: the wanted elements of a dataset as a hyperslab, as lists of indexes per axis, or as single points.
//!
//! | file | what |
//! |---|---|
//! | `blocks` | regular blocks along one axis, and computations with them: positions and indexes, bounds, slices |
//! | `axis` | the wanted indexes along one axis: blocks or a list |
//! | `run` | elements along one axis and their positions in the output |
//! | `cut` | an axis divided at the edges of chunks |
//! | `intersect` | the indexes that an axis and blocks have in common |
//! | `region` | elements numbered in an order, so that those of two regions correspond |
//! | `elements`, `points` | the wanted elements, checked against the shape of an array |
//! | `parse` | parsing the text form of selections |
//! | `field_subset` | the wanted bytes of each element: some members of a compound |
//!
//! Selections are independent of chunk indexes, addresses and the memory of the result.

mod axis;
mod blocks;
pub(crate) mod cut;
mod elements;
mod field_subset;
pub mod intersect;
mod parse;
mod points;
mod refused;
mod region;
mod run;

pub use axis::Axis;
pub use blocks::Blocks;
pub use elements::{Measured, Resolved, Selection};
pub use field_subset::FieldSubset;
pub use points::Points;
pub use region::Region;
pub use run::{Run, RunOfBlocks};
