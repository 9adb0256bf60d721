//! The applications of hyperslab as functions: a request goes in, an answer comes out. Command line, Python and pages are
//! thin on top of it.
//!
//! No application prints, reads arguments or asks whether there is a terminal: what it has to say while it works goes to an
//! observer, and what it found is its answer.

pub mod advise;
pub mod archive;
pub mod bench;
pub mod check;
pub mod digest;
pub mod doctor;
pub mod forecast;
pub mod index;
pub mod repack;
pub mod schema;
pub mod trace;

// What all of them share, by the same names for their callers.
pub use hyperslab_inputs::{
    Error, Result, absent, error, facts, files, made_up, observed, outputs, reads, runner, shell_line, worker,
};
