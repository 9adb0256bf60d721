//! Tests that need several crates together, in `tests/`: structures of real files compared with what libhdf5 says of
//! them, and files with damage read through the whole engine. Not published.
//!
//! The library is what these tests and the fuzz targets share. It is a crate of its own so that the tests of a single
//! crate do not wait for all the others.

mod read_everything;

pub use read_everything::{Outcome, read_everything};
