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
    // A file that is there, and is not a library.
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("libhdf5.so");
    std::fs::write(&text, "not a library").unwrap();
    let library = text.to_str().unwrap();
    let output = bench(&["--synthetic", "10", "--libhdf5", library, "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let found = json(&output);
    assert!(found["skipped"][0]["why"].as_str().unwrap().contains(library), "{found}");
    for (arguments, says) in [
        (&["--synthetic", "10", "--libhdf5", "/nowhere/libhdf5.so"][..], "--libhdf5 /nowhere/libhdf5.so"),
        (&["--synthetic", "10x10", "--read", "5"], "dimensions"),
        (&["--synthetic", "10", "--filter", "snappy"], "registered filter"),
        (&["--synthetic", "10", "--engine", "zarr"], "no engine"),
        (&["/nowhere.h5", "/d"], "nowhere.h5"),
        (&["--synthetic", "10", "--libver", "oldest"], "earliest"),
        (&["--synthetic", "10x10", "--stride", "0,1"], "--stride 0,1: each dimension is at least 1"),
        (&["--synthetic", "10x10", "--chunks", "0x10"], "--chunks 0x10: each dimension is at least 1"),
        (
            &["--synthetic", "10x10", "--chunks", "20x10"],
            "--chunks 20x10: a chunk is larger than the extent, 10x10",
        ),
        (&["--synthetic", "10", "--read", "5@-1"], "--read 5@-1: the weight"),
        (&["--synthetic", "10x10", "--order", "y,y"], "--order y,y: "),
        (&["--synthetic", "10", "--cache", "12q"], "--cache"),
        (&["--synthetic", "10", "--metadata-cache", "1GiB"], "--metadata-cache 1GiB: 1 KiB to 128 MiB"),
        (&["--synthetic", "10", "--reads", "0"], "--reads <COUNT>"),
        (&["--synthetic", "10", "--random", "0"], "--random <COUNT>"),
        (&["--synthetic", "10", "--repeats", "0"], "--repeats <COUNT>"),
        (&["--synthetic", "10", "--write-repeats", "0"], "--write-repeats <COUNT>"),
        (&["--synthetic", "10", "--timeout", "0"], "--timeout <SECONDS>"),
        (&["--synthetic", "10", "--max-seconds", "0"], "--max-seconds <SECONDS>"),
        (&["--synthetic", "10", "--ratio", "nan"], "--ratio <RATIO>"),
        (&["--synthetic", "10", "--fill-value", "1e400"], "--fill-value <NUMBER>"),
        (&["--synthetic", "10", "--csv", "/nowhere/rows.csv"], "--csv /nowhere/rows.csv: cannot be written"),
        (
            &["--synthetic", "10", "--html", "/nowhere/page.html"],
            "--html /nowhere/page.html: cannot be written",
        ),
        (&["--synthetic", "10", "--compare", "/nowhere.json"], "/nowhere.json"),
        (&["--synthetic", "100000000x100000000x100"], "--folder"),
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
