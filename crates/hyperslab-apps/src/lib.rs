//! The applications of hyperslab as functions: a request goes in, an answer comes out. Command line, Python and pages are
//! thin on top of it.
//!
//! No application prints, reads arguments or asks whether there is a terminal: what it has to say while it works goes to an
//! observer, and what it found is its answer.

pub mod absent;
pub mod advise;
pub mod archive;
pub mod bench;
pub mod check;
pub mod digest;
pub mod doctor;
pub mod error;
pub mod facts;
pub mod files;
pub mod forecast;
pub mod index;
pub mod made_up;
pub mod outputs;
pub mod reads;
pub mod repack;
pub mod runner;
pub mod schema;
pub mod shell_line;
pub mod worker;

pub use error::{Error, Result};
