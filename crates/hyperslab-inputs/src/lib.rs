//! What every application does with the files that it is given: it opens them, goes through many, finds out what is known of a
//! dataset, says why something cannot be done, and never writes over an input.

pub mod absent;
pub mod error;
pub mod facts;
pub mod files;
pub mod made_up;
pub mod observed;
pub mod outputs;
pub mod reads;
pub mod runner;
pub mod shell_line;
pub mod worker;

pub use error::{Error, Result};
