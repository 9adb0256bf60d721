//! The user's Pythons, and what a script says that is run in one of them.

use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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
    let mut child = Command::new(python)
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (to, from) = (child.stdin.take(), child.stdout.take());
    std::thread::scope(|scope| {
        // Each pipe has a thread, so that neither side waits for the other to make room. A script need not read its input.
        scope.spawn(move || to.map(|mut to| to.write_all(input.as_bytes())));
        let text = scope.spawn(move || {
            let mut text = String::new();
            from?.read_to_string(&mut text).ok().map(|_| text)
        });
        let began = Instant::now();
        while child.try_wait().ok()?.is_none() {
            if began.elapsed() > at_most {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        serde_json::from_str(&text.join().ok()??).ok()
    })
}
