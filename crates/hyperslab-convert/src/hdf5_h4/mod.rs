//! The objects of an HDF5 file as `h4toh5` makes it of one of HDF4 ("Mapping HDF4 Objects to HDF5 Objects", NCSA 2003): for programs that
//! know its names. Readers of netCDF-4 find no dimensions in it.
//!
//! ```text
//! HDF4                     HDF5
//! data set, image, Vdata   dataset in the groups of its Vgroups; else in the root group
//! Vgroup                   group; in several, by hard links
//! dimension scale          dataset in /HDF4_DIMGROUP, to which the attribute DIMSCALE of data sets refers
//! palette                  dataset in /HDF4_PALGROUP, to which the attribute PALETTE of images refers
//! ```
//!
//! What an object was is told by `HDF4_OBJECT_TYPE`, `HDF4_OBJECT_NAME` and `HDF4_REF_NUM`.

mod attributes;
mod objects;

pub(crate) use objects::{Planned, plan};
