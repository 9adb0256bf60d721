//! Files of HDF4.
//!
//! ```text
//! open ─► elements: descriptors, and the bytes of each element
//!           └─► tables: all Vgroups and Vdatas ─► tree: groups and datasets, which contents keeps
//!                 ├─ scientific      SDS: values, dimensions, attributes
//!                 ├─ image           raster images and palettes
//!                 ├─ vdata           tables of records, as compounds
//!                 └─ eos             grids and swaths of HDF-EOS2
//! object, values: a dataset whose bytes are contiguous, linked, in another file, compressed or chunked
//! ```
//!
//! Objects of the tree are numbered in the order in which they are found; the numbers are their addresses.

mod attribute;
mod census;
mod chunk_index;
mod contents;
mod datatype;
mod decoder;
mod elements;
mod eos;
mod eos_group;
mod extents;
mod facts;
mod format;
mod image;
mod model;
mod object;
mod open;
mod pages;
mod pixels;
mod place;
mod scientific;
mod scientific_old;
mod tables;
mod tree;
mod values;
mod vdata;

pub use facts::{Facts, Kind, facts, image_attributes, without_structures};
pub(crate) use open::{is_hdf4, open};
