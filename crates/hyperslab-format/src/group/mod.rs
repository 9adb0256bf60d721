//! The members of groups (specification III.A to III.D, IV.A.2): old-style groups with a symbol table, new-style groups
//! with dense link storage in a heap, and dense attribute storage. Links that are messages of the group's object header
//! are not parsed here.
//!
//! Listings continue after errors: a link that cannot be read is one error among the links.

pub mod dense;
pub mod dense_attributes;
pub mod dense_layout;
mod names;
pub mod old;
pub mod old_layout;
pub mod symbol_table;
