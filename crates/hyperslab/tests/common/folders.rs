//! Where the files for tests are: those of the project's own recipes, and the real ones.
#![allow(dead_code, reason = "every test uses a part of this")]

use std::path::{Path, PathBuf};

/// The folder that `corpus/recipes/make.py` fills, if it has been run.
pub fn fixtures() -> Option<PathBuf> {
    folder("HYPERSLAB_FIXTURES", "../../fixtures", "run corpus/recipes/make.py")
}

/// A file of it, if they have been made.
pub fn fixture(name: &str) -> Option<PathBuf> {
    let path = fixtures()?.join(name);
    if path.is_file() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there (run corpus/recipes/make.py)", path.display());
    None
}

/// The real files that lie beside the project, if they do.
pub fn corpus() -> Option<PathBuf> {
    folder("HYPERSLAB_CORPUS", "../../../shared/corpus", "the corpus lies beside the project")
}

fn folder(variable: &str, default: &str, hint: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join(default);
    let path = std::env::var_os(variable).map_or(beside, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there ({hint})", path.display());
    None
}
