//! Doing what a plan says: fetch, decode, place.

mod ahead;
pub mod array;
pub(crate) mod chunked;
pub mod convert;
pub(crate) mod place;
pub(crate) mod raw;
pub(crate) mod target;
mod trimmed;
mod virtual_array;
pub(crate) mod worker;
