//! The objects of a file as values: read from a source, chosen and changed, and compared with the file that was written from
//! them.
//!
//! ```text
//! File ──► object_selection, selected (what is copied, and what it needs) ──► source_tree (FileTree)
//! elements with addresses ──► relocate (what they refer to, as values) ──► bytes of the new file
//! new file ──► verify_objects, verify_stored ──► equal to the tree, or what differs
//! ```
//!
//! Deliberately absent: how data is encoded (`hyperslab-encode`), where structures lie (`hyperslab-write`), what is to be
//! stored otherwise (`hyperslab-repack`).

pub mod bare_dimension;
pub mod damage;
pub mod dimension_scales;
mod link_tree;
mod needs;
mod netcdf_numbers;
mod netcdf_objects;
pub mod object_selection;
pub mod pieces;
pub mod relocate;
mod selected;
pub mod shared_parts;
pub mod source_dataset;
pub mod source_tree;
mod undamaged_map;
pub mod verify_objects;
pub mod verify_stored;
pub mod wide_datatype;
