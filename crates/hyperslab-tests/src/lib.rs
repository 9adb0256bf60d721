//! Tests that need several crates: `tests/` compares the structures of real files with those that libhdf5 reads, and
//! reads damaged files with the whole engine. Not published.
//!
//! The library contains the code that these tests and the fuzz targets share. It is a separate crate so that the tests
//! of one crate need not wait for the other crates to be compiled.

mod read_everything;

pub use read_everything::{Outcome, read_everything};
