//! `hyperslab index`: what is written where, and the exit codes. `tests/python/test_index.py` reads indexes back.

use super::{ended, run, tour};
use hyperslab_testkit::require;
use serde_json::Value;

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
    assert_eq!(strict.code, if done.err.is_empty() { 0 } else { 3 });
    assert!(done.err.lines().all(|line| line.starts_with("left out: /")), "{}", done.err);
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
