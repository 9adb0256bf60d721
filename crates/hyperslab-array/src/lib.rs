//! Arrays in files, and reading them, independently of the file format.
//!
//! A reader of a format creates an [`array::Array`] for each dataset that it opens: shape, elements, fill value, and
//! storage. Reading is then the same for all formats:
//!
//! ```text
//! Selection ∩ chunk grid ─► plan ─► read: fetch, decode, convert, place
//!                             ▲       │
//!            chunk index ─────┘       └─► chunk cache
//! ```
//!
//! The readers of formats depend on this crate. The crate `hyperslab` exports the parts that its users need.

pub mod array;
pub mod chunk;
mod environment;
mod error;
pub mod memory;
pub mod plan;
pub mod read;
pub mod runtime;
pub mod selection;
pub mod settings;

pub use error::{Error, ErrorKind, Result};
pub use selection::{Axis, Blocks, Points, Selection};
