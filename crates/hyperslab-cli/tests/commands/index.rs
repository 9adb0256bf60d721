//! `hyperslab index`: what is written where, and the exit codes. `tests/python/test_index.py` reads indexes back.

use super::run::ABSENT;
use super::{ended, run, tour};
use hyperslab_testkit::files::python;
use hyperslab_testkit::require;
use serde_json::Value;
use std::process::Command;

#[test]
fn references_have_the_url_that_was_given() {
    let tour = require!(tour());
    let done = run(&["index", "{}", "--url", "s3://bucket/tour.h5"], &tour);
    assert_eq!(done.code, 0, "{}", done.err);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(document["version"], 1);
    let stored = document["refs"].as_object().unwrap().values().filter_map(Value::as_array);
    let urls: Vec<&Value> = stored.map(|reference| &reference[0]).collect();
    assert!(!urls.is_empty());
    assert!(urls.iter().all(|url| **url == "s3://bucket/tour.h5"), "{urls:?}");
}

#[test]
fn what_is_left_out_is_named_and_fails_on_request() {
    let tour = require!(tour());
    let done = run(&["index", "{}"], &tour);
    let strict = run(&["index", "--strict", "{}"], &tour);
    assert_eq!(done.code, 0);
    assert_eq!(strict.code, 3);
    let said = done.err.strip_prefix(ABSENT).unwrap_or_else(|| panic!("{}", done.err));
    assert!(said.lines().all(|line| line.starts_with("left out: /")), "{said}");
    assert_eq!(strict.out, done.out);
}

#[test]
fn an_index_in_a_folder_that_does_not_exist_is_an_error() {
    let tour = require!(tour());
    let done = run(&["index", "{}", "-o", "/does/not/exist/x.json"], &tour);
    let said = "error: -o /does/not/exist/x.json: cannot be written: there is no such folder\n\n\
                hint: nothing was written; name a file in a folder that is there\n";
    assert_eq!(done, ended(2, "", said));
    let folder = run(&["index", "{}", "-o", "/does/not/exist/x.zarr", "--format", "zarr"], &tour);
    assert_eq!(folder, ended(2, "", &said.replace(".json", ".zarr")));
}

#[test]
fn credentials_are_not_written() {
    let tour = require!(tour());
    for url in ["s3://user:pw@bucket/{name}", "s3://bucket/x?password=pw", "https://host/x?token=pw"] {
        for format in ["kerchunk", "dmrpp", "hsds"] {
            let done = run(&["index", "{}", "--url", url, "--format", format], &tour);
            assert_eq!((done.code, done.out.as_str()), (2, ""), "{done:?}");
            assert!(done.err.contains("--url contains") && !done.err.contains("pw"), "{}", done.err);
        }
    }
}

#[test]
fn references_have_no_parts_that_lead_up() {
    let tour = require!(tour());
    let folder = tour.parent().unwrap().file_name().unwrap().to_str().unwrap();
    let path = tour.parent().unwrap().join("..").join(folder).join("tour.h5");
    let done = run(&["index", "{}"], &path);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("tour.h5") && !done.out.contains("/../"), "{}", done.out);
}

#[test]
fn groups_are_followed_to_a_depth_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let program = "\
import h5py, sys
with h5py.File(sys.argv[1] + '/deep.h5', 'w') as f:
    group = f
    for depth in range(1, 1102):
        group = group.create_group('d')
        if depth >= 1000:
            group['x'] = [1.5]
";
    let made = Command::new(require!(python())).args(["-c", program]).arg(folder.path()).status().unwrap();
    assert!(made.success());
    let path = folder.path().join("deep.h5");
    let (deepest, left_out) = ("/d".repeat(1000), "/d".repeat(1001));
    let reason = "its group has more than 1000 groups around it";

    let index = run(&["index", "{}"], &path);
    assert_eq!(index.code, 0, "{}", index.err);
    assert!(index.out.contains(&format!("{:?}", format!("{}/x/0", &deepest[1..]))));
    assert!(index.err.contains(&format!("{left_out}: {reason}\n")), "{}", index.err);
    for format in ["dmrpp", "hsds"] {
        let index = run(&["index", "{}", "--format", format], &path);
        assert_eq!(index.code, 0, "{}", index.err);
        assert!(index.err.contains(&format!("{left_out}: {reason}\n")), "{}", index.err);
    }
    let cdl = run(&["ls", "--netcdf", "{}"], &path);
    assert_eq!((cdl.code, cdl.out.matches("double x(phony_dim_0)").count()), (0, 1), "{}", cdl.err);
    assert!(cdl.err.contains(reason), "{}", cdl.err);
    assert_eq!(run(&["ls", "--netcdf", "--json", "{}"], &path).code, 0);
}
