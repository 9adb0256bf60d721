//! The Python package: h5py's names for reading and for new files, implemented by the engine.
//!
//! There is one file per class. This crate neither knows the file format nor decides how to read. A Python object holds
//! the engine's object; an index becomes a [`hyperslab::Selection`] ([`selection`]); the engine writes into the memory
//! of a new NumPy array ([`array`]); if NumPy's representation of the elements differs from the file's, they are
//! converted one by one ([`element`]). Rarely used functions that are simple in Python are in `python/hyperslab`.
//!
//! The interpreter (GIL) is released during everything that reads.

mod applications;
mod array;
mod attrs;
mod cancel_token;
mod chunk_map;
mod dataset;
mod datatype;
mod element;
mod errors;
mod explanation;
mod file;
mod file_builder;
mod filters;
mod group;
mod interrupt;
mod name;
mod netcdf;
mod orthogonal;
mod plugins;
mod reference;
mod register;
mod remote;
mod selection;
mod session;
mod settings;
mod source;
mod stores;
mod visit;

use pyo3::prelude::*;

/// What the extension module contains of this crate.
pub mod exports {
    pub use crate::applications::{cancel_applications, run_application};
    pub use crate::attrs::AttributeManager;
    pub use crate::cancel_token::CancelToken;
    pub use crate::dataset::Dataset;
    pub use crate::datatype::Datatype;
    pub use crate::errors::error_classes;
    pub use crate::file::{File, is_hdf5};
    pub use crate::file_builder::{
        FileBuilder, packed_arrays, packed_string_array, packed_texts, parse_filters,
    };
    pub use crate::group::Group;
    pub use crate::netcdf::{NetcdfDimension, NetcdfGroup, NetcdfVariable, as_netcdf4, netcdf_groups};
    pub use crate::orthogonal::{read_orthogonal, read_points};
    pub use crate::reference::{
        AttributeReference, Reference, RegionReference, attribute_reference, object_reference,
        region_reference,
    };
    pub use crate::register::register_filter;
    pub use crate::remote::{Traffic, traffic};
    pub use crate::settings::{
        CacheStats, cache_bytes, cache_stats, parse_bytes, set_cache_bytes, set_threads, threads,
    };
}

/// Prepares what all of it has in common.
///
/// # Errors
/// What Python raises.
pub fn begin(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    plugins::add_folders(module.py())?;
    hyperslab_apps::files::on_written_file(errors::warn_anywhere);
    warn_of_debug_build(module.py())
}

/// An unoptimised engine is tens of times slower; the warning prevents measuring it by mistake.
fn warn_of_debug_build(py: Python<'_>) -> PyResult<()> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    errors::warn(py, "this is a debug build of hyperslab, far slower than a release build")
}

/// An attribute of one of the package's Python modules.
fn helper<'py>(py: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(module)?.getattr(name)
}
