//! The folders in which plug-ins are looked for.
//!
//! 1. Folders that the program added.
//! 2. `HDF5_PLUGIN_PATH`; where that is not set, libhdf5's default folder.
//! 3. The Python package `hdf5plugin` of the running, the active, and the first Python on `PATH`. No Python is started:
//!    packages are found by the usual layout of its folders.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

/// The interpreter, set where the command runs inside of a Python.
const INTERPRETER: &str = "HYPERSLAB_INTERPRETER";

fn added() -> MutexGuard<'static, Vec<PathBuf>> {
    static ADDED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    ADDED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Adds a folder in which plug-ins are looked for before all others. It need not exist. Pipelines that were created before
/// are not affected.
pub fn add_folder(folder: impl Into<PathBuf>) {
    let folder = folder.into();
    let mut added = added();
    if !added.contains(&folder) {
        added.push(folder);
    }
}

/// All folders, each once, in the order in which they are searched.
pub(super) fn all() -> Vec<PathBuf> {
    let mut folders = added().clone();
    match std::env::var_os("HDF5_PLUGIN_PATH") {
        Some(listed) => folders.extend(std::env::split_paths(&listed).filter(|path| path.is_absolute())),
        None => folders.extend(default_folder()),
    }
    folders.extend(pythons().iter().flat_map(|python| of_python(python)));
    let mut once = Vec::with_capacity(folders.len());
    for folder in folders {
        if !once.contains(&folder) {
            once.push(folder);
        }
    }
    once
}

fn default_folder() -> Option<PathBuf> {
    if cfg!(windows) {
        std::env::var_os("ALLUSERSPROFILE").map(|folder| Path::new(&folder).join("hdf5/lib/plugin"))
    } else {
        Some("/usr/local/hdf5/lib/plugin".into())
    }
}

/// Pythons that a user may mean: the one that runs this, the active environment's, the first on `PATH`.
fn pythons() -> Vec<PathBuf> {
    let own = std::env::var_os(INTERPRETER).map(PathBuf::from);
    let program = if cfg!(windows) { "python.exe" } else { "bin/python" };
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"]
        .into_iter()
        .filter_map(std::env::var_os)
        .map(|folder| Path::new(&folder).join(program));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = ["python3", "python", "python.exe"].into_iter().filter_map(|name| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
    });
    own.into_iter().chain(active).chain(on_path).collect()
}

/// The folders of plug-ins that the package `hdf5plugin` of a Python has, given the path of the interpreter.
pub fn of_python(python: &Path) -> Vec<PathBuf> {
    let is_environment = |python: &Path| {
        python.parent().and_then(Path::parent).is_some_and(|root| root.join("pyvenv.cfg").is_file())
    };
    // The python of a virtual environment is a link, and is what it is by its place. Others may be links to it.
    let resolved = if is_environment(python) { None } else { python.canonicalize().ok() };
    let mut found = Vec::new();
    for python in [Some(python.to_owned()), resolved].into_iter().flatten() {
        let Some(root) = python.parent().and_then(Path::parent) else { continue };
        let versions = [root.join("lib"), root.join("local/lib"), root.join("lib64")]
            .into_iter()
            .flat_map(|lib| versions_in(&lib))
            .chain([root.join("Lib")]);
        for version in versions {
            for packages in ["site-packages", "dist-packages"] {
                let folder = version.join(packages).join("hdf5plugin/plugins");
                if folder.is_dir() && !found.contains(&folder) {
                    found.push(folder);
                }
            }
        }
    }
    found
}

/// `lib/python3.12`, `lib/python3`, …
fn versions_in(lib: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(lib) else { return Vec::new() };
    let mut versions: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
        .map(|entry| entry.path())
        .collect();
    versions.sort();
    versions
}
