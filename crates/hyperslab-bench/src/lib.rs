//! Chunking and compression performance: what a program's reads and writes cost with other chunk shapes, filters and
//! caches, measured on the user's own libhdf5 and on hyperslab.
//!
//! ```text
//!   Matrix (storage × access × engine × cache) ─┐
//!   Recipe (a published study)                 ─┴─► hyperslab-measure: Tasks ──► results ──► explanation
//! ```

pub mod document;
pub mod explanation;
pub mod matrix;
pub mod plan;
pub mod recipe;
