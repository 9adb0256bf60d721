//! What a file contains, for people and programs that compare: its objects in order, their values as text, and checksums of
//! them.
//!
//! ```text
//! File ──► traversal (objects, links and aliases in order) ──► digest (a record each, with a checksum of the values)
//!                                                          ──► what lists files
//! values ──► element, json          datatypes ──► dtype
//! ```
//!
//! Deliberately absent: the command line, tables, what is on a terminal.

pub mod digest;
pub mod dtype;
pub mod element;
pub mod index_kind;
pub mod json;
mod layout_facts;
pub mod object_paths;
pub mod traversal;

pub use layout_facts::layout_facts;
