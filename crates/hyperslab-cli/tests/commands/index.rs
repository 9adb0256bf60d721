//! `hyperslab index`: what is written where, and the exit codes. `tests/python/test_index.py` reads indexes back.

use super::{run, tour};
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
    assert_eq!((done.code, done.out.as_str()), (1, ""));
    assert!(done.err.starts_with("error: /does/not/exist/x.json: "), "{}", done.err);
}
