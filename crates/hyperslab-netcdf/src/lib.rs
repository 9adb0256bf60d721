//! netCDF-4's data model over a file: groups, dimensions, variables, attributes and user-defined types.
//!
//! A netCDF-4 file is an HDF5 file that follows conventions: a dimension is a dataset with the attribute
//! `CLASS = "DIMENSION_SCALE"`, a variable names its dimensions by object references (`DIMENSION_LIST`) or by numbers
//! (`_Netcdf4Coordinates`), and some attributes and names are hidden. [`Netcdf::open`] applies these conventions to
//! all objects of a file in one pass, as netCDF-C does when it opens a file for reading (`libhdf5/hdf5open.c`), and
//! answers with values that no longer mention HDF5's bookkeeping.
//!
//! ```no_run
//! # fn main() -> hyperslab::Result<()> {
//! let file = hyperslab::File::open("era5.nc")?;
//! let netcdf = hyperslab_netcdf::Netcdf::open(&file)?;
//! for variable in &netcdf.root().variables {
//!     let names: Vec<_> = variable.dimensions.iter().map(|&id| &netcdf.dimension(id).name).collect();
//!     println!("{} {names:?}", variable.name);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Any HDF5 file has such a view. Axes without a dimension scale get *phony dimensions*, named and shared as in
//! netCDF-C. What netCDF-C leaves out (datatypes without a netCDF type, objects that cannot be opened) is listed in
//! [`Netcdf::omitted`] with the reason, or marked by [`VariableType::Other`].
//!
//! Files of netCDF's older formats name their dimensions themselves ([`hyperslab::File::named_dimensions`]); everything else
//! is the same.
//!
//! Not here: reading data (a variable has its [`hyperslab::Dataset`]), writing.

mod attribute;
mod cdl;
mod conventions;
mod dimensions;
mod model;
mod names;
mod open;
mod select;
mod storage;
mod types;

pub use attribute::{Attribute, Values};
pub use cdl::{CdlOptions, write_cdl};
pub use model::{Dimension, DimensionId, DimensionKind, Group, Netcdf, Omitted, Variable};
pub use names::{find_dataset, find_object, is_bare_dimension, netcdf_path, stored_name};
pub use open::Below;
pub use storage::{Endianness, SpecialAttributes};
pub use types::{AtomicType, GroupId, TypeId, UserKind, UserType, VariableType};
