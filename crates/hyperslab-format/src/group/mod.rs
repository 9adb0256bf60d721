//! The members of groups (specification III.A to III.D, IV.A.2): old-style groups with a symbol table, new-style
//! ones that keep their links "densely" in a heap, and attributes that are kept the same way. Links that are
//! messages of the group's object header need none of this.
//!
//! Lists keep going: one link that cannot be read is one error among the links.

pub mod dense;
pub mod dense_attributes;
mod names;
pub mod old;
pub mod symbol_table;
