//! Lines to paste: a storage, a change of it, or a chunk cache in the words of each program. One file a program.

mod c;
mod cdl;
mod h5py;
mod h5repack;
mod hyperslab;
mod nccopy;
mod netcdf4;
mod older;
mod quoting;
mod storage;
mod xarray;

pub use c::c_cache;
pub use h5py::h5py_cache;
pub use netcdf4::netcdf4_cache;
pub use older::{hrepack, libhdf4_cache, ncks};
pub use quoting::{python_string, python_tuple, shell_word};
pub use storage::StorageLines;
pub use xarray::{Encoding, xarray_cache};
