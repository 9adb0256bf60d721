//! Filters: their numbers in files, their names, and a filter that is asked for.

pub mod number;
mod request;
mod szip;
mod table;
mod zfp;

pub use request::{FilterRequest, compresses, pipeline_text};
pub use szip::{ENTROPY_CODING, NEAREST_NEIGHBOUR, is_nearest_neighbour};
pub use table::{name_of, word_of};
