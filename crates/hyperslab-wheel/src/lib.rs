//! The extension module of the Python package: the engine with h5py's names, and the `hyperslab` command.

use pyo3::prelude::*;
use std::ffi::OsString;

#[pymodule(gil_used = false)]
mod _hyperslab {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::run_command;
    #[pymodule_export]
    use hyperslab_python::exports::{
        AttributeManager, AttributeReference, CacheStats, CancelToken, Dataset, Datatype, File, FileBuilder,
        Group, NetcdfDimension, NetcdfGroup, NetcdfVariable, Reference, RegionReference, Traffic, as_netcdf4,
        attribute_reference, cache_bytes, cache_stats, cancel_applications, error_classes, is_hdf5,
        netcdf_groups, object_reference, packed_arrays, packed_string_array, packed_texts, parse_bytes,
        parse_filters, read_orthogonal, read_points, region_reference, register_filter, run_application,
        set_cache_bytes, set_threads, threads, traffic,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        hyperslab_python::begin(module)
    }
}

/// Run the `hyperslab` command and return its exit code. The first of the `arguments` is the command's name.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> i32 {
    py.detach(|| hyperslab_cli::run(arguments))
}
