//! Runs of engines, each in a process of its own: their time, memory, requests and decodes.
//!
//! ```text
//!   Task (Access × CreationProperties × Values, by an engine) ──► process: a worker does it ──► Outcome ──► runner: turns, Summary
//!                                                          └─ usage, page_cache       └─► calibration: Terms of a library
//! ```

pub mod access;
pub mod calibration;
pub mod data;
mod page_cache;
pub mod process;
pub mod runner;
pub mod tree;
mod usage;

pub use page_cache::{PageCache, empty_page_cache};
pub(crate) use usage::page_faults;
pub use usage::{Usage, peak_memory_bytes, thread_seconds};
