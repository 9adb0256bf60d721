//! Pages: HTML of what an application answers. Each is one file that any browser shows.
//!
//! Words and tables that the command line shows as well are here, too.

pub mod advise;
pub mod archive;
pub mod bench;
pub mod doctor;
pub mod forecast;
pub mod trace;
