//! The user's Pythons, and what a script says that is run in one of them.

use crate::child;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Set where the command runs inside of a Python: the interpreter.
const INTERPRETER_VARIABLE: &str = "HYPERSLAB_INTERPRETER";

/// Pythons that a user may mean, the one that runs this first, then the active environment's, each once.
pub fn pythons() -> Vec<PathBuf> {
    let own = std::env::var_os(INTERPRETER_VARIABLE).map(PathBuf::from);
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"]
        .into_iter()
        .filter_map(std::env::var_os)
        .map(|folder| Path::new(&folder).join("bin/python"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = ["python3", "python"].into_iter().filter_map(|name| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
    });
    // Not resolved: a virtual environment's python is a link, and is what it is by its place.
    let mut once = BTreeSet::new();
    let all = own.into_iter().chain(active).chain(on_path).filter(|python| python.is_file());
    all.filter(|python| once.insert(python.clone())).collect()
}

/// The JSON document that a script prints; `None` if it does not end in time, or prints something else.
pub fn ask<T: DeserializeOwned>(python: &Path, script: &str, at_most: Duration) -> Option<T> {
    ask_with(python, script, "", at_most)
}

/// As [`ask`], of a script that reads its standard input.
pub fn ask_with<T: DeserializeOwned>(
    python: &Path,
    script: &str,
    input: &str,
    at_most: Duration,
) -> Option<T> {
    let mut command = Command::new(python);
    let finished = child::run(command.args(["-c", script]), input, at_most, &AtomicBool::new(false));
    serde_json::from_str(&finished.ok()?.out).ok()
}
