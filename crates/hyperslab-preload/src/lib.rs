//! The library that `hyperslab trace` and `hyperslab run` preload into a program (`LD_PRELOAD`).
//!
//! It defines functions of libhdf5 (`hook/`), finds the libhdf5 that the caller would have called (`api.rs`), asks that copy
//! what is read (`selection.rs`, `opened.rs`), and calls it. Nothing of libhdf5 is linked.
//!
//! ```text
//!   program ── H5Dread ──► hook/read.rs ──► api.rs: which libhdf5 does this caller call?
//!                              │
//!                              ├─ opened.rs      what is known of this dataset: asked once
//!                              ├─ selection.rs   which elements: asked at each call, before the real one
//!                              ├─ engine.rs, answer.rs: the engine, where that comes to the same (types.rs: the bytes of an
//!                              │                element; memory.rs: where they go; virtual_dataset.rs: sources); or
//!                              ├─ the real H5Dread
//!                              └─ process.rs     noted, simulated, written down
//! ```
//!
//! Where a program opens a dataset (`hook/open.rs`), `fit.rs` gives it a chunk cache for the reads so far (`learned.rs`).
//!
//! No function of libhdf5 is called after the real one: each clears the errors that the program may want to see.

#![cfg(target_os = "linux")]

mod answer;
mod api;
mod engine;
mod filters;
mod fit;
mod fork;
mod functions;
mod hook;
mod known;
mod learned;
mod memory;
mod open_file;
mod opened;
mod process;
mod recent;
mod selection;
mod sources;
mod types;
mod virtual_dataset;
mod writer;
