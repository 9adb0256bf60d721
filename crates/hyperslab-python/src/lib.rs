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
mod command;
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

#[pymodule(gil_used = false)]
mod _hyperslab {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::applications::{cancel_applications, run_application};
    #[pymodule_export]
    use crate::attrs::AttributeManager;
    #[pymodule_export]
    use crate::cancel_token::CancelToken;
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::dataset::Dataset;
    #[pymodule_export]
    use crate::datatype::Datatype;
    #[pymodule_export]
    use crate::errors::error_classes;
    #[pymodule_export]
    use crate::file::{File, is_hdf5};
    #[pymodule_export]
    use crate::file_builder::{FileBuilder, packed_arrays, packed_texts, parse_filters};
    #[pymodule_export]
    use crate::group::Group;
    #[pymodule_export]
    use crate::netcdf::{NetcdfDimension, NetcdfGroup, NetcdfVariable, netcdf_groups};
    #[pymodule_export]
    use crate::orthogonal::{read_orthogonal, read_points};
    #[pymodule_export]
    use crate::reference::{AttributeReference, Reference, RegionReference};
    #[pymodule_export]
    use crate::reference::{attribute_reference, object_reference, region_reference};
    #[pymodule_export]
    use crate::register::register_filter;
    #[pymodule_export]
    use crate::remote::{Traffic, traffic};
    #[pymodule_export]
    use crate::settings::{
        CacheStats, cache_bytes, cache_stats, parse_bytes, set_cache_bytes, set_threads, threads,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        crate::plugins::add_folders(module.py())?;
        hyperslab_apps::files::on_written_file(crate::errors::warn_anywhere);
        super::warn_of_debug_build(module.py())
    }
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
