//! The HDF5 file format: converts bytes to structures, without any I/O.
//!
//! Every parser is a function over a [`View`]. It returns the structure, the byte ranges that it still needs
//! ([`Stop::Need`]), or what is wrong at which byte ([`Stop::Bad`]). The same parsers therefore serve local files,
//! memory, object stores and fuzzers. The encoder of a structure is beside its parser: it writes the fields to an
//! [`Encoder`], in the version that it is told. Terms and section numbers are those of the *HDF5 File Format Specification* 4.0.
//!
//! Deliberately absent: I/O, threads, filters, selections, conversion of values.

pub mod address;
pub mod btree;
pub mod checksum;
pub mod chunk_index;
pub mod cursor;
pub mod encoder;
pub mod error;
pub mod free_space;
pub mod group;
pub mod heap;
pub mod limits;
pub mod message;
pub mod name;
mod node_traversal;
pub mod object_header;
pub mod placement;
pub mod reference;
pub mod selection;
pub mod step;
pub mod superblock;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod view;
pub mod virtual_mapping;

pub use address::{Address, Widths};
pub use bytes::Bytes;
pub use cursor::Cursor;
pub use encoder::{EncodeError, Encoder};
pub use error::{FormatError, Problem};
pub use name::Name;
pub use placement::{Allocate, PlacedBlock};
pub use step::{Gather, Need, Parse, Stop};
pub use view::{Fetched, View};
