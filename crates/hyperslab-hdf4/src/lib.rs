//! HDF4: the structures of a file, parsed without any I/O.
//!
//! ```text
//! Descriptors ─┬─ Vgroup          names, members, attributes
//!              ├─ Vdata           records with fields
//!              ├─ DataDimensions, members, NumberType   a scientific data set without Vgroups
//!              ├─ ImageDimensions, Annotation
//!              └─ Special         an element in blocks, in another file, compressed, or in chunks
//!                   └─ Coder      how coded bytes were made
//! ```
//!
//! HDF-EOS2's text about grids and swaths is parsed in [`eos`].
//!
//! A file is a collection of elements. A descriptor gives the place of each under its [tag] and its reference, and elements
//! refer to one another by these. Except for the descriptors, every structure is one element: its parser takes all bytes of the
//! element, and the offset at which it lies.
//!
//! Terms are those of the *HDF Specification and Developer's Guide* and of the *HDF User's Guide*.
//!
//! Deliberately absent: I/O, values but for their order, the meaning of structures together: which Vgroups are data sets (the engine).

mod annotation;
mod coder;
mod cursor;
mod data_dimensions;
mod descriptor;
pub mod eos;
mod image;
mod members;
mod names;
mod number_type;
mod order;
mod special;
pub mod tag;
mod vdata;
mod vgroup;

pub use annotation::Annotation;
pub use coder::{Coder, Nbit, Szip};
pub use data_dimensions::DataDimensions;
pub use descriptor::{Descriptor, Descriptors, MAGIC};
pub use image::{ImageDimensions, Interlace};
pub use members::members;
pub use names::Names;
pub use number_type::{Kind, NumberType};
pub use order::Order;
pub use special::{
    ChunkEntry, ChunkTable, Chunked, ChunkedDimension, Compressed, External, LinkTable, Linked, Special,
};
pub use vdata::{Field, Vdata, VdataAttribute};
pub use vgroup::{Vgroup, roots};
