//! `hyperslab doctor`. Its counts are tested in its own crate; here, that the facts of the file reach it.

use super::run::ABSENT;
use super::{run, tour};
use hyperslab_testkit::files::{fixture, python};
use hyperslab_testkit::require;
use serde_json::{Value, json};
use std::process::Command;

const DATASET: &str = "/All_Data/CrIS-SDR_All/ES_ImaginaryLW";

#[test]
fn the_case_study_says_what_the_paper_says() {
    let file = require!(fixture("case_study/cris.h5"));
    let told = run(&["doctor", "{}", DATASET, "--read", "1x1x1x717", "--json"], &file);
    assert_eq!((told.code, told.err.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&told.out).unwrap();
    let dataset = &report["datasets"][0];
    assert_eq!((&dataset["path"], &dataset["dtype"]), (&json!(DATASET), &json!(">f4")));
    assert_eq!(dataset["filters"][0]["description"], "gzip level 6");
    assert_eq!(dataset["speed_measured"], true);
    let read = &dataset["reads"][0];
    let decodes = |profile: &str| {
        let profiles = read["profiles"].as_array().unwrap();
        profiles.iter().find(|one| one["name"] == profile).unwrap()["decodes"].as_u64().unwrap()
    };
    assert_eq!((decodes("libhdf5 1.14"), decodes("libhdf5 2.x")), (16_200, 15));
    let codes: Vec<_> =
        dataset["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert!(codes.contains(&&json!("cache-smaller-than-chunk")), "{codes:?}");

    let with_cache =
        run(&["doctor", "{}", DATASET, "--read", "1x1x1x717", "--cache", "3MiB", "--json"], &file);
    let report: Value = serde_json::from_str(&with_cache.out).unwrap();
    assert_eq!(report["datasets"][0]["reads"][0]["profiles"][0]["decodes"], 15);
}

#[test]
fn without_a_dataset_the_largest_is_examined_quickly() {
    let file = require!(fixture("case_study/cris.h5"));
    let start = std::time::Instant::now();
    let told = run(&["doctor", "{}"], &file);
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
    assert_eq!(told.code, 0);
    for expected in ["16,200", "rdcc_nbytes=3145728", "4x30x9x717", "CHUNK=1x30x9x717", "1.076:1"] {
        assert!(told.out.contains(expected), "{expected} is missing:\n{}", told.out);
    }
}

#[test]
fn datasets_that_are_not_examined_are_counted() {
    let tour = require!(tour());
    let told = run(&["doctor", "{}"], &tour);
    assert_eq!(told.code, 0);
    let notes = told.err.strip_prefix(ABSENT).unwrap_or_else(|| panic!("{}", told.err));
    assert!(notes.starts_with("note: examined the largest 1 of 7 datasets"), "{notes}");
    assert!(told.out.starts_with("/unwritten\n"), "{}", told.out);
}

#[test]
fn a_file_without_a_dataset_has_nothing_to_examine() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.h5");
    let program = "import h5py, sys; h5py.File(sys.argv[1], 'w').create_group('g')";
    let status = Command::new(require!(python())).args(["-c", program]).arg(&path).status().unwrap();
    assert!(status.success());
    let told = run(&["doctor", "{}"], &path);
    let note = "note: this file contains no dataset, so there is nothing to examine\n";
    assert_eq!((told.code, told.err.as_str()), (0, note), "{}", told.out);
    let report: Value = serde_json::from_str(&run(&["doctor", "--json", "{}"], &path).out).unwrap();
    assert_eq!(report["datasets"], json!([]));
    let told = run(&["doctor", "{}"], folder.path());
    assert_eq!((told.code, told.out.as_str()), (0, "1 file, no problems found\n"), "{}", told.err);
}

#[test]
fn questions_that_do_not_fit() {
    let tour = require!(tour());
    let cases: [(&[&str], &str); 6] = [
        (&["{}", "/measured/time", "--read", "1x1"], "the read 1x1 has 2 dimensions"),
        (&["{}", "/measured/time", "--read", "many"], "cannot understand the read shape \"many\""),
        (&["{}", "/measured/time", "--order", "1,1"], "cannot sweep in the order \"1,1\""),
        (&["{}", "/measured/time", "--cache", "much"], "cannot understand the cache \"much\""),
        (&["{}", "/measured/time", "--profile", "zarr"], "unknown profile \"zarr\""),
        (&["--why", "nothing"], "unknown finding \"nothing\""),
    ];
    for (arguments, expected) in cases {
        let told = run(&[&["doctor"], arguments].concat(), &tour);
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{arguments:?}");
        assert!(told.err.starts_with(&format!("error: {expected}")), "{}", told.err);
    }
}

#[test]
fn findings_fail_where_that_was_asked_for() {
    let file = require!(fixture("case_study/cris.h5"));
    let code = |options: &[&str]| run(&[&["doctor", "{}", DATASET], options].concat(), &file).code;
    // The case study has a finding of the highest severity.
    assert_eq!(["low", "medium", "high"].map(|level| code(&["--fail-on", level])), [3, 3, 3]);
    assert_eq!(code(&[]), 0);
    let told = run(&["doctor", "{}", DATASET, "--fail-on", "severe"], &file);
    assert_eq!((told.code, told.out.as_str()), (2, ""));
    let tour = require!(tour());
    assert_eq!(run(&["doctor", "{}", "/measured/time", "--fail-on", "low"], &tour).code, 0);
}

#[test]
fn every_finding_has_a_page() {
    for code in hyperslab_doctor::codes() {
        let told = run(&["doctor", "--why", code], std::path::Path::new("-"));
        assert_eq!((told.code, told.err.as_str()), (0, ""));
        assert!(told.out.lines().count() > 3, "{code}: {}", told.out);
    }
}

#[test]
fn a_page_of_one_file_is_written_beside_the_report() {
    let file = require!(fixture("case_study/cris.h5"));
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let told = run(&["doctor", "{}", "--read", "1x1x1x717", "--html", page.to_str().unwrap()], &file);
    assert_eq!((told.code, told.err.as_str()), (0, ""));
    assert!(told.out.contains("HIGH cache-smaller-than-chunk"), "{}", told.out);
    let html = std::fs::read_to_string(&page).unwrap();
    for part in [
        "1 high",
        "cache-smaller-than-chunk",
        "rdcc_nbytes=3145728",
        "decoded 1,080 times",
        "--read 1x1x1x717",
    ] {
        assert!(html.contains(part), "{part}");
    }
    // What could not be written is said before anything is examined; several files have no page.
    let told = run(&["doctor", "{}", "--html", "/nowhere/page.html"], &file);
    assert_eq!((told.code, told.out.as_str()), (2, ""));
    assert!(told.err.starts_with("error: --html /nowhere/page.html: cannot be written"), "{}", told.err);
    let told = run(&["doctor", "{}", "{}", "--html", page.to_str().unwrap()], &file);
    assert_eq!((told.code, told.out.as_str()), (2, ""));
    assert!(told.err.starts_with("error: --html draws the page of one file"), "{}", told.err);
}
