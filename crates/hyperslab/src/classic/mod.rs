//! Files of netCDF classic, 64-bit offset and CDF-5.
//!
//! ```text
//! open ─► header: the first bytes ─► format ─► object: links, attributes
//!                                                └─ variable: a dataset, contiguous or record by record
//! ```
//!
//! The root group has the variables as datasets, in the order of the file. The address of a variable is the offset of its
//! description in the header.

mod attribute;
mod census;
mod datatype;
mod format;
mod header;
mod object;
mod open;
#[cfg(test)]
mod tests;
mod variable;

pub(crate) use open::{is_classic, open};
