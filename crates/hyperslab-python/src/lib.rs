//! The Python package: `h5py`'s names for reading, over the engine.
//!
//! One file per noun. Nothing here knows the file format or decides how to read: a Python object holds the engine's
//! object, an index becomes a [`hyperslab::Selection`] ([`selection`]), the engine writes into the memory of a fresh
//! NumPy array ([`array`]), and where NumPy's elements are not the file's, they are rebuilt one by one
//! ([`element`]). What is rarely used and easily said in Python lies in `python/hyperslab`.
//!
//! The interpreter is released around everything that reads.

mod array;
mod attrs;
mod command;
mod dataset;
mod datatype;
mod element;
mod errors;
mod file;
mod filters;
mod group;
mod reference;
mod register;
mod selection;
mod session;
mod settings;
mod source;
mod visit;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _hyperslab {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::attrs::AttributeManager;
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
    use crate::group::Group;
    #[pymodule_export]
    use crate::reference::{AttributeReference, Reference, RegionReference};
    #[pymodule_export]
    use crate::register::register_filter;
    #[pymodule_export]
    use crate::settings::{CacheStats, cache_bytes, cache_stats, set_cache_bytes, set_threads, threads};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        super::warn_of_debug_build(module.py())
    }
}

/// An unoptimised engine is tens of times slower: nobody should measure it unknowingly.
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
