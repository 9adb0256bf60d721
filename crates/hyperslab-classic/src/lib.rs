//! netCDF classic, 64-bit offset and CDF-5: the header of a file, and where the values of its variables are, without any I/O.
//!
//! ```text
//! Header ─┬─ Dimension  name, length; at most one is the record dimension, which grows
//!         ├─ Attribute  name, type, values
//!         └─ Variable   name, dimensions, attributes, type, begin
//!                            └─ Place   offset, shape, and the distance of its records
//! ```
//!
//! A header is contiguous and begins at byte 0. [`Header::parse`] takes the first bytes of a file; if they are too few, it says
//! how many it needs ([`Stop::Need`](hyperslab_format::Stop)). What follows the header is values, big-endian: first of the
//! variables of fixed size, then records, in each of which every record variable has its turn.
//!
//! [`Header::new`] gives the variables of a new file their places, and [`Header::encode`] writes its header.
//!
//! Terms are those of Unidata's *NetCDF Classic Format Specification* and PnetCDF's *CDF-5 Format Specification*.
//!
//! Deliberately absent: I/O, values, netCDF's conventions.

mod attribute;
mod cursor;
mod dimension;
mod encode;
mod header;
mod kind;
mod layout;
mod list;
mod place;
mod remark;
mod size_limit;
#[cfg(test)]
mod testing;
mod variable;
mod version;

pub use attribute::Attribute;
pub use dimension::Dimension;
pub use header::{Header, RecordCount};
pub use kind::Kind;
pub use place::Place;
pub use remark::{Remark, RemarkKind};
pub use variable::Variable;
pub use version::Version;
