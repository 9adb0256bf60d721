//! Files of many objects: how an engine makes one, and how it visits all that is in one.

pub(super) mod hdf4;
pub(super) mod hyperslab;
pub(super) mod libhdf5;
pub(super) mod netcdf;
