//! HDF-EOS2: what a file says about its grids and swaths, as text in the attributes `StructMetadata.0`, `.1`, ...

mod grid_mapping;
mod odl;
mod structure;

pub use grid_mapping::MappingValue;
pub use odl::{Node, Value, parse as parse_odl};
pub use structure::{DimensionMap, Grid, Structure, Swath, structures};
