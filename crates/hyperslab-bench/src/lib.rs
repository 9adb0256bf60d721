//! Chunking and compression performance: what a program's reads and writes cost with other chunk shapes, filters and
//! caches, measured on the user's own libhdf5 and on hyperslab.
//!
//! ```text
//!   study (storage × access × cache) ──► process: a Task, in a process of its own ──► Outcome
//!                                          └─ engine (hyperslab | library) ◄── data, measure
//! ```

pub mod access;
pub mod calibration;
pub mod data;
pub mod explanation;
mod hex;
pub mod matrix;
pub mod measure;
pub mod process;
pub mod recipe;
pub mod runner;
pub mod tree;
