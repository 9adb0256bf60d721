//! hyperslab for C, Fortran and whatever calls C: `include/hyperslab.h`, made from this crate by cbindgen.
//!
//! Each function checks its pointers, calls the engine or an application, and turns an error into a status ([`status`]) and a text. No
//! panic leaves a function. What is not here: writing, the advisor, the bench; they are commands.
//!
//! ```text
//!   status.rs    errors: a status, and a text for each thread
//!   text.rs      texts and lists of texts that the caller gets
//!   pointers.rs  what is given by the caller
//!   file.rs      files, groups
//!   dataset.rs   datasets: shape, type, chunks, filters
//!   read.rs      elements into the caller's memory
//!   attribute.rs
//!   chunks.rs    where chunks lie, and what a read would do
//!   doctor.rs    what the doctor finds, as JSON
//!   settings.rs  version, threads, memory
//! ```

mod attribute;
mod chunks;
mod dataset;
mod doctor;
mod element;
mod file;
mod pointers;
mod read;
mod settings;
mod status;
mod text;
