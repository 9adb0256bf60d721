//! HDF5 filter plug-ins of the Python package `hdf5plugin`, which is found where Python looks for packages, and not imported.

use hyperslab::filters::plugins;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Adds the package's folder of plug-ins, if the package is installed.
pub(crate) fn add_folders(py: Python<'_>) -> PyResult<()> {
    for entry in py.import("sys")?.getattr("path")?.try_iter()? {
        // Entries may be other objects, which Python ignores, too.
        let Ok(path) = entry?.extract::<PathBuf>() else { continue };
        let folder = path.join("hdf5plugin/plugins");
        if folder.is_dir() {
            plugins::add_folder(folder);
        }
    }
    Ok(())
}
