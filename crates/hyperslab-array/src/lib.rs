//! Arrays in files: what they are, and reading them. Nothing here knows a file format.
//!
//! A reader of a format makes an [`array::Array`] for each dataset that it opens: shape, elements, fill value, and how it
//! is stored. From then on reading is the same for all of them:
//!
//! ```text
//! Selection ∩ chunk grid ─► plan ─► read: fetch, decode, convert, place
//!                             ▲       │
//!            chunk index ─────┘       └─► chunk cache
//! ```
//!
//! The crates of readers depend on this one; the crate `hyperslab` shows what its users need of it.

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
