//! What every writer of data shares: how the chunks of a dataset are encoded, summed and put in order.
//!
//! ```text
//! elements ──► block (the part that a chunk has) ──► chunk_encoder, by the threads of ordered ──► FileWriter
//!                                                    checksums of what was written
//! gzip_encoder (which encoder writes gzip, from three chunks)
//! new_filters (complete parameters of filters that are asked for)
//! output_file (a file that appears under its name when it is complete)
//! ```
//!
//! Deliberately absent: objects other than datasets (`hyperslab-tree`), and where chunks lie in the file
//! (`hyperslab-write`).

pub mod batch_size;
pub mod block;
pub mod checksums;
pub mod chunk_encoder;
pub mod chunk_filters;
mod chunk_memory;
pub mod decimal_rounding;
mod error;
mod gzip_encoder;
mod monitor;
pub mod new_filters;
pub mod ordered;
mod output_file;
pub mod rounding;

pub use error::RepackError;
pub use monitor::Monitor;
pub use output_file::OutputFile;
