//! Some of the sixty data sets of `perf/advice_quality.py`: what `hyperslab advise` promises of a storage is what the bench
//! measures of the file that its line makes, in bytes and in chunks that libhdf5 decodes. (How the times compare with those
//! of other storages is for a quiet machine: the program without options prints it.)

use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require, scale, skipped};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Each kind of data, and each number of dimensions; the full run measures all, others the first.
const CASES: [&str; 6] = ["1", "12", "24", "7", "18", "30"];

#[test]
fn what_is_promised_of_a_storage_is_measured_by_the_bench() {
    let python = require!(python());
    let cases = &CASES[..scale().of(1).min(CASES.len())];
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results.jsonl");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../perf/advice_quality.py");
    let output = Command::new(python)
        .arg(program)
        .args([
            "--hyperslab",
            env!("CARGO_BIN_EXE_hyperslab"),
            "--quick",
            "--no-grid",
            "--cases",
            &cases.join(","),
            "--out",
        ])
        .arg(&results)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    if let Some(missing) = error.lines().find(|line| line.starts_with("ModuleNotFoundError")) {
        return skipped(&Missing::new(missing.to_owned()));
    }
    assert!(output.status.success(), "{error}");
    println!("{}", String::from_utf8_lossy(&output.stdout));
    let lines = std::fs::read_to_string(&results).unwrap();
    let results: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(results.len(), 2 * cases.len(), "each for libhdf5 and for hyperslab");
    for one in &results {
        let number = |name: &str| one[name].as_f64().unwrap_or_else(|| panic!("{name}: {one}"));
        let sizes = number("bytes") / number("promised_bytes");
        assert!((0.8..1.2).contains(&sizes), "{sizes} times the promised bytes: {one}");
        assert!(number("bytes") <= 1.2 * number("bytes_as_it_was"), "{one}");
        if one["reader"] != "hyperslab" {
            let (promised, counted) = (number("promised_decodes"), number("decodes"));
            assert!((promised - counted).abs() <= 0.02 * promised.max(counted), "{one}");
        }
    }
}
