//! Chunking and compression performance: what a program's reads and writes cost with other chunk shapes, filters and
//! caches, measured on the user's own libhdf5 and on hyperslab.
//!
//! ```text
//!   study (storage × access × cache) ──► process: a Task, in a process of its own ──► Outcome
//!                                          └─ engine (hyperslab | library) ◄── data, measure
//! ```

mod buffer;
pub mod calibration;
mod child;
pub mod data;
pub mod engine;
pub mod explanation;
mod hex;
pub mod library;
pub mod matrix;
pub mod measure;
pub mod process;
pub mod recipe;
pub mod runner;
pub mod study;

pub use buffer::NoMemory;
