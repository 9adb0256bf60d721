//! What is measured where little is asked for: a file alone, a dataset alone, h5py's own filter, and writing by hyperslab.

use super::{bench, has_libhdf5, json, rows};
use hyperslab_testkit::files::python;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Runs a program of the tests' Python, which has h5py.
fn make(program: &str, path: &Path) {
    let python = python().expect("a Python with h5py");
    let done = Command::new(python).args(["-c", program]).arg(path).output().expect("Python runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

const PROGRAM: &str = "import h5py, sys, numpy as np
with h5py.File(sys.argv[1], 'w') as file:
    values = np.arange(40 * 30 * 20, dtype='<i4').reshape(40, 30, 20) // 7
    file.create_dataset('largest', data=values, chunks=(8, 15, 20), compression=sys.argv[2] if len(sys.argv) > 2 else 'gzip')
    file['small'] = np.arange(10)
";

#[test]
fn a_file_alone_is_measured_by_the_usual_reads_behind_two_caches() {
    if !has_libhdf5() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    make(PROGRAM, &path);
    let output = bench(&[path.to_str().unwrap(), "--json", "--repeats", "1"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("measuring the largest of 2 datasets"), "{said}");
    assert!(said.contains("/largest") && said.contains("/small"), "{said}");
    let document = json(&output);
    let rows = document["rows"].as_array().unwrap();
    let mut reads: Vec<&str> = rows.iter().map(|row| row["read_as"].as_str().unwrap()).collect();
    reads.dedup();
    for read in ["1x1x20", "1x30x20", "40x1x1", "8x15x20", "40x30x20"] {
        assert!(reads.contains(&read), "{read} is not among {reads:?}");
    }
    let behind = |nbytes: Option<u64>| {
        let is_it = |row: &&Value| match nbytes {
            Some(nbytes) => row["cache"]["nbytes"] == nbytes && row["is_default_cache"] == false,
            None => row["is_default_cache"] == true && row["engine"].as_str().unwrap().starts_with("libhdf5"),
        };
        rows.iter().filter(is_it).count()
    };
    assert_eq!(behind(Some(1 << 20)), behind(None));
    assert!(behind(None) >= 8, "{}", behind(None));
}

#[test]
fn lzf_of_h5py_is_read_and_written_behind_its_libhdf5() {
    if !has_libhdf5() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    make(&PROGRAM.replace("sys.argv[2] if len(sys.argv) > 2 else 'gzip'", "'lzf'"), &path);
    let found = rows(&[path.to_str().unwrap(), "/largest", "--read", "1x30x20"]);
    assert!(found.iter().any(|row| row["engine"].as_str().unwrap().starts_with("libhdf5")));
    let kept = folder.path().join("kept.h5");
    let storage = ["--chunks", "10x10x20", "--filter", "lzf", "--no-baseline", "--keep"];
    let arguments = [&[path.to_str().unwrap(), "/largest"][..], &storage, &[kept.to_str().unwrap()]].concat();
    assert!(!rows(&arguments).is_empty());
    let program = "import h5py, sys
with h5py.File(sys.argv[1]) as file:
    (dataset,) = [file[name] for name in file]
    assert dataset.compression == 'lzf' and (dataset[:].ravel()[::7] == range(3429)).all(), dataset[:]
";
    make(program, &kept);
}

#[test]
fn hyperslab_alone_writes_what_it_reads() {
    let subject =
        ["--synthetic", "40x30x20", "--type", ">i2", "--chunks", "8x30x20", "--filter", "shuffle+gzip=4"];
    let write = ["--write", "1x30x20", "--write-order", "0,1,2", "--write-order", "2,1,0"];
    let found = rows(&[&subject[..], &write, &["--engine", "hyperslab", "--read", "1x30x20"]].concat());
    assert_eq!(found.len(), 2);
    for row in &found {
        assert_eq!((&row["engine"], &row["write"]["engine"]), (&"hyperslab".into(), &"hyperslab".into()));
    }
    if has_libhdf5() {
        let found = rows(&[&subject[..], &["--read", "1x30x20"]].concat());
        assert!(found.iter().all(|row| row["write"]["engine"].as_str().unwrap().starts_with("libhdf5")));
    }
}
