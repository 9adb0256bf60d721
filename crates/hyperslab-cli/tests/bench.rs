//! `hyperslab bench` on the libraries of a Python's packages, where there are any: all engines read the same, and what was
//! counted in the real library is what was simulated. Here is what the tests of all parts ask for.

#[path = "bench/calibration.rs"]
mod calibration;
#[path = "bench/counts.rs"]
mod counts;
#[path = "bench/hdf4.rs"]
mod hdf4;
#[path = "bench/netcdf.rs"]
mod netcdf;
#[path = "bench/objects.rs"]
mod objects;
#[path = "bench/recipes.rs"]
mod recipes;
#[path = "bench/records.rs"]
mod records;
#[path = "bench/requests.rs"]
mod requests;
#[path = "bench/results.rs"]
mod results;
#[path = "bench/storage.rs"]
mod storage;
#[path = "bench/usual.rs"]
mod usual;

use hyperslab_testkit::Missing;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The command, with the tests' Python before all others.
fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hyperslab"));
    command.arg("bench").args(arguments).env_remove("VIRTUAL_ENV").env_remove("CONDA_PREFIX");
    // What is remembered for --resume stays out of the user's own folder.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    if let Some(folder) =
        hyperslab_testkit::files::python().ok().and_then(|python| Some(python.parent()?.to_owned()))
    {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(folder).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(all).unwrap());
    }
    command
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text} {:?}", output))
}

/// Every library that is found, by its kind: each is loaded to be described, so this is asked once.
fn libraries() -> &'static Value {
    static FOUND: OnceLock<Value> = OnceLock::new();
    FOUND.get_or_init(|| json(&bench(&["--list", "--json"]).output().unwrap()))
}

/// The first library of a kind, as tasks name it.
fn engine(kind: &str) -> Value {
    serde_json::json!({ kind: libraries()[kind][0] })
}

/// Whether there is a library that a test measures. Without it the test is skipped, and fails under CI.
fn has(library: &str, package: &str) -> bool {
    let any = !libraries()[library].as_array().unwrap().is_empty();
    if !any {
        let hint = format!("set HYPERSLAB_PYTHON to a Python with {package}");
        hyperslab_testkit::skipped(&Missing::new(format!("no {library} was found ({hint})")));
    }
    any
}

fn has_libhdf5() -> bool {
    has("libhdf5", "h5py")
}

fn rows(arguments: &[&str]) -> Vec<Value> {
    let output = bench(&[arguments, &["--json", "--repeats", "1"]].concat()).output().unwrap();
    let found = json(&output);
    assert_eq!(found["skipped"], Value::Array(Vec::new()), "{arguments:?}");
    assert_eq!(output.status.code(), Some(0));
    found["rows"].as_array().unwrap().clone()
}

/// Rows of one engine.
fn of<'a>(rows: &'a [Value], engine: &str) -> Vec<&'a Value> {
    rows.iter().filter(|row| row["engine"].as_str().unwrap().starts_with(engine)).collect()
}

/// A task for the worker, with what most of them have alike.
fn task(engine: &Value, file: &Path, operation: Value) -> String {
    serde_json::json!({
        "engine": engine, "file": file, "dataset": "/d",
        "access": { "block": [1], "step": [1], "walk": { "sweep": { "order": [0] } } },
        "options": { "cache": null, "page_buffer": null },
        "operation": operation,
    })
    .to_string()
}

fn storage(changes: Value) -> Value {
    let mut storage = serde_json::json!({
        "format": "hdf5", "shape": [6], "unlimited": false, "element": "<f4", "chunks": null, "filters": [],
        "fill_value": null, "fill_time": "if-set", "alloc_time": "default", "libver": "default", "page_bytes": null,
    });
    for (key, value) in changes.as_object().unwrap() {
        storage[key] = value.clone();
    }
    storage
}

fn served(task: &str) -> Value {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_hyperslab"))
        .arg("bench-worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(task.as_bytes()).unwrap();
    json(&child.wait_with_output().unwrap())
}
