//! What cannot be done is said, with what to do about it.

use super::{bench, json, served};

#[test]
fn a_library_that_is_missing_is_said_with_how_to_get_it() {
    let empty = tempfile::tempdir().unwrap();
    for (engine, says) in [("netcdf", "pip install netCDF4"), ("hdf4", "pip install pyhdf")] {
        let mut command = bench(&["--synthetic", "8", "--engine", engine]);
        // Without a Python, and where the system has none.
        let output = command.env("PATH", empty.path()).env_remove("LD_LIBRARY_PATH").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() != Some(2) {
            // The system's own is found then: not something that is missing.
            let here = format!("this system has {engine} without a Python");
            hyperslab_testkit::skipped(&hyperslab_testkit::Missing::on_request(here));
            continue;
        }
        assert!(said.contains(says), "{said}");
    }
    let listed = bench(&["--list"]).output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("netCDF-C"));
}

#[test]
fn what_cannot_be_is_said_and_the_rest_goes_on() {
    let output =
        bench(&["--synthetic", "10", "--libhdf5", "/nowhere/libhdf5.so", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let found = json(&output);
    assert!(found["skipped"][0]["why"].as_str().unwrap().contains("/nowhere/libhdf5.so"), "{found}");
    for (arguments, says) in [
        (&["--synthetic", "10x10", "--read", "5"][..], "dimensions"),
        (&["--synthetic", "10", "--filter", "snappy"], "registered filter"),
        (&["--synthetic", "10", "--engine", "zarr"], "no engine"),
        (&["/nowhere.h5", "/d"], "nowhere.h5"),
        (&["--synthetic", "10", "--libver", "oldest"], "earliest"),
    ] {
        let output = bench(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(says), "{arguments:?}: {said}");
    }
    let answer = served("not a task");
    assert!(answer["failed"].as_str().unwrap().contains("not understood"));
}
