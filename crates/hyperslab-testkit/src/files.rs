//! The files that tests read: the fixtures of the project's recipes and the corpus of real files; and a Python with
//! h5py.

use crate::Missing;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/hyperslab-testkit has a root")
}

/// The folder that `corpus/recipes/make.py` writes, or the one that `HYPERSLAB_FIXTURES` names.
///
/// # Errors
///
/// [`Missing`] if the fixtures have not been written.
pub fn fixtures() -> Result<PathBuf, Missing> {
    let path =
        std::env::var_os("HYPERSLAB_FIXTURES").map_or_else(|| workspace().join("fixtures"), PathBuf::from);
    existing(path, "run corpus/recipes/make.py")
}

/// A file or a folder of the fixtures, by its path in [`fixtures`].
///
/// # Errors
///
/// [`Missing`] if it has not been written.
pub fn fixture(name: &str) -> Result<PathBuf, Missing> {
    existing(fixtures()?.join(name), "run corpus/recipes/make.py")
}

/// The folder of real files: `../shared/corpus`, or the one that `HYPERSLAB_CORPUS` names. `HYPERSLAB_CORPUS=none`
/// skips the tests that need it, also in CI.
///
/// # Errors
///
/// [`Missing`] if it does not exist or is to be skipped.
pub fn corpus() -> Result<PathBuf, Missing> {
    let named = std::env::var_os("HYPERSLAB_CORPUS");
    if named.as_ref().is_some_and(|named| named == "none") {
        return Err(Missing::on_request("HYPERSLAB_CORPUS=none"));
    }
    let beside = || workspace().join("../shared/corpus");
    let path = named.map_or_else(beside, PathBuf::from);
    let hint = "set HYPERSLAB_CORPUS to the folder of real files, or to `none` to test without it";
    existing(path.join("MANIFEST.tsv"), hint)?;
    Ok(path)
}

/// A Python that can import h5py: the one that `HYPERSLAB_PYTHON` names, otherwise that of `.venv`.
///
/// # Errors
///
/// [`Missing`] if it cannot import h5py.
pub fn python() -> Result<PathBuf, Missing> {
    static FOUND: OnceLock<Result<PathBuf, Missing>> = OnceLock::new();
    FOUND.get_or_init(find_python).clone()
}

fn find_python() -> Result<PathBuf, Missing> {
    let named = std::env::var_os("HYPERSLAB_PYTHON").map(PathBuf::from);
    let python = named.unwrap_or_else(|| workspace().join(".venv/bin/python"));
    let imported = Command::new(&python).args(["-c", "import h5py"]).output();
    if imported.is_ok_and(|output| output.status.success()) {
        return Ok(python);
    }
    let python = python.display();
    Err(Missing::new(format!("{python} cannot import h5py (set HYPERSLAB_PYTHON to a Python that can)")))
}

/// All HDF5 files of at most `bytes_max` bytes in a folder and its subfolders, sorted by path.
///
/// # Panics
///
/// If the folder cannot be read.
pub fn hdf5_files(folder: &Path, bytes_max: u64) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.metadata().is_ok_and(|metadata| metadata.len() <= bytes_max) {
                let head = std::fs::read(&path).unwrap_or_default();
                if head.starts_with(b"\x89HDF\r\n\x1a\n") {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    found
}

fn existing(path: PathBuf, hint: &str) -> Result<PathBuf, Missing> {
    if path.exists() {
        return Ok(path);
    }
    Err(Missing::new(format!("{} is missing ({hint})", path.display())))
}
